// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Arbitrary bytes: the parser's result does not depend on the pieces; a whole server on an
// in-memory network survives, answers only with well-formed heads, and ends every connection.
// Another parser reads each accepted head in the same way.
#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/net/http/http_parser.h"
#include "tests/support/net/http_test_world.h"

namespace parley::net {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

HttpParserLimits small_limits() {
  HttpParserLimits limits;
  limits.max_target_bytes = 128;
  limits.max_header_bytes = 1'024;
  limits.max_body_bytes = 2'048;
  return limits;
}

// Beast accepts each head that our parser accepts, with the same result. Only Beast interprets
// Proxy-Connection, which is not a field of HTTP.
void agree_with_beast(std::string_view wire) {
  namespace http = boost::beast::http;
  HttpParser parser(small_limits());
  std::string_view head = wire.substr(0, parser.feed(wire));
  if (head.starts_with("\r\n")) head.remove_prefix(2);
  const bool has_body = parser.state() == HttpParser::State::body;
  if (!has_body && parser.state() != HttpParser::State::complete) return;
  const std::uint64_t length = parser.body_left();
  const ParsedRequest ours = has_body ? parser.take_head() : parser.take();
  if (ours.headers.has("Proxy-Connection")) return;
  http::request_parser<http::string_body> theirs;
  theirs.body_limit(small_limits().max_body_bytes);
  boost::beast::error_code error;
  theirs.put(boost::asio::const_buffer(head.data(), head.size()), error);
  require(!error && theirs.is_header_done());
  require(theirs.get().method_string() == ours.method && theirs.get().target() == ours.target);
  require(theirs.content_length().value_or(0) == length);
  require(theirs.chunked() == (has_body && length == 0));
  require(theirs.keep_alive() || !ours.keep_alive);
  std::size_t fields = 0;
  for (const auto& field : theirs.get()) {
    ++fields;
    require(ours.headers.has(std::string(field.name_string())));
  }
  require(fields == ours.headers.all().size());
  for (const auto& ours_field : ours.headers.all()) {
    const auto [first, last] = theirs.get().equal_range(ours_field.first);
    require(std::any_of(first, last, [&ours_field](const auto& field) {
      return field.value() == ours_field.second;
    }));
  }
}

struct Reading {
  std::string requests;
  bool failed = false;
};

Reading read_all(std::string_view wire, std::size_t step) {
  const HttpParserLimits limits = small_limits();
  HttpParser parser(limits);
  Reading out;
  while (!wire.empty() && parser.state() != HttpParser::State::failed) {
    std::string_view piece = wire.substr(0, step);
    wire.remove_prefix(piece.size());
    while (!piece.empty() && parser.state() != HttpParser::State::failed) {
      piece.remove_prefix(parser.feed(piece));
      if (parser.state() != HttpParser::State::complete) continue;
      const ParsedRequest request = parser.take();
      require(request.body.size() <= limits.max_body_bytes);
      out.requests += request.method + " " + request.target + "\n" + request.body + "\n";
      for (const auto& [name, value] : request.headers.all()) out.requests += name + value + "\n";
    }
  }
  out.failed = parser.state() == HttpParser::State::failed;
  return out;
}

void serve(std::string_view wire, std::uint64_t seed) {
  HttpWorld world(MemoryNetworkOptions{.max_piece = 64, .seed = seed});
  world.router.add("POST", "/e", [](Request request, Responder responder) {
    responder.send(Response::text(200, std::move(request.body)));
  });
  world.router.add("GET", "/s", [](const Request&, Responder responder) {
    const auto body = responder.start(Response());
    body->write("one");
    body->end();
  });
  world.start();
  {
    const auto peer = world.connect();
    peer->send(wire);
    peer->finish();
    world.scheduler.run_ready();
    require(peer->received().empty() || peer->received().starts_with("HTTP/1.1 "));
    world.scheduler.advance(std::chrono::minutes(10));
    require(peer->ended());
  }
  world.scheduler.advance(std::chrono::minutes(10));
  require(world.server->connection_count() == 0);
}

}  // namespace
}  // namespace parley::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using parley::net::read_all;
  if (size < 2) return 0;
  const std::string_view wire(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = read_all(wire, wire.size());
  const auto bytes = read_all(wire, 1);
  const auto pieces = read_all(wire, 1U + data[0] % 17U);
  parley::net::require(whole.requests == bytes.requests && whole.failed == bytes.failed);
  parley::net::require(whole.requests == pieces.requests && whole.failed == pieces.failed);
  parley::net::agree_with_beast(wire);
  parley::net::serve(wire, data[0]);
  return 0;
}
