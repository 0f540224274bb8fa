// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/assert.h"
#include "base/core/durable_file.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "services/study/log_line.h"

namespace parley::study {
namespace {

constexpr std::size_t kReadBytes = 256U << 10U;
constexpr mode_t kFileMode = 0600;

tl::unexpected<core::Error> failed(int error, const std::string& what) {
  core::Code code = core::Code::data_loss;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG || error == EMFILE) {
    code = core::Code::resource_exhausted;
  } else if (error == EACCES || error == EPERM || error == EROFS) {
    code = core::Code::permission_denied;
  }
  return core::fail(code, what + ": " + std::strerror(error) + ".");
}

// The index of a line that has this head; std::nullopt: another or an incomplete line.
std::optional<std::uint64_t> index_of(std::string_view line, std::string_view head) {
  constexpr std::string_view kNext = ",\"timestamp\":\"";
  if (!line.starts_with(head) || !line.ends_with('}')) return std::nullopt;
  if (std::memchr(line.data(), '\0', line.size()) != nullptr) return std::nullopt;
  line.remove_prefix(head.size());
  std::uint64_t index = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), index);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  if (!line.starts_with(kNext)) return std::nullopt;
  return index;
}

}  // namespace

int sync_file_data(int fd) { return ::fdatasync(fd); }

LogFile::LogFile(LogFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      sync_(std::move(other.sync_)),
      next_index_(other.next_index_),
      size_(other.size_),
      found_(other.found_),
      durable_(other.durable_),
      spoiled_(other.spoiled_) {}

LogFile& LogFile::operator=(LogFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(next_index_, other.next_index_);
  std::swap(size_, other.size_);
  std::swap(sync_, other.sync_);
  std::swap(found_, other.found_);
  std::swap(durable_, other.durable_);
  std::swap(spoiled_, other.spoiled_);
  return *this;
}

LogFile::~LogFile() {
  if (fd_ >= 0) ::close(fd_);
}

core::Result<LogFile> LogFile::open(const std::string& path, std::string_view study_id,
                                    SyncFile sync, std::uint64_t durable) {
  PARLEY_TRY_VOID(core::make_private_folder(std::filesystem::path(path).parent_path().string()));
  LogFile file;
  file.fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kFileMode);
  if (file.fd_ < 0) return failed(errno, "Cannot open " + path);
  PARLEY_TRY_VOID(file.find_end(study_id));
  file.sync_ = std::move(sync);
  file.found_ = file.size_;
  file.durable_ = std::min(durable, file.size_);
  if (!core::sync_folder_of(path)) return failed(errno, "Cannot sync the folder of " + path);
  return file;
}

core::Result<void> LogFile::find_end(std::string_view study_id) {
  const std::string head = line_head(study_id);
  std::string text;
  std::string chunk(kReadBytes, '\0');
  std::uint64_t offset = 0;
  bool complete = true;
  while (complete) {
    const ssize_t got = ::pread(fd_, chunk.data(), chunk.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(errno, "Cannot read a study log");
    if (got == 0) break;
    offset += static_cast<std::uint64_t>(got);
    text.append(chunk, 0, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos && complete;
         end = text.find('\n', begin)) {
      const auto index = index_of(std::string_view(text).substr(begin, end - begin), head);
      // The first line may have a later index: retention has removed the lines before it.
      complete = index && (size_ == 0 || *index == next_index_);
      if (!complete) break;
      next_index_ = *index + 1;
      size_ += end + 1 - begin;
      begin = end + 1;
    }
    text.erase(0, begin);
  }
  if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) {
    return failed(errno, "Cannot cut a study log");
  }
  return {};
}

core::Result<void> LogFile::append(std::string_view lines, std::uint64_t last_index) {
  PARLEY_ASSERT(fd_ >= 0 && !spoiled_, "study log: written to after it was closed or spoiled, " +
                                           std::to_string(size_) + " bytes");
  PARLEY_ASSERT(last_index >= next_index_ && lines.ends_with('\n'),
                "study log: lines up to " + std::to_string(last_index) + " are appended after " +
                    std::to_string(next_index_) + " lines, or the last has no end");
  std::uint64_t at = size_;
  while (!lines.empty()) {
    const ssize_t put = ::pwrite(fd_, lines.data(), lines.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int error = errno;
      // If this fails, the next open() truncates the file.
      static_cast<void>(::ftruncate(fd_, static_cast<off_t>(size_)) == 0);
      return failed(error, "Cannot write a study log");
    }
    at += static_cast<std::uint64_t>(put);
    lines.remove_prefix(static_cast<std::size_t>(put));
  }
  size_ = at;
  next_index_ = last_index + 1;
  return {};
}

core::Result<void> LogFile::sync() {
  PARLEY_ASSERT(fd_ >= 0 && !spoiled_ && durable_ <= size_,
                "study log: synced after it was closed or spoiled; " + std::to_string(durable_) +
                    " of " + std::to_string(size_) + " bytes are durable");
  if (sync_(fd_) == 0) {
    durable_ = size_;
    return {};
  }
  const int error = errno;
  // Truncated at once, so that a server that starts after a crash reads no line that is not on the
  // disk.
  spoiled_ = found_ > durable_ || ::ftruncate(fd_, static_cast<off_t>(durable_)) != 0;
  return failed(error, "Cannot sync a study log");
}

}  // namespace parley::study
