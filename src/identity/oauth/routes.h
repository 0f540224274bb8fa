// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/net/http/http.h"
#include "identity/oauth/oauth_context.h"

namespace parley::oauth {

// Adds the metadata, /authorize, /token, /revoke and, by setting, /register. `context` outlives the
// router.
void install(net::Router& router, Context& context);

// The three parts of install().
void install_metadata(net::Router& router, Context& context);
void install_authorize(net::Router& router, Context& context);
void install_tokens(net::Router& router, Context& context);

// An error as JSON (RFC 6749 section 5.2), counted. Its status is that of the code; 401 for
// `invalid_client`.
net::Response error_response(Context& context, const core::Error& error);

// The parameters of a form that was posted. Errors: `invalid_request`.
core::Result<Parameters> posted_form(const net::Request& request);

}  // namespace parley::oauth
