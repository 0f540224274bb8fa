// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parley::fake_comfyui {

struct FormPart {
  std::string name;
  std::string filename;  // empty: a field
  std::string_view bytes;
};

inline constexpr std::size_t kMaxFormParts = 32;

// Reads a body of multipart/form-data; the parts refer into it. Nothing: it is none.
std::optional<std::vector<FormPart>> read_form(std::string_view content_type,
                                               std::string_view body);

}  // namespace parley::fake_comfyui
