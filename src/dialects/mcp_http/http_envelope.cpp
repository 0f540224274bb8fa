// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/mcp_http/http_envelope.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <utility>

#include "agents/mcp/mcp_revision.h"
#include "base/core/ascii.h"
#include "base/core/base64.h"
#include "base/core/json_member.h"
#include "base/core/number_text.h"
#include "base/core/result.h"

namespace parley::mcp_http {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::string_view kBase64Begin = "=?base64?";
constexpr std::string_view kBase64End = "?=";

// The parameter whose value the field Mcp-Name repeats, by method.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kNamed = {{
    {"tools/call", "name"},
    {"prompts/get", "name"},
    {"resources/read", "uri"},
    {"tasks/get", "taskId"},
    {"tasks/update", "taskId"},
    {"tasks/cancel", "taskId"},
}};

const object& params_of(const mcp::RpcMessage& message) {
  static const object kNone;
  const object* params = message.params.if_object();
  return params == nullptr ? kNone : *params;
}

core::Result<void> mismatch(std::string_view field, std::string_view what) {
  return core::fail(core::Code::invalid_argument,
                    "The header " + std::string(field) + " " + std::string(what) + ".",
                    std::string(field));
}

// Checks one required field against the text in the body.
core::Result<void> check_field(const net::Headers& headers, std::string_view field,
                               std::string_view expected) {
  if (!headers.has(field)) return mismatch(field, "is missing");
  const std::optional<std::string> given = decode_field(headers.get(field));
  if (!given) return mismatch(field, "is not valid base64 between =?base64? and ?=");
  if (*given != expected) return mismatch(field, "differs from the body");
  return {};
}

bool equals(const value& in_body, std::string_view given) {
  if (in_body.is_string()) return std::string_view(in_body.get_string()) == given;
  if (in_body.is_bool()) return given == (in_body.get_bool() ? "true" : "false");
  if (in_body.is_int64()) return core::parse_number<std::int64_t>(given) == in_body.get_int64();
  if (in_body.is_uint64()) return core::parse_number<std::uint64_t>(given) == in_body.get_uint64();
  return boost::json::serialize(in_body) == given;
}

core::Result<void> check_mirrored(const net::Headers& headers, const object& params,
                                  const mcp::MirroredArgument& mirrored) {
  const std::string field = std::string(kParameterPrefix) + mirrored.field;
  const value* at = params.if_contains("arguments");
  for (const std::string& name : mirrored.path) {
    at = at == nullptr || !at->is_object() ? nullptr : at->get_object().if_contains(name);
  }
  if (at == nullptr || at->is_null()) return {};
  if (!headers.has(field)) return mismatch(field, "is missing");
  const std::optional<std::string> given = decode_field(headers.get(field));
  if (!given) return mismatch(field, "is not valid base64 between =?base64? and ?=");
  if (!equals(*at, *given)) return mismatch(field, "differs from the body");
  return {};
}

std::string revision_in_body(const mcp::RpcMessage& message) {
  const value* meta = params_of(message).if_contains("_meta");
  if (meta == nullptr || !meta->is_object()) return {};
  return core::string_member(meta->get_object(), mcp::kVersionKey);
}

}  // namespace

bool names_revision(const mcp::RpcMessage& message) {
  const value* meta = params_of(message).if_contains("_meta");
  return meta != nullptr && meta->is_object() && meta->get_object().contains(mcp::kVersionKey);
}

bool is_modern(const net::Headers& headers, const mcp::RpcMessage& message) {
  if (names_revision(message)) return true;
  return headers.has(kVersionField) && !mcp::is_legacy(headers.get(kVersionField));
}

std::optional<std::string> decode_field(std::string_view value) {
  const std::string_view text = core::trimmed(value);
  const bool encoded = text.size() >= kBase64Begin.size() + kBase64End.size() &&
                       text.starts_with(kBase64Begin) && text.ends_with(kBase64End);
  if (!encoded) return std::string(text);
  const std::string_view inside =
      text.substr(kBase64Begin.size(), text.size() - kBase64Begin.size() - kBase64End.size());
  if (inside.size() % 4 != 0 || !core::is_base64(inside)) return std::nullopt;
  return core::base64_decode(inside);
}

core::Result<void> check_fields(const net::Headers& headers, const mcp::RpcMessage& message,
                                const std::vector<mcp::MirroredArgument>& mirrored) {
  const object& params = params_of(message);
  if (names_revision(message)) {
    PARLEY_TRY_VOID(check_field(headers, kVersionField, revision_in_body(message)));
  }
  PARLEY_TRY_VOID(check_field(headers, kMethodField, message.method));
  for (const auto& [method, member] : kNamed) {
    if (message.method != method) continue;
    const std::string name = core::string_member(params, member);
    if (!name.empty()) PARLEY_TRY_VOID(check_field(headers, kNameField, name));
  }
  for (const mcp::MirroredArgument& each : mirrored) {
    PARLEY_TRY_VOID(check_mirrored(headers, params, each));
  }
  return {};
}

bool accepts_answers(const net::Headers& headers) {
  if (!headers.has("Accept") || headers.lists("Accept", "*/*")) return true;
  const bool json =
      headers.lists("Accept", "application/json") || headers.lists("Accept", "application/*");
  const bool stream =
      headers.lists("Accept", "text/event-stream") || headers.lists("Accept", "text/*");
  return json && stream;
}

int status_of(int error, bool modern, bool envelope) {
  switch (error) {
    case 0:
      return 200;
    case mcp::kParseError:
      return 400;
    case mcp::kInvalidRequest:
    case mcp::kHeaderMismatch:
    case mcp::kMissingCapability:
    case mcp::kUnsupportedRevision:
      return modern || envelope ? 400 : 200;
    case mcp::kMethodNotFound:
      return modern ? 404 : 200;
    case mcp::kInvalidParams:
      return modern && envelope ? 400 : 200;
    default:
      return 200;
  }
}

}  // namespace parley::mcp_http
