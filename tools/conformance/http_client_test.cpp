// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/hex.h"
#include "tools/conformance/bytes.h"
#include "tools/conformance/canned_server.h"

namespace parley::conformance {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr int kHttpPatienceMs = 10'000;

struct Got {
  int status = 0;
  boost::json::object headers;
  std::string body;
  std::string error;
};

Got get(const std::string& response, HttpRequest request = {}) {
  CannedServer server([&](const std::string&) { return response; });
  Got got;
  request.path = "/x";
  auto exchange = HttpExchange::start(server.target(), request, in_ms(kHttpPatienceMs));
  if (!exchange) return {0, {}, "", exchange.error().message};
  const auto head = (*exchange)->head(in_ms(kHttpPatienceMs));
  if (!head) return {0, {}, "", head.error().message};
  const auto body = (*exchange)->body(in_ms(kHttpPatienceMs));
  got.status = head->status;
  got.headers = head->headers;
  got.body = body ? *body : "";
  got.error = body ? "" : body.error().message;
  return got;
}

TEST(HttpClient, BodyOfKnownLength_IsRead) {
  const Got got = get("HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-A: 1\r\nx-a: 2\r\n\r\nhello");
  EXPECT_EQ(got.status, 201);
  EXPECT_EQ(got.body, "hello");
  EXPECT_EQ(got.headers.at("x-a"), boost::json::value("1, 2"));
}

TEST(HttpClient, ReadsChunks) {
  const Got got =
      get("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;e=1\r\n "
          "world\r\n0\r\nT: x\r\n\r\n");
  EXPECT_EQ(got.body, "hello world");
}

TEST(HttpClient, BodyEndingWithConnection_IsRead) {
  EXPECT_EQ(get("HTTP/1.1 200 OK\r\n\r\nuntil [close]").body, "until [close]");
}

TEST(HttpClient, DecompressesGzip) {
  const std::string packed = gzip("packed text");
  const Got got = get("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " +
                      std::to_string(packed.size()) + "\r\n\r\n" + packed);
  EXPECT_EQ(got.body, "packed text");
}

TEST(HttpClient, TruncatedBody_IsError) {
  const Got got = get("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort [close]");
  EXPECT_THAT(got.error, HasSubstr("closed"));
}

TEST(HttpClient, OtherThanHttp_IsError) {
  EXPECT_THAT(get("SSH-2.0-thing\r\n").error, HasSubstr("not a response"));
}

TEST(HttpClient, AnswersToHead_HaveNoBody) {
  HttpRequest request;
  request.method = "HEAD";
  const Got got = get("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", request);
  EXPECT_EQ(got.body, "");
  EXPECT_EQ(got.error, "");
}

TEST(HttpClient, Request_IsSentAsGivenWithLength) {
  CannedServer server(
      [](const std::string&) { return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"; });
  HttpRequest request;
  request.method = "POST";
  request.path = "/p?q=1";
  request.headers = {{"X-One", "1"}};
  request.body = "body";
  {
    auto exchange = HttpExchange::start(server.target(), request, in_ms(kHttpPatienceMs));
    ASSERT_TRUE(exchange);
    ASSERT_TRUE((*exchange)->head(in_ms(kHttpPatienceMs)));
  }
  EXPECT_THAT(server.received(), StartsWith("POST /p?q=1 HTTP/1.1\r\nHost: 127.0.0.1:"));
  EXPECT_THAT(server.received(), HasSubstr("X-One: 1\r\n"));
  EXPECT_THAT(server.received(), HasSubstr("Content-Length: 4\r\n\r\nbody"));
}

TEST(Target, ReadsUrls) {
  const auto plain = Target::parse("http://127.0.0.1:22080");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->authority(), "127.0.0.1:22080");
  EXPECT_FALSE(plain->secure);
  const auto secure = Target::parse("wss://example.org/parley/");
  ASSERT_TRUE(secure);
  EXPECT_TRUE(secure->secure);
  EXPECT_EQ(secure->port, "443");
  EXPECT_EQ(secure->prefix, "/parley");
  const auto six = Target::parse("http://[::1]:80");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->authority(), "[::1]:80");
  EXPECT_FALSE(Target::parse("127.0.0.1:80"));
  EXPECT_FALSE(Target::parse("ftp://x"));
}

TEST(Bytes, HexGzipAndDeflate_RoundTrip) {
  EXPECT_EQ(core::hex_text(std::string("\x00\xff", 2)), "00ff");
  EXPECT_EQ(from_hex("00 fF").value(), std::string("\x00\xff", 2));
  EXPECT_FALSE(from_hex("0"));
  EXPECT_FALSE(from_hex("zz"));
  EXPECT_EQ(gunzip(gzip("text")).value(), "text");
  EXPECT_FALSE(gunzip("not gzip"));
  EXPECT_EQ(inflate_message(deflate_message("text")).value(), "text");
}

}  // namespace
}  // namespace parley::conformance
