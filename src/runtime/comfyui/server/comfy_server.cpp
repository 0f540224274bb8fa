// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/server/comfy_server.h"

#include <algorithm>
#include <utility>

#include "base/core/utf8.h"

namespace parley::comfyui {
namespace {

using core::Code;
using core::Result;

bool is_key_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

Result<void> refuse(std::string message, std::string_view field) {
  return core::fail(Code::invalid_argument, std::move(message), std::string(field));
}

Result<void> take_text(const std::optional<std::string>& given, std::size_t limit,
                       std::string_view field, std::string& to) {
  if (!given) return {};
  if (given->size() > limit || !core::is_utf8(*given)) {
    return refuse("\"" + std::string(field) + "\" must be UTF-8 of at most " +
                      std::to_string(limit) + " bytes.",
                  field);
  }
  to = *given;
  return {};
}

Result<void> take_number(const std::optional<std::int64_t>& given, std::int64_t min,
                         std::int64_t max, std::string_view field, std::int64_t& to) {
  if (!given) return {};
  if (*given < min || *given > max) {
    return refuse("\"" + std::string(field) + "\" must be a whole number from " +
                      std::to_string(min) + " to " + std::to_string(max) + ".",
                  field);
  }
  to = *given;
  return {};
}

std::string key_of(const ServerAddress& address) {
  std::string key = address.authority + address.prefix;
  std::replace_if(
      key.begin(), key.end(), [](char c) { return !is_key_character(c); }, '-');
  return key.substr(0, kMaxServerKeyBytes);
}

Result<void> take_address(const ServerDraft& draft, ComfyServer& server) {
  if (!draft.base_url) {
    return server.base_url.empty() ? refuse("\"baseUrl\" is missing.", "baseUrl") : Result<void>();
  }
  if (*draft.base_url == server.base_url) return {};
  if (draft.base_url->size() > kMaxServerUrlBytes) {
    return refuse("\"baseUrl\" may have at most " + std::to_string(kMaxServerUrlBytes) + " bytes.",
                  "baseUrl");
  }
  Result<ServerAddress> address = ServerAddress::parse(*draft.base_url);
  if (!address) return refuse("\"baseUrl\": " + address.error().message, "baseUrl");
  server.address = std::move(*address);
  server.base_url = *draft.base_url;
  server.credentials = {};
  return {};
}

Result<void> take_key(const ServerDraft& draft, ComfyServer& server) {
  if (!draft.key) {
    if (server.key.empty()) server.key = key_of(server.address);
    return {};
  }
  if (draft.key->empty() || draft.key->size() > kMaxServerKeyBytes ||
      !std::all_of(draft.key->begin(), draft.key->end(), is_key_character)) {
    return refuse("\"serverKey\" must have 1 to " + std::to_string(kMaxServerKeyBytes) +
                      " characters of A-Z a-z 0-9 . _ -",
                  "serverKey");
  }
  server.key = *draft.key;
  return {};
}

Result<void> take_credentials(const ServerDraft& draft, ComfyServer& server) {
  const std::string mode =
      draft.auth_mode.value_or(std::string(server.credentials.none() ? kNoAuth : kBasicAuth));
  if (mode == kNoAuth || mode.empty()) {
    if (draft.api_key && !draft.api_key->empty()) {
      return refuse("\"apiKey\" is allowed only with \"authMode\" \"basic_auth\".", "authMode");
    }
    server.credentials = {};
    return {};
  }
  if (mode != kBasicAuth) {
    return refuse("\"authMode\" must be \"null\" or \"basic_auth\".", "authMode");
  }
  if (!draft.api_key) {
    return server.credentials.none()
               ? refuse("The authMode \"basic_auth\" needs \"apiKey\", as user:password.", "apiKey")
               : Result<void>();
  }
  const std::size_t colon = draft.api_key->find(':');
  if (draft.api_key->size() > kMaxServerSecretBytes || colon == std::string::npos || colon == 0) {
    return refuse("\"apiKey\" must be user:password, of at most " +
                      std::to_string(kMaxServerSecretBytes) + " bytes.",
                  "apiKey");
  }
  Credentials credentials;
  credentials.user = draft.api_key->substr(0, colon);
  credentials.password = draft.api_key->substr(colon + 1);
  if (!credentials.check()) return refuse("\"apiKey\" has a control character.", "apiKey");
  server.credentials = std::move(credentials);
  return {};
}

}  // namespace

std::string_view health_name(Health health) {
  switch (health) {
    case Health::healthy:
      return "HEALTHY";
    case Health::unhealthy:
      return "UNHEALTHY";
    case Health::unknown:
      break;
  }
  return "UNKNOWN";
}

ClientOptions ComfyServer::client_options() const {
  ClientOptions options;
  options.credentials = credentials;
  options.request_timeout = core::Millis(timeout_seconds * 1'000);
  options.connect_timeout = std::min(options.connect_timeout, options.request_timeout);
  options.max_retries = static_cast<int>(max_retries);
  return options;
}

Result<void> apply(const ServerDraft& draft, ComfyServer& server) {
  Result<void> taken = take_address(draft, server);
  if (taken) taken = take_key(draft, server);
  if (taken) taken = take_credentials(draft, server);
  if (taken) taken = take_text(draft.name, kMaxServerNameBytes, "serverName", server.name);
  if (taken) {
    taken =
        take_text(draft.description, kMaxServerDescriptionBytes, "description", server.description);
  }
  if (taken) {
    taken = take_number(draft.timeout_seconds, 1, kMaxServerTimeoutSeconds, "timeoutSeconds",
                        server.timeout_seconds);
  }
  if (taken) {
    taken = take_number(draft.max_retries, 0, kMaxServerRetries, "maxRetries", server.max_retries);
  }
  if (!taken) return taken;
  if (server.name.empty()) server.name = server.key;
  server.enabled = draft.enabled.value_or(server.enabled);
  return {};
}

Result<ComfyServer> server_of_settings(const std::string& base_url) {
  ComfyServer server;
  ServerDraft draft;
  draft.base_url = base_url;
  if (Result<void> taken = apply(draft, server); !taken) {
    return core::fail(Code::invalid_argument, "comfyui: " + base_url + ": " + taken.error().message,
                      "comfyui");
  }
  server.id = "settings-" + server.key;
  server.from_settings = true;
  return server;
}

}  // namespace parley::comfyui
