// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/result.h"

namespace parley::oauth {

inline constexpr core::Millis kFormLife = std::chrono::minutes(10);

// Seals the hidden field of the consent form, so that only forms of this server are taken, and only
// for kFormLife. The key lives as long as this object. Thread-safe.
class FormSeal {
 public:
  explicit FormSeal(core::Entropy& entropy);

  std::string seal(std::string_view content, core::WallTime now) const;
  // The content. Errors: `invalid_request` (changed, of another server, or too old).
  core::Result<std::string> open(std::string_view sealed, core::WallTime now) const;

 private:
  std::string mac_of(std::string_view text) const;

  std::array<unsigned char, 32> key_{};
};

}  // namespace parley::oauth
