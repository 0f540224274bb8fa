// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/request_state.h"

#include <sodium.h>

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <optional>

#include "base/core/assert.h"
#include "base/core/base64.h"
#include "base/core/id.h"
#include "base/core/number_text.h"

namespace parley::mcp {
namespace {

static_assert(crypto_auth_KEYBYTES == 32);

core::Result<std::string> unfit(std::string_view what) {
  return core::fail(core::Code::invalid_argument,
                    "requestState " + std::string(what) + ". Send the request again without it.",
                    "requestState");
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

RequestState::RequestState(core::Entropy& entropy) : RequestState(core::random_hex(entropy, 16)) {}

RequestState::RequestState(std::string_view key) {
  PARLEY_ASSERT(key.size() == key_.size(), "a key of the wrong length");
  std::copy(key.begin(), key.end(), key_.begin());
}

std::string RequestState::mac_of(std::string_view content, std::string_view binding) const {
  std::string text(binding);
  text.push_back('\0');
  text.append(content);
  std::array<unsigned char, crypto_auth_BYTES> mac{};
  crypto_auth(mac.data(), bytes_of(text), text.size(), key_.data());
  return core::base64url_encode({reinterpret_cast<const char*>(mac.data()), mac.size()});
}

// CONTENT.UNTIL.MAC, with the content in base64.
std::string RequestState::seal(std::string_view content, std::string_view binding,
                               core::WallTime until) const {
  const std::string body =
      core::base64_encode(content) + "." + std::to_string(core::to_unix_ms(until));
  return body + "." + mac_of(body, binding);
}

core::Result<std::string> RequestState::open(std::string_view sealed, std::string_view binding,
                                             core::WallTime now) const {
  const std::size_t end = sealed.rfind('.');
  if (end == std::string_view::npos) return unfit("is not one of this server");
  const std::string_view body = sealed.substr(0, end);
  const std::string mac = mac_of(body, binding);
  const std::string_view given = sealed.substr(end + 1);
  if (given.size() != mac.size() || sodium_memcmp(given.data(), mac.data(), mac.size()) != 0) {
    return unfit("was changed, or belongs to another request");
  }
  const std::size_t dot = body.rfind('.');
  const auto until = core::parse_number<std::int64_t>(body.substr(dot + 1));
  if (!until || *until < core::to_unix_ms(now)) return unfit("is too old");
  return core::base64_decode(body.substr(0, dot)).value_or("");
}

std::string binding_of(std::string_view sender, const Exchange& exchange) {
  boost::json::object params = exchange.params();
  for (const char* name : {"_meta", "inputResponses", "requestState"}) params.erase(name);
  return std::string(sender) + '\0' + exchange.method() + '\0' + boost::json::serialize(params);
}

core::Result<boost::json::object> input_responses_of(const Exchange& exchange) {
  const boost::json::value* given = exchange.params().if_contains("inputResponses");
  if (given == nullptr) return boost::json::object();
  if (!given->is_object()) {
    return core::fail(core::Code::invalid_argument, "inputResponses must be an object",
                      "inputResponses");
  }
  for (const auto& each : given->get_object()) {
    if (each.value().is_object()) continue;
    return core::fail(core::Code::invalid_argument,
                      "inputResponses: \"" + std::string(each.key()) + "\" must be an object",
                      "inputResponses");
  }
  return given->get_object();
}

}  // namespace parley::mcp
