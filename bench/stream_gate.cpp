// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "stream_gate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "give_up.h"

namespace parley::bench {
namespace {

constexpr std::size_t kBytes = 4'096;

}  // namespace

StreamGate::StreamGate(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, kBytes) != 0) give_up_on(path.c_str());
  void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) give_up_on("mmap");
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  // The bytes of the file are the number; a new file has zeros.
  seen_ = static_cast<std::atomic<std::uint64_t>*>(memory);
}

StreamGate::~StreamGate() { munmap(seen_, kBytes); }

}  // namespace parley::bench
