// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http_answer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/core/time_text.h"
#include "base/net/http/compression.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

constexpr std::string_view kAllowedFields =
    "Authorization, Connect-Protocol-Version, Connect-Timeout-Ms, Content-Encoding, Content-Type, "
    "Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Request-Id";
// Fields with names that a tool's schema chooses (MCP).
constexpr std::string_view kParameterPrefix = "mcp-param-";
constexpr std::string_view kExposedFields =
    "Connect-Protocol-Version, Content-Encoding, Mcp-Session-Id, Retry-After, WWW-Authenticate, "
    "X-Request-Id";
constexpr std::string_view kPreflightSeconds = "7200";
constexpr std::string_view kStrictTransport = "max-age=15552000";  // 180 days
constexpr std::string_view kApiPolicy = "default-src 'none'; frame-ancestors 'none'";

void add_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append(": ").append(value).append("\r\n");
}

bool is_own_field(std::string_view name) {
  static constexpr std::array<std::string_view, 8> kOwn = {
      "Connection", "Content-Length",    "Date", "Keep-Alive",
      "Server",     "Transfer-Encoding", "Vary", "X-Request-Id"};
  return std::any_of(kOwn.begin(), kOwn.end(),
                     [&](std::string_view own) { return equals_ignoring_case(own, name); });
}

bool is_sendable(std::string_view name, std::string_view value) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token_char) &&
         std::none_of(value.begin(), value.end(), is_bad_text);
}

void add_security_fields(std::string& out, const Headers& headers, bool strict_transport) {
  if (strict_transport) add_field(out, "Strict-Transport-Security", kStrictTransport);
  const auto add_unless_set = [&](std::string_view name, std::string_view value) {
    if (!headers.has(name)) add_field(out, name, value);
  };
  add_unless_set("X-Content-Type-Options", "nosniff");
  add_unless_set("Referrer-Policy", "no-referrer");
  add_unless_set("X-Frame-Options", "DENY");
  add_unless_set("Content-Security-Policy", kApiPolicy);
  // An answer may contain data of one token: not cached unless the handler has set the field.
  add_unless_set("Cache-Control", "no-store");
}

void add_vary(std::string& out, const Headers& headers, bool has_origin) {
  std::string vary;
  for (const auto& [name, value] : headers.all()) {
    if (!equals_ignoring_case(name, "Vary") || !is_sendable(name, value)) continue;
    if (!vary.empty()) vary.append(", ");
    vary.append(value);
  }
  if (has_origin) vary.append(vary.empty() ? "Origin" : ", Origin");
  if (!vary.empty()) add_field(out, "Vary", vary);
}

}  // namespace

bool is_bodyless(int status) { return status < 200 || status == 204 || status == 304; }

void compress_if_worthwhile(Response& response, const AnswerContext& context) {
  if (response.body.size() < kMinCompressedBytes || response.body.size() > kMaxCompressedBytes ||
      is_bodyless(response.status) || response.status == 206 ||
      response.headers.has("Content-Encoding") ||
      response.headers.lists("Cache-Control", "no-transform") ||
      !is_compressible(response.headers.get("Content-Type"))) {
    return;
  }
  response.headers.add("Vary", "Accept-Encoding");
  if (!context.takes_gzip) return;
  std::optional<std::string> packed = gzip(response.body);
  if (!packed || packed->size() >= response.body.size()) return;
  response.body = std::move(*packed);
  response.headers.set("Content-Encoding", "gzip");
  const std::string tag(response.headers.get("ETag"));
  if (tag.starts_with('"')) response.headers.set("ETag", "W/" + tag);
}

std::string render_head(const Response& response, const AnswerContext& context, BodyFraming framing,
                        std::string_view date) {
  std::string out;
  out.reserve(512);
  out.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  out.append(reason_phrase(response.status)).append("\r\n");
  add_field(out, "Date", date);
  add_field(out, "Server", "parley");
  add_field(out, "X-Request-Id", context.request_id);
  for (const auto& [name, value] : response.headers.all()) {
    if (!is_own_field(name) && is_sendable(name, value)) add_field(out, name, value);
  }
  add_security_fields(out, response.headers, context.strict_transport);
  add_vary(out, response.headers, context.has_origin);
  if (!context.allowed_origin.empty()) {
    add_field(out, "Access-Control-Allow-Origin", context.allowed_origin);
    add_field(out, "Access-Control-Expose-Headers", kExposedFields);
  }
  if (!context.keep_alive) {
    add_field(out, "Connection", "close");
  } else if (!context.http_1_1) {
    add_field(out, "Connection", "keep-alive");
  }
  if (framing == BodyFraming::chunked) {
    add_field(out, "Transfer-Encoding", "chunked");
  } else if (framing == BodyFraming::sized && !is_bodyless(response.status)) {
    add_field(out, "Content-Length", std::to_string(response.content().size()));
  }
  out.append("\r\n");
  return out;
}

std::string_view DateField::at(core::WallTime now) {
  const std::int64_t second = core::to_unix_s(now);
  if (text_.empty() || second != second_) {
    text_ = core::http_date(now);
    second_ = second;
  }
  return text_;
}

void add_preflight_fields(Response& response, std::string_view methods, std::string_view asked) {
  response.headers.set("Access-Control-Allow-Methods", std::string(methods));
  std::string fields(kAllowedFields);
  each_list_item(asked, [&fields](const ListItem& item) {
    const bool token = std::all_of(item.token.begin(), item.token.end(), is_token_char);
    if (token && lower_case(item.token).starts_with(kParameterPrefix)) {
      fields.append(", ").append(item.token);
    }
  });
  response.headers.set("Access-Control-Allow-Headers", std::move(fields));
  response.headers.set("Access-Control-Max-Age", std::string(kPreflightSeconds));
}

std::string chunk_line(std::size_t size) {
  std::array<char, 2 * sizeof(size)> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size, 16).ptr;
  std::string out(digits.data(), end);
  out.append("\r\n");
  return out;
}

}  // namespace parley::net
