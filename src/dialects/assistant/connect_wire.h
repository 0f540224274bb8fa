// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/net/http/http.h"

namespace parley::assistant {

// The Connect protocol's unary form, as pure functions over headers and bytes.
// https://connectrpc.com/docs/protocol

enum class RpcCodec : std::uint8_t { proto, json };

// Codec of a `Content-Type`, parameters ignored; std::nullopt if it is not served.
std::optional<RpcCodec> rpc_codec_of(std::string_view content_type);
std::string_view content_type_of(RpcCodec codec);

// Checks Connect-Protocol-Version (missing or "1"). Errors: `invalid_argument`.
core::Result<void> check_protocol_version(const net::Headers& headers);
// Value of Connect-Timeout-Ms, at most ten digits; std::nullopt if the header is missing. Errors:
// `invalid_argument`.
core::Result<std::optional<core::Millis>> rpc_timeout_of(const net::Headers& headers);
// The token of `Authorization: Bearer`, of `?token=`, or of the message; several are accepted if
// they are the same. Errors: `unauthenticated`.
core::Result<std::string> rpc_token_of(const net::Request& request, std::string_view in_message);

// The body without its Content-Encoding. Errors: `unimplemented` (an encoding other than gzip),
// `invalid_argument` (not gzip), `resource_exhausted` (more than `limit` bytes).
core::Result<std::string> rpc_body_of(net::Request& request, std::size_t limit);

// Reads a message. JSON must be strict (RFC 8259); unknown fields are ignored, and both spellings
// of a name are accepted. Errors: `invalid_argument`.
core::Result<void> read_message(RpcCodec codec, std::string_view body,
                                google::protobuf::Message& out);
std::string write_message(RpcCodec codec, const google::protobuf::Message& message);

// 200 with a message, gzipped if `accepts_gzip` and that makes a body of suitable size smaller.
net::Response rpc_answer(RpcCodec codec, bool accepts_gzip,
                         const google::protobuf::Message& message);
// {"code","message"} with the HTTP status of the code.
net::Response rpc_error(const core::Error& error);
// 415 with Accept-Post; its message names the alternative to gRPC.
net::Response rpc_unsupported_type(std::string_view content_type);
// 404: the service has no such method.
net::Response rpc_unknown_method(std::string_view path);

}  // namespace parley::assistant
