// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Parses arbitrary bytes as a form: all parts must lie within the body and the limits.
#include <cstddef>
#include <cstdint>

#include "base/core/assert.h"
#include "base/net/http/multipart_form.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const auto parts = parley::net::read_form("multipart/form-data; boundary=b", body);
  if (parts) {
    PARLEY_ASSERT(parts->size() <= parley::net::kMaxFormParts, "too many parts");
    for (const auto& part : *parts) {
      const bool inside = part.bytes.empty() ||
                          (part.bytes.data() >= body.data() &&
                           part.bytes.data() + part.bytes.size() <= body.data() + body.size());
      PARLEY_ASSERT(inside, "bytes outside the body");
    }
  }
  (void)parley::net::read_form(body, "--b\r\n");
  return 0;
}
