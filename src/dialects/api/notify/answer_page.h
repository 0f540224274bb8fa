// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/error.h"
#include "base/net/http/http.h"
#include "services/notify/answers.h"
#include "services/notify/notification_service.h"

namespace parley::api {

// The pages below /a/: plain HTML of our own, without scripts, for people who follow the link of a
// notice. They hold no token, and nothing of another question.

// The text of a question as HTML: code in fences and spans as code, a warning in front
// ("**Careful:**") bold, everything else as it is written. Nothing of it is left out but the marks
// themselves.
std::string page_text(std::string_view text);

// The language that an Accept-Language field prefers (RFC 9110 section 12.5.4).
notify::Language page_language(std::string_view accept_language);

// The state of a link. An open one is a form with one button, which alone answers. 200, 404
// (unknown), 409 (ended otherwise), 410 (used or expired).
net::Response link_page(const notify::LinkView& view, notify::Language language);
// The form again, with the text and the reason why it was not taken: 400.
net::Response link_page_with_fault(const notify::LinkView& view, std::string_view text,
                                   notify::Language language);
// An error that has no state of a link. Its status is that of the code.
net::Response link_error_page(const core::Error& error, notify::Language language);

}  // namespace parley::api
