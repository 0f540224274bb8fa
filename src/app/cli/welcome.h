// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace parley::app {

// Facts for a new user after the start.
struct WelcomeFacts {
  std::string url;                 // origin on this computer
  std::string phone_url;           // origin for another device; empty: listens on loopback only
  std::string console_path = "/";  // of the console on phone_url
  bool own_authority = false;      // phones must be told to trust the server's certificate
  std::string token;               // may be empty
  std::string phone_token;         // for phone_url, never the one above; may be empty
  std::string data;                // data directory
  bool data_is_default = true;
  std::string program;      // path of parley
  std::string mcp_program;  // path of agentassistant-mcp
};

// The text of the welcome: the link, the line for an agent's MCP configuration, and the link for a
// phone with its QR code, and the page on which a phone learns to trust the server. Contains
// both tokens, so print it only to the person at the terminal.
std::string welcome_text(const WelcomeFacts& facts, bool colour);

// A QR code in half blocks, dark on light in any colours of the terminal; std::nullopt if `text` is
// too long.
std::optional<std::string> qr_code(std::string_view text);

// "ORIGIN/?token=...", the token percent-encoded; the origin alone if there is no token.
std::string page_link(std::string_view origin, std::string_view token);

// "PAGE#/inbox?token=...&keep=1": signs a phone in and keeps it so. The token is in the fragment,
// which browsers do not send.
std::string phone_link(std::string_view page, std::string_view token);

// The line for an agent's MCP configuration.
std::string mcp_config_line(const WelcomeFacts& facts);

// The first address of this computer that other computers can reach; empty: none.
std::string outside_address();

}  // namespace parley::app
