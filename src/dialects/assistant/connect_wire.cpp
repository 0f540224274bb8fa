// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/assistant/connect_wire.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/core/json_writer.h"
#include "base/net/http/compression.h"
#include "dialects/assistant/codec.h"
#include "simdjson.h"

namespace parley::assistant {
namespace {

using core::Code;

// Limit (The assistant dialect): digits of `Connect-Timeout-Ms`. Reached: `invalid_argument`.
constexpr std::size_t kMaxTimeoutDigits = 10;
constexpr std::size_t kWorthGzip = 1'024;
constexpr std::size_t kMaxQuotedType = 80;

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(x) == lower(y);
  });
}

std::string_view media_type(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.remove_suffix(1);
  return type;
}

core::Result<void> read_json(std::string_view body, google::protobuf::Message& out) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(body.data(), body.size());
  simdjson::dom::element root;
  if (const auto error = parser.parse(padded).get(root); error != simdjson::SUCCESS) {
    return core::fail(Code::invalid_argument,
                      std::string("The body is not JSON: ") + simdjson::error_message(error));
  }
  if (!root.is_object()) {
    return core::fail(Code::invalid_argument, "The body must be a JSON object.");
  }
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(body.data(), body.size()), &out, options);
  if (status.ok()) return {};
  return core::fail(Code::invalid_argument,
                    "The body does not match the message type: " + std::string(status.message()));
}

}  // namespace

std::optional<RpcCodec> rpc_codec_of(std::string_view content_type) {
  const std::string_view type = media_type(content_type);
  if (same_word(type, "application/proto")) return RpcCodec::proto;
  if (same_word(type, "application/json")) return RpcCodec::json;
  return std::nullopt;
}

std::string_view content_type_of(RpcCodec codec) {
  return codec == RpcCodec::proto ? "application/proto" : "application/json";
}

core::Result<void> check_protocol_version(const net::Headers& headers) {
  constexpr std::string_view kName = "Connect-Protocol-Version";
  if (!headers.has(kName) || headers.get(kName) == "1") return {};
  return core::fail(Code::invalid_argument, "Connect-Protocol-Version must be 1.",
                    std::string(kName));
}

core::Result<std::optional<core::Millis>> rpc_timeout_of(const net::Headers& headers) {
  constexpr std::string_view kName = "Connect-Timeout-Ms";
  if (!headers.has(kName)) return std::optional<core::Millis>();
  const std::string_view text = headers.get(kName);
  const bool digits =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.size() > kMaxTimeoutDigits || !digits || read.ec != std::errc()) {
    return core::fail(Code::invalid_argument,
                      "Connect-Timeout-Ms must be a whole number of at most ten digits.",
                      std::string(kName));
  }
  return std::optional<core::Millis>(core::Millis(value));
}

core::Result<std::string> rpc_token_of(const net::Request& request, std::string_view in_message) {
  std::string outside = request.token();
  if (!outside.empty() && !in_message.empty() && outside != in_message) {
    return core::fail(Code::unauthenticated,
                      "The token of the request and UserToken of the message must be the same.");
  }
  return outside.empty() ? std::string(in_message) : outside;
}

core::Result<std::string> rpc_body_of(net::Request& request, std::size_t limit) {
  const std::string_view encoding = request.headers.get("Content-Encoding");
  if (encoding.empty() || same_word(encoding, "identity")) {
    if (request.body.size() <= limit) return std::move(request.body);
    return core::fail(Code::resource_exhausted,
                      "The message is larger than " + std::to_string(limit) + " bytes.");
  }
  if (!same_word(encoding, "gzip")) {
    return core::fail(Code::unimplemented,
                      "This Content-Encoding is not supported; use gzip or identity.");
  }
  return net::gunzip(request.body, limit, net::GzipMembers::several);
}

core::Result<void> read_message(RpcCodec codec, std::string_view body,
                                google::protobuf::Message& out) {
  if (codec == RpcCodec::json) return read_json(body, out);
  const bool fits = body.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (fits && out.ParseFromArray(body.data(), static_cast<int>(body.size()))) return {};
  return core::fail(Code::invalid_argument,
                    "The body is not a " + out.GetDescriptor()->name() + " message.");
}

std::string write_message(RpcCodec codec, const google::protobuf::Message& message) {
  if (codec == RpcCodec::proto) return encode(message);
  std::string out;
  // Fails only for messages with Any in them; there are none.
  if (!google::protobuf::util::MessageToJsonString(message, &out).ok()) out = "{}";
  return out;
}

net::Response rpc_answer(RpcCodec codec, bool accepts_gzip,
                         const google::protobuf::Message& message) {
  net::Response response;
  response.status = 200;
  response.headers.set("Content-Type", std::string(content_type_of(codec)));
  response.body = write_message(codec, message);
  if (accepts_gzip && response.body.size() >= kWorthGzip &&
      response.body.size() <= net::kMaxCompressedBytes) {
    std::optional<std::string> packed = net::gzip(response.body);
    if (packed && packed->size() < response.body.size()) {
      response.body = std::move(*packed);
      response.headers.set("Content-Encoding", "gzip");
    }
  }
  return response;
}

net::Response rpc_error(const core::Error& error) {
  net::Response response;
  response.status = core::http_status(error.code);
  response.headers.set("Content-Type", "application/json");
  core::JsonWriter json(response.body);
  json.begin_object();
  json.key("code").string(core::code_name(error.code));
  json.key("message").string(error.message);
  json.end_object();
  return response;
}

net::Response rpc_unsupported_type(std::string_view content_type) {
  const bool grpc =
      content_type.size() >= 16 && same_word(content_type.substr(0, 16), "application/grpc");
  std::string message = grpc ? "gRPC and gRPC-Web are not supported"
                             : "This Content-Type is not supported: \"" +
                                   std::string(content_type.substr(0, kMaxQuotedType)) + "\"";
  message += "; use the Connect protocol with application/proto or application/json.";
  net::Response response = rpc_error({Code::unimplemented, std::move(message)});
  response.status = 415;
  response.headers.set("Accept-Post", "application/json, application/proto");
  return response;
}

net::Response rpc_unknown_method(std::string_view path) {
  net::Response response =
      rpc_error({Code::unimplemented,
                 "There is no method " + std::string(path.substr(0, kMaxQuotedType)) + "."});
  response.status = 404;
  return response;
}

}  // namespace parley::assistant
