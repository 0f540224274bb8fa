// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parley::fake_comfyui {

// The content of a picture.
struct Sketch {
  std::uint64_t seed = 0;
  std::string text;
  int width = 64;
  int height = 64;
};

// No side of a picture is longer, whatever a workflow asks for: a larger one is drawn smaller.
inline constexpr int kMaxSide = 512;

// A PNG of 8-bit RGB: a gradient whose colours come from the text and rings whose places come from
// the seed. The same sketch gives the same bytes.
std::string draw(const Sketch& sketch);

// A stable number of a text (FNV-1a).
std::uint64_t fingerprint(std::string_view text);

}  // namespace parley::fake_comfyui
