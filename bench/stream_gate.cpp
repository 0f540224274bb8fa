// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream_gate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace parley::bench {
namespace {

constexpr std::size_t kBytes = 4'096;

[[noreturn]] void fail_with(const char* what) {
  std::perror(what);
  std::exit(1);
}

}  // namespace

StreamGate::StreamGate(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, kBytes) != 0) fail_with(path.c_str());
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) fail_with("mmap");
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  // A new file is all zeros, and so is the number; an old one holds the number as it is.
  seen_ = static_cast<std::atomic<std::uint64_t>*>(memory);
}

StreamGate::~StreamGate() { munmap(seen_, kBytes); }

}  // namespace parley::bench
