// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/error.h"
#include "base/core/result.h"

namespace parley::oauth {

// Limit (Logins of agents): parameters of a request. Reached: `invalid_request`.
inline constexpr std::size_t kMaxParameters = 32;

// An error that a client sees: `code` is that of RFC 6749 ("invalid_grant"). It is the field of the
// error; errors without a field are failures of this server.
core::Error protocol_error(std::string_view code, std::string message);

// The parameters of a query or of a form (application/x-www-form-urlencoded).
class Parameters {
 public:
  // Errors: `invalid_request` (a broken escape, a parameter that is repeated, text that is not
  // UTF-8, more than kMaxParameters).
  static core::Result<Parameters> parse(std::string_view text);

  // The value; empty if it is missing.
  std::string_view get(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;
};

// Appends "&NAME=VALUE" to a URL or a form, with "?" instead of "&" for the first one of a URL.
void append_parameter(std::string& url, std::string_view name, std::string_view value);

}  // namespace parley::oauth
