// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/data_dir_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

#include "base/core/file_lock.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/sql/data_dir.h"

namespace parley::event {
namespace {

constexpr mode_t kFileMode = 0600;

std::string lock_file_in(const std::string& data_dir) {
  return data_dir + "/" + std::string(core::kServerLockFile);
}

int open_retrying(const std::string& path, int flags) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags, kFileMode);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

std::string pid_in(int fd) {
  std::array<char, 32> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  std::string pid(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  while (!pid.empty() && (pid.back() < '0' || pid.back() > '9')) pid.pop_back();
  return pid;
}

bool is_missing(const std::string& pid) {
  pid_t number = 0;
  const auto [end, error] = std::from_chars(pid.data(), pid.data() + pid.size(), number);
  return error == std::errc() && number > 0 && ::kill(number, 0) != 0 && errno == ESRCH;
}

// True if only is_held() of other processes keeps the lock from being taken.
bool is_looked_at(int fd) {
  return ::flock(fd, LOCK_SH | LOCK_NB) == 0 && ::flock(fd, LOCK_UN) == 0;
}

// Returns 0 or the errno of the failure.
int lock_file(int fd) {
  constexpr core::Millis kPause{5};
  const auto end = std::chrono::steady_clock::now() + DataDirLock::kLetGo;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int number = errno;
    const bool will_go = number == EWOULDBLOCK && (is_looked_at(fd) || is_missing(pid_in(fd)));
    if (!will_go || std::chrono::steady_clock::now() >= end) return number;
    std::this_thread::sleep_for(kPause);
  }
  return 0;
}

bool write_pid(int fd) {
  const std::string text = std::to_string(::getpid()) + "\n";
  return ::ftruncate(fd, 0) == 0 &&
         ::pwrite(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
}

}  // namespace

core::Result<DataDirLock> DataDirLock::acquire(const std::string& data_dir) {
  const std::string path = lock_file_in(data_dir);
  const int fd = open_retrying(path, O_RDWR | O_CREAT | O_CLOEXEC);
  if (fd < 0) return core::fail(core::system_error(errno, "Cannot open " + path));
  DataDirLock lock(fd);
  if (const int number = lock_file(fd); number != 0) {
    if (number != EWOULDBLOCK) return core::fail(core::system_error(number, "Cannot lock " + path));
    const std::string pid = pid_in(fd);
    return core::fail(core::Code::failed_precondition,
                      "Another Parley server (pid " + (pid.empty() ? "unknown" : pid) +
                          ") uses the data directory " + data_dir +
                          ". Stop it, or name another directory.",
                      std::string(kDataDirLocked));
  }
  if (!write_pid(fd)) return core::fail(core::system_error(errno, "Cannot write " + path));
  return lock;
}

core::Result<DataDirLock> DataDirLock::open(const std::string& data_dir) {
  PARLEY_TRY_VOID(sql::make_data_dir(data_dir));
  PARLEY_TRY(DataDirLock lock, acquire(data_dir));
  sql::mend_private_files(data_dir);
  return lock;
}

core::Result<bool> DataDirLock::is_held(const std::string& data_dir) {
  auto locked = core::is_file_locked(lock_file_in(data_dir));
  if (!locked && locked.error().code == core::Code::permission_denied) {
    return core::fail(core::Code::permission_denied, data_dir + " cannot be read by this user.");
  }
  return locked;
}

DataDirLock::DataDirLock(DataDirLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

DataDirLock& DataDirLock::operator=(DataDirLock&& other) noexcept {
  if (this != &other) {
    release();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

DataDirLock::~DataDirLock() { release(); }

void DataDirLock::release() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace parley::event
