// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Answers of an echo server on this stack to right and wrong frames, in any pieces. The cases
// follow the categories that WebSocket test suites use.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/net/websocket/websocket_codec.h"
#include "base/net/websocket/websocket_connection.h"
#include "base/net/websocket/websocket_reader.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::net {
namespace {

std::string frame(Opcode opcode, std::string_view payload, bool fin = true) {
  std::string out;
  append_frame(out, {.opcode = opcode, .fin = fin, .mask = MaskKey{'\xa1', '\x02', '\x7f', '\x00'}},
               payload);
  return out;
}
std::string text(std::string_view payload, bool fin = true) {
  return frame(Opcode::text, payload, fin);
}
std::string binary(std::string_view payload, bool fin = true) {
  return frame(Opcode::binary, payload, fin);
}
std::string more(std::string_view payload, bool fin) {
  return frame(Opcode::continuation, payload, fin);
}
std::string ping(std::string_view payload) { return frame(Opcode::ping, payload); }
std::string close(std::uint16_t code, std::string_view reason = {}) {
  return frame(Opcode::close, close_payload(code, reason));
}
// A frame whose first byte is `first`, with a masked empty payload.
std::string odd(int first) {
  std::string out;
  out.push_back(static_cast<char>(first));
  out.append("\x80\x01\x02\x03\x04", 5);
  return out;
}

struct Case {
  const char* name;
  std::string sent;
  std::string answer;  // words with spaces between them
};

class ProtocolEchoHandler : public WebSocketHandler {
 public:
  void on_open(WebSocket&) override {}
  void on_message(WebSocket& socket, MessageType type, std::string_view data) override {
    socket.send(OutgoingMessage::make(type, data));
  }
  void on_close(WebSocket&, std::uint16_t, std::string_view) override {}
};

class Transcript : public StreamHandler {
 public:
  void on_data(Stream&, char* data, std::size_t size) override {
    while (!over_) {
      const WebSocketReader::Event event = reader_.next(data, size);
      if (event.kind == WebSocketReader::Kind::need_more) return;
      if (!words.empty()) words += ' ';
      words += word(event);
      if (event.kind == WebSocketReader::Kind::violation) return;
      over_ = event.kind == WebSocketReader::Kind::close;
    }
    if (size > 0) words += " more";
  }
  void on_end(Stream&) override { words += " end"; }
  void on_closed(Stream&) override {}

  std::string words;

 private:
  static std::string word(const WebSocketReader::Event& event) {
    const std::string payload = event.payload.size() > 100 ? std::to_string(event.payload.size())
                                                           : std::string(event.payload);
    switch (event.kind) {
      case WebSocketReader::Kind::message:
        return (event.opcode == Opcode::text ? "T(" : "B(") + payload + ")";
      case WebSocketReader::Kind::pong:
        return "pong(" + payload + ")";
      case WebSocketReader::Kind::close: {
        const CloseInfo info = parse_close_payload(event.payload);
        return "close(" + std::to_string(info.code) + ")";
      }
      default:
        return "unexpected";
    }
  }

  WebSocketReader reader_{WebSocketSide::client, 1U << 30U, false};
  bool over_ = false;  // the close frame has come
};

constexpr std::size_t kMaxMessage = 70'000;

std::string answer_to(const std::string& sent, std::size_t max_piece) {
  core::FakeClock clock;
  core::FakeScheduler scheduler(clock);
  WebSocketService service({});
  MemoryNetwork network({.max_piece = max_piece, .seed = 11});
  Transcript transcript;
  auto pair = network.make_pair(scheduler, scheduler);
  pair.first->set_handler(&transcript);
  service.adopt(std::move(pair.second), std::make_unique<ProtocolEchoHandler>(),
                {.max_message_bytes = kMaxMessage, .deflate = {}, .subprotocol = {}});
  pair.first->write(sent);
  scheduler.run_ready();
  return transcript.words;
}

void expect_answers(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    EXPECT_EQ(answer_to(c.sent, 0), c.answer) << c.name << ", at once";
    if (c.sent.size() < 5'000) {
      EXPECT_EQ(answer_to(c.sent, 1), c.answer) << c.name << ", byte by byte";
    }
    EXPECT_EQ(answer_to(c.sent, 9), c.answer) << c.name << ", in pieces";
  }
}

TEST(WebSocketProtocol, Framing) {
  std::vector<Case> cases;
  for (const std::size_t size : {0U, 125U, 126U, 127U, 128U, 65535U, 65536U}) {
    const std::string word = size > 100 ? std::to_string(size) : std::string(size, '*');
    cases.push_back({"text", text(std::string(size, '*')), "T(" + word + ")"});
    cases.push_back({"binary", binary(std::string(size, '*')), "B(" + word + ")"});
  }
  expect_answers(cases);
}

TEST(WebSocketProtocol, PingsAndPongs) {
  std::string many;
  std::string pongs;
  for (int i = 0; i < 10; ++i) {
    many += ping("p" + std::to_string(i));
    pongs += (i == 0 ? "pong(p" : " pong(p") + std::to_string(i) + ")";
  }
  expect_answers({
      {"empty ping", ping(""), "pong()"},
      {"binary payload", ping(std::string("\x00\xff\xfe", 3)),
       "pong(" + std::string("\x00\xff\xfe", 3) + ")"},
      {"125 bytes", ping(std::string(125, 'x')), "pong(125)"},
      {"pong is not answered", frame(Opcode::pong, "x") + text("on"), "T(on)"},
      {"ten pings", many, pongs},
      {"fragmented ping", odd(0x09), "close(1002) end"},
      {"126 bytes", std::string("\x89\xfe\x00\x7e", 4), "close(1002) end"},
  });
}

TEST(WebSocketProtocol, ReservedBitsAndOpcodes) {
  std::vector<Case> cases;
  for (const int first : {0xc1, 0xa1, 0x91, 0xf1, 0xc2, 0xc9, 0xa8}) {
    cases.push_back({"reserved bit", text("before") + odd(first), "T(before) close(1002) end"});
  }
  for (const int opcode : {3, 4, 5, 6, 7, 11, 12, 13, 14, 15}) {
    cases.push_back({"opcode", text("before") + odd(0x80 | opcode) + text("after"),
                     "T(before) close(1002) end"});
  }
  std::string unmasked;
  append_frame(unmasked, {}, "x");
  cases.push_back({"not masked", unmasked, "close(1002) end"});
  cases.push_back({"length not minimal", std::string("\x82\xfe\x00\x05", 4), "close(1002) end"});
  expect_answers(cases);
}

TEST(WebSocketProtocol, Fragmentation) {
  expect_answers({
      {"two fragments", text("frag", false) + more("ment", true), "T(fragment)"},
      {"binary", binary("a", false) + more("b", false) + more("c", true), "B(abc)"},
      {"empty fragments", text("", false) + more("", false) + more("", true), "T()"},
      {"empty first", text("", false) + more("x", true), "T(x)"},
      {"ping between", text("a", false) + ping("now") + more("b", true), "pong(now) T(ab)"},
      {"empty ping between", text("a", false) + ping("") + more("b", true), "pong() T(ab)"},
      {"close between", text("a", false) + close(1000), "close(1000) end"},
      {"two messages", text("a", false) + more("b", true) + text("c", false) + more("d", true),
       "T(ab) T(cd)"},
      {"continuation of nothing", more("x", true), "close(1002) end"},
      {"continuation, not final, of nothing", more("x", false), "close(1002) end"},
      {"continuation after the end", text("a", false) + more("b", true) + more("c", true),
       "T(ab) close(1002) end"},
      {"text inside a message", text("a", false) + text("b"), "close(1002) end"},
      {"binary inside a message", text("a", false) + binary("b"), "close(1002) end"},
  });
}

TEST(WebSocketProtocol, Utf8) {
  const std::string kosme = "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5";
  expect_answers({
      {"greek", text(kosme), "T(" + kosme + ")"},
      {"cut inside characters",
       text(kosme.substr(0, 1), false) + more(kosme.substr(1, 3), false) +
           more(kosme.substr(4), true),
       "T(" + kosme + ")"},
      {"first and last of each length",
       text("\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
       "T(\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf)"},
      {"surrogate", text("a\xed\xa0\x80"), "close(1007) end"},
      {"overlong", text("\xc0\xaf"), "close(1007) end"},
      {"over U+10FFFF", text("\xf4\x90\x80\x80"), "close(1007) end"},
      {"lonely continuation", text("\x80"), "close(1007) end"},
      {"ends inside a character", text("ab\xe4\xb8"), "close(1007) end"},
      {"final fragment ends inside a character", text("ab\xe4", false) + more("\xb8", true),
       "close(1007) end"},
      {"bytes 5 and 6 long", text("\xf8\x88\x80\x80\x80"), "close(1007) end"},
      {"not checked in binary", binary("\xff\xfe"), "B(\xff\xfe)"},
  });
}

TEST(WebSocketProtocol, InvalidText_FailsBeforeMessageEnds) {
  expect_answers({
      {"in the first fragment", text("ok\xff", false), "close(1007) end"},
      {"in a later fragment", text("ok", false) + more("\xed\xa0", false), "close(1007) end"},
      {"across fragments", text("\xf4", false) + more("\x90", false), "close(1007) end"},
      {"E0 80", text("\xe0", false) + more("\x80", false), "close(1007) end"},
      {"lead byte, then none", text("\xe4", false) + more("a", false), "close(1007) end"},
      {"impossible lead byte", text("\xf5", false), "close(1007) end"},
      {"possible still", text("\xf4\x8f", false) + ping(""), "pong()"},
  });
  // In a partial frame: as soon as the invalid byte arrives.
  const std::string cut = text("ok\xff and so on").substr(0, 9);
  EXPECT_EQ(answer_to(cut, 0), "close(1007) end");
}

TEST(WebSocketProtocol, Closing) {
  std::vector<Case> cases = {
      {"no code", frame(Opcode::close, ""), "close(1005) end"},
      {"normal", close(1000, "done"), "close(1000) end"},
      {"after messages", text("a") + close(1001), "T(a) close(1001) end"},
      {"messages after it are dropped", close(1000) + text("late"), "close(1000) end"},
      {"pings after it are dropped", close(1000) + ping("late"), "close(1000) end"},
      {"one byte", frame(Opcode::close, "x"), "close(1002) end"},
      {"reason of 123 bytes", close(1000, std::string(123, 'r')), "close(1000) end"},
      {"reason not UTF-8", frame(Opcode::close, std::string("\x03\xe8\xce\xba\xff", 5)),
       "close(1007) end"},
      {"126 bytes", std::string("\x88\xfe\x00\x7e", 4), "close(1002) end"},
      {"second close", close(1000) + close(1000), "close(1000) end"},
  };
  for (const int code :
       {1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999}) {
    cases.push_back({"good code", close(static_cast<std::uint16_t>(code)),
                     "close(" + std::to_string(code) + ") end"});
  }
  for (const int code : {0, 999, 1004, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535}) {
    cases.push_back({"bad code", close(static_cast<std::uint16_t>(code)), "close(1002) end"});
  }
  expect_answers(cases);
}

TEST(WebSocketProtocol, LoweredLimit_HoldsForRestOfMessage) {
  WebSocketReader reader(WebSocketSide::client, 1'000, false);
  std::string wire;
  append_frame(wire, {.opcode = Opcode::text, .fin = false}, "0123456789");
  append_frame(wire, {.opcode = Opcode::continuation, .fin = false}, "x");
  wire.reserve(wire.size() + Stream::kReadPadding);
  char* data = wire.data();
  std::size_t size = wire.size() - 3;
  EXPECT_EQ(reader.next(data, size).kind, WebSocketReader::Kind::need_more);
  reader.set_max_message_bytes(5);
  size = 3;
  const WebSocketReader::Event event = reader.next(data, size);
  EXPECT_EQ(event.kind, WebSocketReader::Kind::violation);
  EXPECT_EQ(event.code, close_code::kMessageTooBig);
}

TEST(WebSocketProtocol, Limits_AreCheckedInHeader) {
  const std::string header_only = text(std::string(kMaxMessage + 1, 'x')).substr(0, 14);
  const std::string enormous("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x01\x02\x03\x04", 14);
  expect_answers({
      {"exactly the limit", text(std::string(kMaxMessage, 'x')),
       "T(" + std::to_string(kMaxMessage) + ")"},
      {"one more", header_only, "close(1009) end"},
      {"enormous", enormous, "close(1009) end"},
      {"sum of fragments",
       text(std::string(kMaxMessage - 1, 'x'), false) + more("xx", true).substr(0, 6),
       "close(1009) end"},
      {"fragments up to the limit",
       text(std::string(kMaxMessage - 2, 'x'), false) + more("xx", true),
       "T(" + std::to_string(kMaxMessage) + ")"},
  });
}

}  // namespace
}  // namespace parley::net
