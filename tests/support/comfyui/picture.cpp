// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comfyui/picture.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace parley::fake_comfyui {
namespace {

struct Rgb {
  double red;
  double green;
  double blue;
};

Rgb colour_of(std::uint64_t number) {
  const auto part = [&](unsigned shift) {
    return 40.0 + static_cast<double>((number >> shift) & 0xffU) * 0.75;
  };
  return {part(8), part(24), part(40)};
}

void append_u32(std::string& out, std::size_t number) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    out.push_back(static_cast<char>((number >> shift) & 0xffU));
  }
}

void append_chunk(std::string& out, std::string_view type, std::string_view data) {
  append_u32(out, data.size());
  const std::size_t begin = out.size();
  out.append(type).append(data);
  const auto* bytes = reinterpret_cast<const Bytef*>(out.data() + begin);
  append_u32(out, crc32(0, bytes, static_cast<uInt>(out.size() - begin)));
}

std::string deflated(const std::string& rows) {
  uLongf size = compressBound(static_cast<uLong>(rows.size()));
  std::string out(size, '\0');
  const int result = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                               reinterpret_cast<const Bytef*>(rows.data()),
                               static_cast<uLong>(rows.size()), Z_BEST_SPEED);
  if (result != Z_OK) throw std::runtime_error("zlib");
  out.resize(size);
  return out;
}

std::string rows_of(const Sketch& sketch, int width, int height) {
  const std::uint64_t text = fingerprint(sketch.text);
  const std::uint64_t seed = fingerprint(std::to_string(sketch.seed));
  const Rgb from = colour_of(text);
  const Rgb to = colour_of(text * 0x9e3779b97f4a7c15U);
  const double centre_x = width * static_cast<double>(seed & 0xffU) / 255.0;
  const double centre_y = height * static_cast<double>((seed >> 8U) & 0xffU) / 255.0;
  const double ring = 4.0 + static_cast<double>((seed >> 16U) & 0x0fU);
  std::string rows;
  rows.reserve(static_cast<std::size_t>(height) * (static_cast<std::size_t>(width) * 3 + 1));
  for (int y = 0; y < height; ++y) {
    rows.push_back('\0');  // no filter
    for (int x = 0; x < width; ++x) {
      const double share = (static_cast<double>(x) / width + static_cast<double>(y) / height) / 2;
      const double wave = std::sin(std::hypot(x - centre_x, y - centre_y) / ring);
      const auto mixed = [&](double a, double b) {
        const double value = a + (b - a) * share + 30 * wave;
        return static_cast<char>(static_cast<unsigned char>(std::clamp(value, 0.0, 255.0)));
      };
      rows.push_back(mixed(from.red, to.red));
      rows.push_back(mixed(from.green, to.green));
      rows.push_back(mixed(from.blue, to.blue));
    }
  }
  return rows;
}

}  // namespace

std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash ^ (hash >> 29U);
}

std::string draw(const Sketch& sketch) {
  const double longest = std::max({sketch.width, sketch.height, 1});
  const double scale = std::min(1.0, kMaxSide / longest);
  const auto side = [&](int pixels) { return std::max(1, static_cast<int>(pixels * scale)); };
  const int width = side(sketch.width);
  const int height = side(sketch.height);
  std::string head;
  append_u32(head, static_cast<std::size_t>(width));
  append_u32(head, static_cast<std::size_t>(height));
  head.append({8, 2, 0, 0, 0});  // 8 bits, RGB
  std::string out = "\x89PNG\r\n\x1a\n";
  append_chunk(out, "IHDR", head);
  append_chunk(out, "IDAT", deflated(rows_of(sketch, width, height)));
  append_chunk(out, "IEND", {});
  return out;
}

}  // namespace parley::fake_comfyui
