// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/entropy.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace parley::core {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): one step of the generator.
std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

}  // namespace

std::uint64_t Entropy::next_u64() {
  std::uint64_t value = 0;
  fill(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

void SystemEntropy::fill(std::span<std::byte> out) {
  while (!out.empty()) {
    const ssize_t got = getrandom(out.data(), out.size(), 0);
    if (got > 0) {
      out = out.subspan(static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      std::fprintf(stderr, "parley: the kernel provides no random bytes: %s\n",
                   std::strerror(errno));
      std::abort();
    }
  }
}

void SeededEntropy::fill(std::span<std::byte> out) {
  while (!out.empty()) {
    const std::uint64_t word = split_mix(state_);
    const std::size_t count = out.size() < sizeof(word) ? out.size() : sizeof(word);
    std::memcpy(out.data(), &word, count);
    out = out.subspan(count);
  }
}

}  // namespace parley::core
