// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parley::fake_comfyui {

// Parameters of a picture.
struct Sketch {
  std::uint64_t seed = 0;
  std::string text;
  int width = 64;
  int height = 64;
};

// Limit of the sides of a picture, in pixels; a larger one is drawn smaller.
inline constexpr int kMaxSide = 512;

// A PNG of 8-bit RGB: a gradient with colours from the text, and rings with positions from the
// seed. The same sketch gives the same bytes.
std::string draw(const Sketch& sketch);

// A stable hash of a text (FNV-1a).
std::uint64_t fingerprint(std::string_view text);

}  // namespace parley::fake_comfyui
