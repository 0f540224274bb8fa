// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/data_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/durable_file.h"
#include "core/json_writer.h"
#include "event/private_files.h"

namespace parley::app {
namespace {

constexpr std::size_t kMaxTokenBytes = 4'096;

core::Result<void> failed(const std::string& path, std::string_view act) {
  const int error = errno;
  const core::Code code =
      error == EACCES || error == EPERM ? core::Code::permission_denied : core::Code::unavailable;
  return core::fail(code, "The file " + path + " cannot be " + std::string(act) + ": " +
                              std::strerror(error) + ".");  // NOLINT(concurrency-mt-unsafe)
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

core::Result<void> write_private_file(const std::string& path, std::string_view text) {
  const std::string draft = path + ".new";
  ::unlink(draft.c_str());
  const int fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return failed(path, "made");
  const bool written = write_all(fd, text) && ::fsync(fd) == 0;
  const int error = errno;
  ::close(fd);
  if (!written || !core::rename_durably(draft, path)) {
    if (!written) errno = error;
    auto failure = failed(path, "written");
    ::unlink(draft.c_str());
    return failure;
  }
  return event::sync_folder(std::filesystem::path(path).parent_path().string());
}

std::optional<std::string> read_token_file(const std::string& data_dir) {
  std::ifstream in(data_dir + "/" + std::string(kTokenFile));
  std::string line;
  if (!in || !std::getline(in, line) || line.empty() || line.size() > kMaxTokenBytes) {
    return std::nullopt;
  }
  return line;
}

core::Result<std::string> ensure_first_token(const std::string& data_dir,
                                             auth::TokenStore& tokens) {
  const auto list = tokens.list();
  if (!list) return core::fail(list.error());
  if (const auto kept = read_token_file(data_dir); kept && tokens.verify(*kept, "this process")) {
    return *kept;
  }
  const bool some_valid = std::any_of(list->begin(), list->end(),
                                      [](const auth::TokenInfo& info) { return !info.revoked_at; });
  if (some_valid) return std::string();
  auto made = tokens.create(auth::kDefaultTokenName, std::nullopt);
  if (!made) return core::fail(made.error());
  const auto written = write_private_file(data_dir + "/" + std::string(kTokenFile), *made + "\n");
  if (!written) return core::fail(written.error());
  return *made;
}

core::Result<EndpointFile> EndpointFile::write(const std::string& data_dir, std::string_view url,
                                               std::string_view token) {
  std::string text;
  core::JsonWriter json(text);
  json.begin_object().key("url").string(url).key("token").string(token);
  json.key("pid").number(static_cast<std::int64_t>(::getpid())).end_object();
  text.push_back('\n');
  EndpointFile file;
  const std::string path = data_dir + "/" + std::string(kEndpointFile);
  if (auto written = write_private_file(path, text); !written) return core::fail(written.error());
  file.path_ = path;
  return file;
}

EndpointFile::EndpointFile(EndpointFile&& other) noexcept
    : path_(std::exchange(other.path_, std::string())) {}

EndpointFile& EndpointFile::operator=(EndpointFile&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

EndpointFile::~EndpointFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace parley::app
