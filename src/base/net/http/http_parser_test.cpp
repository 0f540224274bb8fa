// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http_parser.h"

#include <gtest/gtest.h>

#include <vector>

namespace parley::net {
namespace {

HttpParserLimits small_limits() {
  HttpParserLimits limits;
  limits.max_target_bytes = 64;
  limits.max_header_bytes = 512;
  limits.max_header_fields = 8;
  limits.max_body_bytes = 32;
  return limits;
}

struct Outcome {
  std::vector<ParsedRequest> requests;
  HttpParser::State state = HttpParser::State::idle;
  int status = 0;
};

// Feeds `wire` in pieces of `step` bytes.
Outcome read_all(std::string_view wire, std::size_t step, HttpParserLimits limits) {
  HttpParser parser(limits);
  Outcome out;
  for (std::size_t at = 0; at < wire.size() && parser.state() != HttpParser::State::failed;) {
    std::string_view piece = wire.substr(at, step);
    at += piece.size();
    while (!piece.empty() && parser.state() != HttpParser::State::failed) {
      piece.remove_prefix(parser.feed(piece));
      if (parser.state() == HttpParser::State::complete) out.requests.push_back(parser.take());
    }
  }
  out.state = parser.state();
  out.status = parser.status();
  return out;
}

std::string repeat(char c, std::size_t count) { return std::string(count, c); }

TEST(HttpParser, RequestWithoutBody_IsRead) {
  const Outcome out =
      read_all("GET /a?b=c HTTP/1.1\r\nHost: h\r\nX-Two:  v w \t\r\n\r\n", 1'000, {});
  ASSERT_EQ(out.requests.size(), 1U);
  EXPECT_EQ(out.requests[0].method, "GET");
  EXPECT_EQ(out.requests[0].target, "/a?b=c");
  EXPECT_EQ(out.requests[0].headers.get("x-two"), "v w");
  EXPECT_TRUE(out.requests[0].http_1_1);
  EXPECT_TRUE(out.requests[0].keep_alive);
  EXPECT_EQ(out.state, HttpParser::State::idle);
}

TEST(HttpParser, AnyCut_GivesSameRequests) {
  const std::string wire =
      "\r\nPOST /one HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
      "POST /two HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4\r\nabcd\r\n00A;name=\"v\"\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
      "GET /three HTTP/1.0\r\n\r\n";
  for (std::size_t step = 1; step <= wire.size(); ++step) {
    const Outcome out = read_all(wire, step, small_limits());
    ASSERT_EQ(out.requests.size(), 3U) << step << " status " << out.status;
    EXPECT_EQ(out.requests[0].body, "hello");
    EXPECT_EQ(out.requests[1].body, "abcd0123456789");
    EXPECT_FALSE(out.requests[1].headers.has("Trailer"));
    EXPECT_EQ(out.requests[2].target, "/three");
    EXPECT_FALSE(out.requests[2].keep_alive);
    EXPECT_EQ(out.state, HttpParser::State::idle);
  }
}

TEST(HttpParser, KeepAlive_FollowsVersionAndConnectionField) {
  const auto keep = [](const std::string& version, const std::string& fields) {
    return read_all("GET / " + version + "\r\nHost: h\r\n" + fields + "\r\n", 999, {})
        .requests.at(0)
        .keep_alive;
  };
  EXPECT_TRUE(keep("HTTP/1.1", ""));
  EXPECT_FALSE(keep("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(keep("HTTP/1.1", "Connection: x, Close\r\n"));
  EXPECT_FALSE(keep("HTTP/1.0", ""));
  EXPECT_TRUE(keep("HTTP/1.0", "Connection: Keep-Alive\r\n"));
}

TEST(HttpParser, BytesBehindRequest_AreLeft) {
  HttpParser parser({});
  const std::string wire = "GET / HTTP/1.1\r\nHost: h\r\n\r\nrest";
  EXPECT_EQ(parser.feed(wire), wire.size() - 4);
  EXPECT_EQ(parser.state(), HttpParser::State::complete);
  EXPECT_EQ(parser.feed("rest"), 0U);
}

TEST(HttpParser, ExpectContinue_IsReported) {
  HttpParser parser({});
  parser.feed("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(parser.state(), HttpParser::State::body);
  EXPECT_TRUE(parser.expects_continue());
  parser.feed("ab");
  EXPECT_EQ(parser.state(), HttpParser::State::complete);
  EXPECT_FALSE(parser.expects_continue());
}

struct BadCase {
  std::string name;
  std::string wire;
  int status;
};

std::string with_fields(const std::string& fields) {
  return "POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
}

std::string chunks(const std::string& text) {
  return with_fields("Transfer-Encoding: chunked\r\n") + text;
}

std::vector<BadCase> bad_heads() {
  using std::string_literals::operator""s;
  return {
      {"no version", "GET /\r\nHost: h\r\n\r\n", 400},
      {"no target", "GET HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"two spaces", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"space in target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"tab in request line", "GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"space after version", "GET / HTTP/1.1 \r\nHost: h\r\n\r\n", 400},
      {"bad method", "G(T / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"TLS on a plain port", "\x16\x03\x01\x02"s, 400},
      {"lower case http", "GET / http/1.1\r\nHost: h\r\n\r\n", 400},
      {"HTTP/2.0", "GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505},
      {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: h\r\n\r\n", 505},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two Hosts", with_fields("Host: h\r\n"), 400},
      {"NUL in a value", with_fields("A: x\0y\r\n"s), 400},
      {"NUL in the target", "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"s, 400},
      {"bare CR", with_fields("A: x\ry\r\n"), 400},
      {"bare LF", with_fields("A: x\nB: y\r\n"), 400},
      {"folded line", with_fields("A: x\r\n y\r\n"), 400},
      {"folded with tab", with_fields("A: x\r\n\ty\r\n"), 400},
      {"blank before the colon", with_fields("Content-Length : 0\r\n"), 400},
      {"no colon", with_fields("Nothing\r\n"), 400},
      {"empty name", with_fields(": x\r\n"), 400},
      {"control character", with_fields("A: \x01\r\n"), 400},
      {"Connection is no list", with_fields("Connection: keep-alive, a/b\r\n"), 400},
      {"unknown expectation", with_fields("Expect: 200-maybe\r\n"), 417},
      {"long target", "GET /" + repeat('a', 64) + " HTTP/1.1\r\nHost: h\r\n\r\n", 414},
      {"long target, no end", "GET /" + repeat('a', 200), 414},
      {"large fields", with_fields("A: " + repeat('x', 500) + "\r\n"), 431},
      {"large fields, no end", "GET / HTTP/1.1\r\nA: " + repeat('x', 600), 431},
      {"many fields",
       with_fields("A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\nE: 5\r\nF: 6\r\nG: 7\r\nI: 8\r\n"), 431},
  };
}

std::vector<BadCase> bad_bodies() {
  return {
      {"both lengths", with_fields("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"), 400},
      {"both, other order", with_fields("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"),
       400},
      {"differing lengths", with_fields("Content-Length: 3\r\nContent-Length: 4\r\n"), 400},
      {"differing in a list", with_fields("Content-Length: 3, 4\r\n"), 400},
      {"negative length", with_fields("Content-Length: -1\r\n"), 400},
      {"signed length", with_fields("Content-Length: +1\r\n"), 400},
      {"hex length", with_fields("Content-Length: 0x1\r\n"), 400},
      {"empty length", with_fields("Content-Length:\r\n"), 400},
      {"overflowing length", with_fields("Content-Length: 99999999999999999999\r\n"), 400},
      {"gzip coding", with_fields("Transfer-Encoding: gzip\r\n"), 501},
      {"gzip and chunked", with_fields("Transfer-Encoding: gzip, chunked\r\n"), 501},
      {"chunked twice", with_fields("Transfer-Encoding: chunked, chunked\r\n"), 501},
      {"two codings", with_fields("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
       400},
      {"hidden coding", with_fields("Transfer-Encoding: xchunked\r\n"), 501},
      {"coding in HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"large length", with_fields("Content-Length: 33\r\n"), 413},
      {"large chunk", chunks("21\r\n"), 413},
      {"large in sum", chunks("10\r\n0123456789abcdef\r\n11\r\n"), 413},
      {"chunk size no hex", chunks("g\r\n"), 400},
      {"chunk size empty", chunks("\r\n"), 400},
      {"chunk size signed", chunks("-1\r\n"), 400},
      {"chunk size 0x", chunks("0x2\r\n"), 400},
      {"chunk size overflows", chunks("10000000000000000\r\n"), 400},
      {"chunk without its end", chunks("2\r\nabc\r\n0\r\n\r\n"), 400},
      {"chunk line ends in LF", chunks("2\nab\r\n0\r\n\r\n"), 400},
      {"chunk line has a bare CR", chunks("2\rab\r\n"), 400},
      {"LF in an extension", chunks("2;a=\"\n\"\r\nab\r\n0\r\n\r\n"), 400},
      {"blank before chunk size", chunks(" 2\r\nab\r\n0\r\n\r\n"), 400},
      {"long extension", chunks("2;" + repeat('a', 1'100) + "\r\nab\r\n0\r\n\r\n"), 400},
      {"large trailers", chunks("0\r\nA: " + repeat('x', 600) + "\r\n\r\n"), 431},
      {"bad trailer", chunks("0\r\nbad trailer\r\n\r\n"), 400},
  };
}

TEST(HttpParser, MalformedRequest_AnyCut_IsRefusedWithStatus) {
  std::vector<BadCase> cases = bad_heads();
  for (BadCase& one : bad_bodies()) cases.push_back(std::move(one));
  for (const BadCase& one : cases) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, one.wire.size()}) {
      const Outcome out = read_all(one.wire, step, small_limits());
      EXPECT_EQ(out.state, HttpParser::State::failed) << one.name << ", step " << step;
      EXPECT_EQ(out.status, one.status) << one.name << ", step " << step;
      EXPECT_TRUE(out.requests.empty()) << one.name << ", step " << step;
    }
  }
}

TEST(HttpParser, LongTarget_AnyCut_IsRefusedBeforeWholeHead) {
  const std::string line = "GET /" + repeat('a', 64) + " HTTP/1.1\r\n";
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, line.size()}) {
    const Outcome out = read_all(line, step, small_limits());
    EXPECT_EQ(out.state, HttpParser::State::failed) << "step " << step;
    EXPECT_EQ(out.status, 414) << "step " << step;
  }
}

TEST(HttpParser, RequestAtLimits_IsTaken) {
  const std::string target = "/" + repeat('a', 63);
  EXPECT_EQ(
      read_all("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n", 9, small_limits()).requests.size(),
      1U);
  std::string head = "GET / HTTP/1.1\r\nHost: h\r\nA: \r\n\r\n";
  head.insert(head.size() - 4, repeat('x', 512 - head.size()));
  EXPECT_EQ(read_all(head, 9, small_limits()).requests.size(), 1U);
  EXPECT_EQ(read_all(head, 512, small_limits()).requests.size(), 1U);
  const std::string body = with_fields("Content-Length: 32\r\n") + repeat('x', 32);
  EXPECT_EQ(read_all(body, 9, small_limits()).requests.size(), 1U);
  EXPECT_EQ(
      read_all(with_fields("Content-Length: 3, 3\r\n") + "abc", 9, small_limits()).requests.size(),
      1U);
}

TEST(HttpParser, IdleParser_HoldsNoMemory) {
  HttpParser parser({});
  parser.feed("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n");
  parser.feed("ab");
  EXPECT_GE(parser.buffered(), 2U);
  parser.feed("c");
  parser.take();
  EXPECT_EQ(parser.buffered(), 0U);
}

}  // namespace
}  // namespace parley::net
