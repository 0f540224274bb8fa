// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "runtime/comfyui/comfy_client.h"
#include "runtime/comfyui/server_address.h"

namespace parley::comfyui {

// Limit (ComfyUI servers and their tools): serverKey. Reached: 400, with the field.
inline constexpr std::size_t kMaxServerKeyBytes = 64;
// Limit (ComfyUI servers and their tools): serverName. Reached: 400.
inline constexpr std::size_t kMaxServerNameBytes = 256;
// Limit (ComfyUI servers and their tools): description. Reached: 400.
inline constexpr std::size_t kMaxServerDescriptionBytes = 4U << 10U;
// Limit (ComfyUI servers and their tools): baseUrl. Reached: 400.
inline constexpr std::size_t kMaxServerUrlBytes = 1U << 10U;
// Limit (ComfyUI servers and their tools): apiKey. Reached: 400.
inline constexpr std::size_t kMaxServerSecretBytes = 1U << 10U;
// Limit (ComfyUI servers and their tools): timeoutSeconds, from 1. Reached: 400.
inline constexpr std::int64_t kMaxServerTimeoutSeconds = 300;  // of one request; the least is 1
inline constexpr std::int64_t kDefaultServerTimeoutSeconds = 30;
// Limit (ComfyUI servers and their tools): maxRetries, from 0. Reached: 400.
inline constexpr std::int64_t kMaxServerRetries = 5;
inline constexpr std::int64_t kDefaultServerRetries = 2;

enum class Health : std::uint8_t { unknown, healthy, unhealthy };
std::string_view health_name(Health health);  // "UNKNOWN", "HEALTHY", "UNHEALTHY"

// A registered ComfyUI server. Immutable once it is shared.
struct ComfyServer {
  std::string id;   // a number; for a server of the settings "settings-" and its key
  std::string key;  // unique; A-Z a-z 0-9 . _ -
  std::string name;
  std::string description;
  std::string base_url;
  ServerAddress address;    // of base_url
  Credentials credentials;  // sent to this server only
  std::int64_t timeout_seconds = kDefaultServerTimeoutSeconds;
  std::int64_t max_retries = kDefaultServerRetries;
  bool enabled = true;
  bool from_settings = false;  // not in the database; read-only here
  std::int64_t created_at_ms = 0;
  std::int64_t updated_at_ms = 0;
  // Result of the last check since the start.
  Health health = Health::unknown;
  std::optional<std::int64_t> checked_at_ms = {};

  // Options for a ComfyClient of this server.
  ClientOptions client_options() const;
};
using ServerPtr = std::shared_ptr<const ComfyServer>;

// Members of a server as given by a caller. Absent: the default for a new server, no change for an
// existing one.
struct ServerDraft {
  std::optional<std::string> key;  // for a new server: derived from the address
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> base_url;
  std::optional<std::string> auth_mode;  // kNoAuth, kBasicAuth
  std::optional<std::string> api_key;    // of kBasicAuth: "user:password"
  std::optional<std::int64_t> timeout_seconds;
  std::optional<std::int64_t> max_retries;
  std::optional<bool> enabled;
};
inline constexpr std::string_view kNoAuth = "null";
inline constexpr std::string_view kBasicAuth = "basic_auth";

// Errors: `invalid_argument`, with the member's name on the wire as field ("baseUrl"). Messages
// never contain secrets. A server whose address changes loses its credentials unless the draft has
// new ones, because they belong to the old address.
core::Result<void> apply(const ServerDraft& draft, ComfyServer& server);

// The server for one address of the settings. Errors: `invalid_argument`.
core::Result<ComfyServer> server_of_settings(const std::string& base_url);

}  // namespace parley::comfyui
