// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/front_end_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <utility>

#include "app/server/inline_scripts.h"
#include "base/core/ascii.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/net/http/compression.h"
#include "services/front_end/digest.h"

namespace parley::app {
namespace {

namespace fs = std::filesystem;
using core::Code;
using core::Result;

constexpr std::string_view kIndex = "/index.html";
constexpr std::size_t kTagLength = 32;

struct FileType {
  std::string_view ending;
  std::string_view type;
};
constexpr FileType kTypes[] = {
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/plain; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".wasm", "application/wasm"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".gif", "image/gif"},
    {".webp", "image/webp"},
    {".avif", "image/avif"},
    {".ico", "image/x-icon"},
    {".woff2", "font/woff2"},
    {".woff", "font/woff"},
    {".ttf", "font/ttf"},
    {".mp3", "audio/mpeg"},
    {".ogg", "audio/ogg"},
    {".wav", "audio/wav"},
    {".mp4", "video/mp4"},
    {".webm", "video/webm"},
    {".pdf", "application/pdf"},
};

std::string_view type_of(const std::string& path) {
  const std::string ending = core::lowered(fs::path(path).extension().string());
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [&](const FileType& type) { return type.ending == ending; });
  return found == std::end(kTypes) ? "application/octet-stream" : found->type;
}

tl::unexpected<core::Error> too_much(const std::string& what) {
  return core::fail(Code::resource_exhausted, "The folder of the front end has " + what + ".",
                    "front_end");
}

std::string policy_with(const std::string& script_sources) {
  constexpr std::string_view kScripts = "script-src 'self'";
  std::string policy(net::kFrontEndPolicy);
  policy.insert(policy.find(kScripts) + kScripts.size(), script_sources);
  return policy;
}

// The content of a regular file; links are not followed.
Result<std::string> read_file(const std::string& path, std::size_t limit) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat info {};
  if (fd < 0 || ::fstat(fd, &info) != 0) {
    core::Error error = core::system_error(errno, "Cannot read " + path);
    if (fd >= 0) ::close(fd);
    return core::fail(std::move(error));
  }
  std::string out;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (!S_ISREG(info.st_mode) || size > limit) {
    ::close(fd);
    return too_much("a file of more than " + std::to_string(limit >> 20U) + " MiB: " + path);
  }
  out.resize(static_cast<std::size_t>(size));
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t count = ::read(fd, out.data() + done, out.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  ::close(fd);
  out.resize(done);
  return out;
}

}  // namespace

Result<std::unique_ptr<FrontEndFolder>> FrontEndFolder::load(const std::string& folder,
                                                             const FrontEndLimits& limits) {
  std::unique_ptr<FrontEndFolder> out(new FrontEndFolder);
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return core::fail(Code::not_found, "There is no folder " + folder + ".", "front_end");
  }
  PARLEY_TRY_VOID(out->read(folder, limits));
  out->pack();
  const auto index = std::find_if(out->files_.begin(), out->files_.end(),
                                  [](const File& file) { return file.path == kIndex; });
  if (index == out->files_.end()) {
    return core::fail(Code::not_found, "The folder " + folder + " has no index.html.", "front_end");
  }
  out->page_policy_ = policy_with(inline_script_sources(index->bytes));
  for (const File& file : out->files_) {
    out->assets_.push_back(
        {file.path, type_of(file.path), file.bytes, file.gzip, file.br, file.etag, false});
  }
  return out;
}

Result<void> FrontEndFolder::read(const std::string& folder, const FrontEndLimits& limits) {
  std::size_t bytes = 0;
  std::error_code error;
  fs::recursive_directory_iterator it(folder, error);
  for (const fs::recursive_directory_iterator end; !error && it != end; it.increment(error)) {
    const bool hidden = it->path().filename().string().starts_with('.');
    std::error_code kind;
    const fs::file_status status = it->symlink_status(kind);
    if (fs::is_directory(status) && hidden) it.disable_recursion_pending();
    if (static_cast<std::size_t>(it.depth()) > limits.depth) {
      return too_much("more than " + std::to_string(limits.depth) + " levels of folders");
    }
    if (hidden || !fs::is_regular_file(status)) continue;
    if (files_.size() == limits.files) {
      return too_much("more than " + std::to_string(limits.files) + " files");
    }
    PARLEY_TRY(std::string content, read_file(it->path().string(), limits.file_bytes));
    bytes += content.size();
    if (bytes > limits.bytes) {
      return too_much("more than " + std::to_string(limits.bytes >> 20U) + " MiB");
    }
    files_.push_back({"/" + it->path().lexically_relative(folder).generic_string(),
                      std::move(content),
                      {},
                      {},
                      {}});
  }
  if (error) return core::fail(core::system_error(error.value(), "Cannot read " + folder));
  return {};
}

// Attaches compressed forms to their file, and compresses text that has none.
void FrontEndFolder::pack() {
  std::map<std::string, std::size_t, std::less<>> places;
  for (std::size_t i = 0; i < files_.size(); ++i) places.emplace(files_[i].path, i);
  const auto is_form = [&](File& file) {
    for (const auto& [ending, form] :
         {std::pair(".gz", &File::gzip), std::pair(".br", &File::br)}) {
      if (!file.path.ends_with(ending)) continue;
      const auto whole = places.find(std::string_view(file.path).substr(0, file.path.size() - 3));
      if (whole == places.end()) continue;
      files_[whole->second].*form = std::move(file.bytes);
      return true;
    }
    return false;
  };
  std::vector<bool> forms;
  forms.reserve(files_.size());
  for (File& file : files_) forms.push_back(is_form(file));
  std::vector<File> files;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!forms[i]) files.push_back(std::move(files_[i]));
  }
  files_ = std::move(files);
  for (File& file : files_) {
    file.etag = front_end::sha256_hex(file.bytes).substr(0, kTagLength);
    if (!file.gzip.empty() || file.bytes.size() < net::kMinCompressedBytes ||
        !net::is_compressible(type_of(file.path))) {
      continue;
    }
    file.gzip = net::gzip(file.bytes).value_or("");
    if (file.gzip.size() >= file.bytes.size()) file.gzip.clear();
  }
}

}  // namespace parley::app
