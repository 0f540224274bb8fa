// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the text of any HTTP body is UTF-8, and at most 8 times as long plus 100 bytes.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/core/utf8.h"
#include "runtime/tool/web/web_fetch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  for (const char* type : {"text/html", "", "text/plain; charset=iso-8859-1",
                           "text/html; charset=gbk", "application/json; charset=iso-2022-jp"}) {
    const std::string text = parley::tool::readable_body(type, body);
    if (!parley::core::is_utf8(text)) std::abort();
    if (text.size() > 8 * body.size() + 100) std::abort();
  }
  return 0;
}
