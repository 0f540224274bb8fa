// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/multipart.h"

#include <utility>

#include "base/core/id.h"

namespace parley::comfyui {
namespace {

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') {
      out.append("%22");
    } else if (c == '\r') {
      out.append("%0D");
    } else if (c == '\n') {
      out.append("%0A");
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

}  // namespace

Multipart::Multipart(core::Entropy& entropy) : boundary_(core::random_hex(entropy, 16)) {}

void Multipart::begin_part(std::string_view name) {
  body_.append("--").append(boundary_).append("\r\nContent-Disposition: form-data; name=");
  append_quoted(body_, name);
}

void Multipart::add_field(std::string_view name, std::string_view value) {
  begin_part(name);
  body_.append("\r\n\r\n").append(value).append("\r\n");
}

void Multipart::add_file(std::string_view name, std::string_view filename,
                         std::string_view content_type, std::string_view bytes) {
  begin_part(name);
  body_.append("; filename=");
  append_quoted(body_, filename);
  body_.append("\r\nContent-Type: ").append(content_type).append("\r\n\r\n");
  body_.append(bytes).append("\r\n");
}

std::string Multipart::finish() {
  body_.append("--").append(boundary_).append("--\r\n");
  return std::exchange(body_, {});
}

}  // namespace parley::comfyui
