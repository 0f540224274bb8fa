// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "services/notify/answers.h"
#include "services/notify/notice.h"

namespace parley::notify {

struct EmailEnvelope {
  std::string from;
  std::vector<std::string> to;
  std::string message_id;  // without brackets
  std::string boundary;    // letters and digits; in no part of the message
  core::WallTime at;
};

// A value of a header field with characters beyond ASCII (RFC 2047), folded to lines of at most 75
// characters.
std::string encoded_words(std::string_view text);
// "Sun, 06 Nov 1994 08:49:37 +0000" (RFC 5322 section 3.3).
std::string mail_date(core::WallTime at);
// True if a text is one plain address that may stand in a header and in SMTP: "ann@example.org".
bool is_mail_address(std::string_view text);

// The whole message (RFC 5322, 2045): plain text and HTML of the same content, lines of at most 76
// characters, CR LF.
std::string email_message(const EmailEnvelope& envelope, const Notice& notice, Language language);

}  // namespace parley::notify
