// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/websocket/websocket_handshake.h"

#include <gtest/gtest.h>

namespace parley::net {
namespace {

Request good_request() {
  Request request;
  request.method = "GET";
  request.headers.add("Host", "server.example");
  request.headers.add("Upgrade", "WebSocket");
  request.headers.add("Connection", "keep-alive, Upgrade");
  request.headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  request.headers.add("Sec-WebSocket-Version", "13");
  return request;
}

int status_of_refusal(const Request& request, const WebSocketOptions& options = {}) {
  const auto answer = answer_handshake(request, options);
  return answer ? 0 : answer.error().status;
}

TEST(AnswerHandshake, StandardExample_IsAccepted) {
  const auto answer = answer_handshake(good_request(), {});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->head("X-Request-Id: 7\r\n"),
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nX-Request-Id: 7\r\n\r\n");
  EXPECT_TRUE(wants_websocket(good_request()));
  EXPECT_FALSE(wants_websocket(Request{}));
}

TEST(AnswerHandshake, OtherThanHandshake_IsRefused) {
  Request request = good_request();
  request.method = "POST";
  EXPECT_EQ(status_of_refusal(request), 405);
  request = good_request();
  request.headers.set("Connection", "close");
  EXPECT_EQ(status_of_refusal(request), 400);
  for (const char* key : {"", "short", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZSE=",
                          "dGhlIHNhbXBsZSBub25j!Q=="}) {
    request = good_request();
    request.headers.set("Sec-WebSocket-Key", key);
    EXPECT_EQ(status_of_refusal(request), 400) << key;
  }
  request = good_request();
  request.headers.add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
  EXPECT_EQ(status_of_refusal(request), 400) << "two keys";
}

TEST(AnswerHandshake, OtherVersion_IsToldSupportedVersion) {
  for (const char* version : {"8", "12", "14", ""}) {
    Request request = good_request();
    request.headers.set("Sec-WebSocket-Version", version);
    const auto answer = answer_handshake(request, {});
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().status, 426);
    EXPECT_EQ(answer.error().headers.get("Sec-WebSocket-Version"), "13");
  }
}

TEST(AnswerHandshake, FirstServerSubprotocolOffered_IsChosen) {
  Request request = good_request();
  request.headers.add("Sec-WebSocket-Protocol", "chat.v1 , loom");
  request.headers.add("Sec-WebSocket-Protocol", "assist");
  WebSocketOptions options;
  options.subprotocols = {"other", "assist", "loom"};
  EXPECT_EQ(answer_handshake(request, options)->subprotocol, "assist");
  options.subprotocols = {"Loom"};
  EXPECT_EQ(answer_handshake(request, options)->subprotocol, "") << "names are exact";
}

TEST(AnswerHandshake, Compression_NeedsBothSides) {
  Request request = good_request();
  EXPECT_EQ(answer_handshake(request, {})->extensions, "");
  request.headers.add("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits");
  const auto answer = answer_handshake(request, {});
  ASSERT_TRUE(answer->deflate.has_value());
  EXPECT_NE(answer->head().find("Sec-WebSocket-Extensions: permessage-deflate; server_no"),
            std::string::npos);
  WebSocketOptions plain;
  plain.compression = false;
  EXPECT_FALSE(answer_handshake(request, plain)->deflate.has_value());
}

}  // namespace
}  // namespace parley::net
