// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace parley::core {

// The only source of randomness. Thread-safe unless an implementation says otherwise.
class Entropy {
 public:
  Entropy() = default;
  Entropy(const Entropy&) = delete;
  Entropy& operator=(const Entropy&) = delete;
  virtual ~Entropy() = default;

  virtual void fill(std::span<std::byte> out) = 0;

  std::uint64_t next_u64();
};

// The kernel's generator: fit for tokens and ids. Ends the process if the kernel provides none.
class SystemEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> out) override;
};

// A reproducible generator for tests and simulations. Never for secrets. One thread only.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed) : state_(seed) {}
  void fill(std::span<std::byte> out) override;

 private:
  std::uint64_t state_;
};

}  // namespace parley::core
