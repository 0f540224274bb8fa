// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_handshake.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/core/base64.h"
#include "base/net/http/http_text.h"

namespace parley::net {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::string_view kVersion = "13";
// 16 bytes in base64.
constexpr std::size_t kKeySize = 24;

bool is_key(std::string_view key) {
  return key.size() == kKeySize && key.ends_with("==") && core::is_base64(key);
}

Response refuse(int status, std::string message) {
  Response response = Response::text(status, std::move(message));
  if (status == 426) {
    response.headers.add("Sec-WebSocket-Version", std::string(kVersion));
    response.headers.add("Upgrade", "websocket");
  }
  if (status == 405) response.headers.add("Allow", "GET");
  return response;
}

// All values of a field that may be repeated, as one list.
std::string joined(const Headers& headers, std::string_view name) {
  std::string list;
  for (const auto& [field, value] : headers.all()) {
    if (!equals_ignoring_case(field, name)) continue;
    if (!list.empty()) list.append(", ");
    list.append(value);
  }
  return list;
}

// The first subprotocol of the server's list that the client offers.
std::string choose_subprotocol(const Headers& headers, const std::vector<std::string>& known) {
  const std::string offered = joined(headers, "Sec-WebSocket-Protocol");
  for (const std::string& protocol : known) {
    std::string_view rest = offered;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (trim(rest.substr(0, comma)) == protocol) return protocol;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return {};
}

}  // namespace

std::string websocket_accept(std::string_view key) {
  std::string text(key);
  text.append(kGuid);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha1(), nullptr);
  return core::base64_encode({reinterpret_cast<const char*>(digest.data()), size});
}

std::string HandshakeAnswer::head(std::string_view extra) const {
  std::string text =
      "HTTP/1.1 101 Switching Protocols\r\n"
      "Upgrade: websocket\r\n"
      "Connection: Upgrade\r\n"
      "Sec-WebSocket-Accept: ";
  text.append(accept).append("\r\n");
  if (!subprotocol.empty()) text.append("Sec-WebSocket-Protocol: " + subprotocol + "\r\n");
  if (!extensions.empty()) text.append("Sec-WebSocket-Extensions: " + extensions + "\r\n");
  text.append(extra).append("\r\n");
  return text;
}

bool wants_websocket(const Request& request) {
  return request.headers.lists("Upgrade", "websocket");
}

tl::expected<HandshakeAnswer, Response> answer_handshake(const Request& request,
                                                         const WebSocketOptions& options) {
  const auto no = [](int status, const char* message) {
    return tl::unexpected<Response>(refuse(status, message));
  };
  if (request.method != "GET") return no(405, "The method of a WebSocket request must be GET.\n");
  if (!wants_websocket(request)) return no(426, "This path accepts only WebSocket connections.\n");
  if (!request.headers.lists("Connection", "upgrade")) {
    return no(400, "The Connection header must list \"Upgrade\".\n");
  }
  if (request.headers.get("Sec-WebSocket-Version") != kVersion) {
    return no(426, "Sec-WebSocket-Version must be 13.\n");
  }
  const std::string key = joined(request.headers, "Sec-WebSocket-Key");
  if (!is_key(key)) return no(400, "Sec-WebSocket-Key must be 16 bytes in base64.\n");
  HandshakeAnswer answer;
  answer.accept = websocket_accept(key);
  answer.subprotocol = choose_subprotocol(request.headers, options.subprotocols);
  if (options.compression) {
    auto deflate = negotiate_deflate(joined(request.headers, "Sec-WebSocket-Extensions"));
    if (deflate) {
      answer.deflate = deflate->params;
      answer.extensions = std::move(deflate->header);
    }
  }
  return answer;
}

}  // namespace parley::net
