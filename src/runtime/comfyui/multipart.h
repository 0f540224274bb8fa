// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/entropy.h"

namespace parley::comfyui {

// A body of multipart/form-data (RFC 7578).
class Multipart {
 public:
  // The boundary is 32 random hexadecimal digits.
  explicit Multipart(core::Entropy& entropy);

  void add_field(std::string_view name, std::string_view value);
  // Quotes and line ends in the names are encoded as browsers do.
  void add_file(std::string_view name, std::string_view filename, std::string_view content_type,
                std::string_view bytes);

  std::string content_type() const { return "multipart/form-data; boundary=" + boundary_; }
  std::string finish();

 private:
  void begin_part(std::string_view name);

  std::string boundary_;
  std::string body_;
};

}  // namespace parley::comfyui
