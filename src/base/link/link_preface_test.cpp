// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/link_preface.h"

#include <gmock/gmock.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/core/entropy.h"
#include "tests/support/link/link_world.h"

namespace parley::link {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kObject =
    R"({"cluster":"c-1","from_name":"a","from_number":3,"to_number":7,"client":"192.0.2.7",)"
    R"("secure":true,"hops":1,"kind":"request"})";

// kObject with one text replaced.
std::string object_with(const std::string& text, const std::string& by) {
  std::string out(kObject);
  const std::size_t at = out.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  return out.replace(at, text.size(), by);
}

std::string on_the_wire(std::string_view object) {
  return "PARLEY-LINK/1 " + std::to_string(object.size()) + "\n" + std::string(object);
}

PrefaceReader read_whole(std::string_view wire) {
  PrefaceReader reader;
  reader.take(wire);
  return reader;
}

// The members as another parser reads them; std::nullopt: it does not.
std::optional<Preface> read_by_simdjson(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (parser.parse(json).get(root) != simdjson::SUCCESS) return std::nullopt;
  Preface out;
  std::string_view text;
  std::int64_t hops = 0;
  if (root["cluster"].get(text) != simdjson::SUCCESS) return std::nullopt;
  out.cluster = text;
  if (root["from_name"].get(text) != simdjson::SUCCESS) return std::nullopt;
  out.from_name = text;
  if (root["client"].get(text) != simdjson::SUCCESS) return std::nullopt;
  out.client = text;
  if (root["kind"].get(text) != simdjson::SUCCESS) return std::nullopt;
  out.kind = text == "request" ? LinkKind::request : LinkKind::websocket;
  const bool read = root["from_number"].get(out.from_number) == simdjson::SUCCESS &&
                    root["to_number"].get(out.to_number) == simdjson::SUCCESS &&
                    root["secure"].get(out.secure) == simdjson::SUCCESS &&
                    root["hops"].get(hops) == simdjson::SUCCESS;
  if (!read) return std::nullopt;
  out.hops = static_cast<int>(hops);
  return out;
}

TEST(LinkPrefaceTest, Preface_IsReadAsWritten) {
  for (const LinkKind kind : {LinkKind::request, LinkKind::websocket}) {
    Preface preface = LinkWorld::preface();
    preface.kind = kind;
    preface.secure = kind == LinkKind::websocket;
    preface.client = "2001:db8::7%eth0";
    preface.from_number = INT64_MAX;
    preface.hops = 2;
    const PrefaceReader reader = read_whole(encode_preface(preface).value());
    ASSERT_EQ(reader.state(), PrefaceReader::State::complete);
    EXPECT_EQ(reader.preface(), preface);
  }
}

TEST(LinkPrefaceTest, Wire_HasItsForm) {
  EXPECT_EQ(encode_preface(LinkWorld::preface()).value(), on_the_wire(kObject));
}

TEST(LinkPrefaceTest, UnknownMembers_AreIgnored) {
  const auto read = decode_preface(object_with("}", R"(,"trace":{"deep":[1,{"x":null}]},"é":1})"));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(*read, LinkWorld::preface());
}

TEST(LinkPrefaceTest, Faults_NameTheFieldAndTheExpectation) {
  const struct {
    const char* text;
    std::string by;
    const char* field;
    const char* says;
  } cases[] = {
      {R"("cluster":"c-1",)", "", "cluster", "missing"},
      {R"("c-1")", "5", "cluster", "a text"},
      {R"("c-1")", R"("C 1")", "cluster", "lower-case"},
      {R"("c-1")", R"("")", "cluster", "1 to 63"},
      {R"("a")", R"("A")", "from_name", "DNS name"},
      {R"("a")", "null", "from_name", "a text"},
      {R"("from_number":3)", R"("from_number":0)", "from_number", "whole number from 1"},
      {R"("from_number":3)", R"("from_number":"3")", "from_number", "whole number from 1"},
      {R"("to_number":7)", R"("to_number":7.0)", "to_number", "whole number from 1"},
      {R"("to_number":7)", R"("to_number":7e0)", "to_number", "whole number from 1"},
      {R"("to_number":7)", R"("to_number":-7)", "to_number", "whole number from 1"},
      {R"("to_number":7)", R"("to_number":9223372036854775808)", "to_number", "whole number"},
      {R"("192.0.2.7")", R"("")", "client", "1 to 64 visible ASCII"},
      {R"("192.0.2.7")", R"("a\nb")", "client", "visible ASCII"},
      {R"("192.0.2.7")", R"("a b")", "client", "visible ASCII"},
      {R"("192.0.2.7")", R"("\u0000")", "client", "visible ASCII"},
      {R"("192.0.2.7")", R"("é")", "client", "visible ASCII"},
      {R"("192.0.2.7")", "\"" + std::string(65, '1') + "\"", "client", "1 to 64"},
      {"true", "1", "secure", "true or false"},
      {"true", R"("true")", "secure", "true or false"},
      {R"("hops":1)", R"("hops":0)", "hops", "whole number from 1"},
      {R"("hops":1)", R"("hops":99999999999)", "hops", "whole number from 1"},
      {R"("request")", R"("requests")", "kind", "\"request\" or \"websocket\""},
      {R"("kind":"request")", R"("kind":"request","kind":"request")", "preface", "once"},
      {R"("kind":"request")", R"("kind":"request","kin\u0064":"websocket")", "preface", "once"},
      {R"("kind":"request")", R"("x":1,"kind":"request","x":2)", "preface", "once"},
      {"}", "", "preface", "one JSON object"},
      {"}", "}{}", "preface", "one JSON object"},
      {"a", "\xff", "preface", "UTF-8"},
      {"}", R"(,"x":[[[[[[[[[]]]]]]]]]})", "preface", "8 levels"},
  };
  for (const auto& [text, by, field, says] : cases) {
    const auto read = decode_preface(object_with(text, by));
    ASSERT_FALSE(read.has_value()) << text << " " << by;
    EXPECT_EQ(read.error().code, core::Code::invalid_argument);
    EXPECT_EQ(read.error().field, field) << by;
    EXPECT_THAT(read.error().message, HasSubstr(says)) << by;
  }
  EXPECT_FALSE(decode_preface("[]").has_value());
}

TEST(LinkPrefaceTest, FaultyPreface_IsNotSent) {
  const auto refused_field = [](auto change) {
    Preface preface = LinkWorld::preface();
    change(preface);
    const auto written = encode_preface(preface);
    return written ? std::string("none") : written.error().field;
  };
  EXPECT_EQ(refused_field([](Preface& of) { of.client = "a\nb"; }), "client");
  EXPECT_EQ(refused_field([](Preface& of) { of.client.clear(); }), "client");
  EXPECT_EQ(refused_field([](Preface& of) { of.cluster = "C"; }), "cluster");
  EXPECT_EQ(refused_field([](Preface& of) { of.from_name = "a b"; }), "from_name");
  EXPECT_EQ(refused_field([](Preface& of) { of.from_number = kNoNode; }), "from_number");
  EXPECT_EQ(refused_field([](Preface& of) { of.to_number = -1; }), "to_number");
  EXPECT_EQ(refused_field([](Preface& of) { of.hops = 0; }), "hops");
  EXPECT_EQ(refused_field([](Preface&) {}), "none");
}

TEST(LinkPrefaceTest, FirstLine_IsChecked) {
  const struct {
    std::string line;
    RefusalCode code;
    const char* says;
  } cases[] = {
      {"GET / HTTP/1.1\r\n", RefusalCode::malformed, "begin with PARLEY-LINK/"},
      {"PARLEY-LINX", RefusalCode::malformed, "begin with PARLEY-LINK/"},
      {"PARLEY-LINK/2 10\n", RefusalCode::version, "version 1"},
      {"PARLEY-LINK/2 whatever\n", RefusalCode::version, "version 1"},
      {"PARLEY-LINK/ 10\n", RefusalCode::malformed, "version"},
      {"PARLEY-LINK/-1 10\n", RefusalCode::malformed, "version"},
      {"PARLEY-LINK/1\n", RefusalCode::malformed, "size"},
      {"PARLEY-LINK/1 \n", RefusalCode::malformed, "size"},
      {"PARLEY-LINK/1 0\n", RefusalCode::malformed, "size"},
      {"PARLEY-LINK/1 4097\n", RefusalCode::malformed, "size"},
      {"PARLEY-LINK/1 10\r\n", RefusalCode::malformed, "size"},
      {"PARLEY-LINK/1 " + std::string(40, '1'), RefusalCode::malformed, "first line"},
  };
  for (const auto& [line, code, says] : cases) {
    PrefaceReader pieces;
    for (const char c : line) pieces.take({&c, 1});
    for (const PrefaceReader& reader : {read_whole(line), pieces}) {
      ASSERT_EQ(reader.state(), PrefaceReader::State::refused) << line;
      EXPECT_EQ(reader.refusal().code, code) << line;
      EXPECT_THAT(reader.refusal().sentence, HasSubstr(says)) << line;
    }
  }
}

TEST(LinkPrefaceTest, LargestObject_IsRead) {
  const std::string start(kObject.substr(0, kObject.size() - 1));
  const std::string filler(kMaxPrefaceBytes - start.size() - 8, 'x');
  const std::string object = start + R"(,"x":")" + filler + R"("})";
  ASSERT_EQ(object.size(), kMaxPrefaceBytes);
  EXPECT_EQ(read_whole(on_the_wire(object)).state(), PrefaceReader::State::complete);
  EXPECT_FALSE(decode_preface(object + " ").has_value());
}

TEST(LinkPrefaceTest, Reader_LeavesWhatFollows_InAnyPieces) {
  const std::string wire = encode_preface(LinkWorld::preface()).value() + "GET / HTTP/1.1\r\n";
  for (std::size_t piece = 1; piece <= wire.size(); ++piece) {
    PrefaceReader reader;
    std::size_t taken = 0;
    for (std::size_t at = 0; at < wire.size(); at += piece) {
      taken += reader.take(std::string_view(wire).substr(at, piece));
    }
    ASSERT_EQ(reader.state(), PrefaceReader::State::complete) << piece;
    EXPECT_EQ(reader.preface(), LinkWorld::preface());
    EXPECT_EQ(wire.substr(taken), "GET / HTTP/1.1\r\n") << piece;
  }
}

// A changed byte is refused, or it is a changed value, which another parser reads in the same way.
TEST(LinkPrefaceTest, RandomChanges_AreRefusedOrRead) {
  core::SeededEntropy entropy(11);
  const auto below = [&entropy](std::size_t limit) {
    return static_cast<std::size_t>(entropy.next_u64() % limit);
  };
  const std::string good = encode_preface(LinkWorld::preface()).value();
  const std::size_t object_at = good.find('\n') + 1;
  std::size_t refused = 0;
  std::size_t changed = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string wire = good;
    for (std::size_t left = 1 + below(3); left > 0; --left) {
      const std::size_t at = below(wire.size());
      const std::size_t kind = below(3);
      if (kind == 0) {
        wire[at] = static_cast<char>(below(256));
      } else if (kind == 1) {
        wire[at] = good[below(good.size())];
      } else {
        wire[at] = static_cast<char>(static_cast<unsigned char>(wire[at]) ^ (1U << below(8)));
      }
    }
    PrefaceReader reader;
    for (std::size_t at = 0; at < wire.size();) {
      const std::size_t size = std::min(1 + below(60), wire.size() - at);
      reader.take(std::string_view(wire).substr(at, size));
      at += size;
    }
    if (reader.state() != PrefaceReader::State::complete) {
      ++refused;
      EXPECT_NE(reader.state() == PrefaceReader::State::refused, reader.refusal().sentence.empty());
      continue;
    }
    if (reader.preface() == LinkWorld::preface()) continue;
    ++changed;
    const auto other = read_by_simdjson(wire.substr(object_at));
    ASSERT_TRUE(other.has_value()) << wire;
    EXPECT_EQ(*other, reader.preface()) << wire;
  }
  EXPECT_GT(refused, 10'000U);
  EXPECT_GT(changed, 100U);
}

}  // namespace
}  // namespace parley::link
