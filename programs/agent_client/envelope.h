// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/core/result.h"

namespace parley::agent_client {

// One message of the protocol, split into the members that a client reads. `id`, `reply_to` and
// `payload` are raw JSON; empty: absent.
struct Envelope {
  std::string type;
  std::string id = {};
  std::string reply_to = {};
  std::string payload = {};
};

// Reads a message. `text` must have net::Stream::kReadPadding readable bytes after its end, as
// WebSocketClientHandler::on_message() supplies them. The content of the payload is not checked.
// Errors: `invalid_argument`.
core::Result<Envelope> read_envelope(std::string_view text);

// Writes a message with the protocol's version; an empty payload is written as {}.
std::string write_envelope(const Envelope& envelope);

// The text of a member of a raw JSON object; empty: absent or not a string.
std::string text_member(std::string_view raw_object, std::string_view name);
// True if a member of a raw JSON object is the value true.
bool true_member(std::string_view raw_object, std::string_view name);

}  // namespace parley::agent_client
