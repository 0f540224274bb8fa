// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/error.h"
#include "base/net/http/http.h"
#include "identity/oauth/authorize_request.h"

namespace parley::oauth {

// The pages of /authorize: HTML without scripts and frames, in English or Chinese.

enum class PageFault : std::uint8_t {
  none,
  wrong_token,
  no_right,  // the token has no right that the client asks for
  too_many,  // wrong tokens
};

// The form that asks a person for a token and for consent. `sealed`: its hidden field. The token is
// never part of the page. 200; 403 for no_right, 429 for too_many, else 401.
net::Response consent_page(const AuthorizeRequest& request, std::string_view sealed,
                           PageFault fault, std::string_view accept_language);
// A request that cannot be answered by a redirect. The status is that of the code.
net::Response error_page(const core::Error& error, std::string_view accept_language);

}  // namespace parley::oauth
