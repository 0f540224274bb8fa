// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/disk_watch.h"

#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/core/ask.h"

namespace parley::event {
namespace {

namespace fs = std::filesystem;

// Most entries that are added up; a larger data directory is logged and not measured.
constexpr std::size_t kMaxEntries = 4'000'000;
// The pause after adding up is at least this many times its duration.
constexpr int kPauseAfterSum = 10;
constexpr std::uint64_t kMiB = 1U << 20U;
constexpr std::uint64_t kBlock = 512;  // bytes in one unit of st_blocks

core::Result<std::uint64_t> free_of(const std::string& folder) {
  struct statvfs info {};
  if (::statvfs(folder.c_str(), &info) != 0) {
    return core::fail(core::Code::data_loss, folder + ": " + std::strerror(errno) + ".");
  }
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

// A file that is deleted meanwhile counts 0.
core::Result<std::uint64_t> size_of(const std::string& folder) {
  std::uint64_t sum = 0;
  std::size_t entries = 0;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (++entries > kMaxEntries) {
      return core::fail(core::Code::out_of_range,
                        folder + " has too many files; its size is not computed.");
    }
    struct stat info {};
    if (::lstat(at->path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      sum += static_cast<std::uint64_t>(info.st_blocks) * kBlock;
    }
  }
  return sum;
}

std::string in_mib(std::uint64_t bytes) { return std::to_string(bytes / kMiB) + " MiB"; }

}  // namespace

DiskGauges DiskGauges::real() { return {free_of, size_of}; }

DiskWatch::DiskWatch(DiskLimits limits, core::WorkGate& gate, core::Scheduler& worker,
                     DiskGauges gauges)
    : limits_(std::move(limits)), gate_(gate), worker_(worker), gauges_(std::move(gauges)) {}

void DiskWatch::start() {
  look();
  arm();
}

void DiskWatch::arm() {
  const auto look_again = [](DiskWatch& self) {
    self.arm();  // first: an exception in look() must not end the watch
    self.look();
  };
  worker_.post(core::unless_gone(weak_from_this(), [look_again](DiskWatch& self) {
    self.worker_.after(kInterval, core::unless_gone(self.weak_from_this(), look_again));
  }));
}

void DiskWatch::look() {
  const core::Result<std::uint64_t> free = gauges_.free_bytes(limits_.data_dir);
  if (free) {
    free_ = *free;
  } else if (!failing_) {
    spdlog::error("the free space of the disk cannot be read: {}", free.error().message);
  }
  failing_ = !free.has_value();
  if (limits_.max_data_bytes > 0 && worker_.clock().mono() >= next_sum_) add_up();
  std::string why = why_closed();
  if (!why.empty()) {
    if (!closed_) spdlog::error("{}", why);
    gate_.close(std::move(why));
    closed_ = true;
  } else if (std::exchange(closed_, false)) {
    spdlog::info("The server accepts new work again: there is enough disk space.");
    gate_.open();
  }
}

void DiskWatch::add_up() {
  const core::MonoTime begin = worker_.clock().mono();
  const core::Result<std::uint64_t> size = gauges_.data_bytes(limits_.data_dir);
  if (size) {
    data_ = *size;
  } else {
    spdlog::error("the size of the data directory is not known: {}", size.error().message);
  }
  const core::MonoTime end = worker_.clock().mono();
  const auto took = std::chrono::duration_cast<core::Millis>(end - begin);
  next_sum_ = end + std::max(kDataInterval, took * kPauseAfterSum);
}

std::string DiskWatch::why_closed() const {
  const std::uint64_t floor = limits_.min_free_bytes + (closed_ ? limits_.min_free_bytes / 10 : 0);
  const std::uint64_t ceiling =
      limits_.max_data_bytes - (closed_ ? limits_.max_data_bytes / 10 : 0);
  if (limits_.min_free_bytes > 0 && free_bytes() < floor) {
    return "The server takes no new work: its disk has " + in_mib(free_bytes()) +
           " left, and store.min_free is " + in_mib(limits_.min_free_bytes) +
           ". It accepts new work again when there is enough space.";
  }
  if (limits_.max_data_bytes > 0 && data_bytes() > ceiling) {
    return "The server takes no new work: its data directory has " + in_mib(data_bytes()) +
           ", and store.max_data is " + in_mib(limits_.max_data_bytes) +
           ". It accepts new work again when there is enough space.";
  }
  return {};
}

}  // namespace parley::event
