// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/core/time_text.h"

namespace parley::net {

// Compares ASCII letters without case.
bool equals_ignoring_case(std::string_view a, std::string_view b);
std::string lower_case(std::string_view text);
// The text without spaces and tabs at both ends.
std::string_view trim(std::string_view text);
// True if `c` may be part of a token (RFC 9110 section 5.6.2).
bool is_token_char(char c);
bool is_digit(char c);
// True if `c` is an ASCII control character, tab and DEL included.
bool is_control(char c);
// True for a control character that is not allowed in a field value: all except the tab.
bool is_bad_text(char c);

// One item of a comma-separated list field: "gzip;q=0.5".
struct ListItem {
  std::string_view token;  // "gzip"
  int quality = 1000;      // in thousandths; an invalid weight counts as 0
};
void each_list_item(std::string_view value, const std::function<void(const ListItem&)>& visit);

// "Not Found"; "Unknown" for an unknown status.
std::string_view reason_phrase(int status);

}  // namespace parley::net
