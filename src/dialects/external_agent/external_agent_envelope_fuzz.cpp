// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Envelopes of five clients of a relay with two sessions: a host, two agents, a client that has
// not joined, and one of another token. The input is a sequence of steps: client and action (1
// byte), length (2 bytes), bytes. The host can answer a request by its number.
#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/utf8.h"
#include "tests/support/external_agent/relay_fixture.h"

namespace {

using parley::external_agent::Peer;
using parley::external_agent::RelayOptions;
using parley::external_agent::RelayServer;

// The relay and its clients.
class World {
 public:
  World() : server_(options(), 2) {
    for (int i = 0; i < 4; ++i) peers_.push_back(std::make_unique<Peer>(server_));
    peers_.push_back(std::make_unique<Peer>(server_, "other"));
    peers_[0]->join("host");
    peers_[1]->join("agent");
    peers_[2]->join("agent", "default", R"(,"name":"Two")");
    peers_[4]->join("agent");
  }

  void step(unsigned char what, std::string_view data) {
    Peer& peer = *peers_[what % peers_.size()];
    switch ((what / peers_.size()) % 12) {
      case 0:
        server_.run();
        break;
      case 1:
        peer.give(data, parley::net::MessageType::binary);
        break;
      case 2:
        answer(data);
        break;
      case 3:
        server_.studies.hold = true;
        break;
      case 4:
        server_.studies.release();
        break;
      case 5:
        server_.advance(parley::core::Millis(4'000));
        break;
      case 6:
        replace(what % peers_.size());
        break;
      default:
        // Text frames that are not UTF-8 are refused below the relay.
        if (parley::core::is_utf8(data)) peer.give(data);
        break;
    }
    check();
  }

  void finish() {
    server_.studies.release();
    server_.run();
    check();
    for (auto& peer : peers_) peer->hang_up();
    server_.advance(parley::core::Millis(40'000));
    expect(server_.relay_sessions() == 0);
    expect(server_.studies.recorders == 0);
    for (const auto& log : server_.studies.logs) check_log(log->records);
  }

 private:
  static RelayOptions options() {
    RelayOptions out;
    out.host_timeout = parley::core::Millis(10'000);
    out.max_requests = 8;
    out.max_envelope_bytes = 4'096;
    out.max_depth = 16;
    return out;
  }
  static void expect(bool holds) {
    if (!holds) std::abort();
  }

  // The host answers the last request that it received; the first byte of `data` chooses the kind
  // of the reply.
  void answer(std::string_view data) {
    if (asked_.empty() || !parley::core::is_utf8(data)) return;
    static constexpr const char* kReplies[] = {"tool.result", "snapshot.state", "session.started",
                                               "session.ended", "error"};
    const std::size_t kind = data.empty() ? 0 : static_cast<unsigned char>(data[0]) % 5U;
    peers_[0]->give(std::string(R"({"type":")") + kReplies[kind] + R"(","replyTo":)" + asked_ +
                    R"(,"payload":{"stateReset":true}})");
  }

  void replace(std::size_t index) {
    peers_[index]->hang_up();
    peers_[index] = std::make_unique<Peer>(server_, index == 4 ? "other" : "");
    if (index < 3) peers_[index]->join(index == 0 ? "host" : "agent");
  }

  // Every message is JSON with the version first. Replies to other clients are not checked here.
  void check() {
    for (auto& peer : peers_) {
      for (const std::string& text : peer->take()) {
        expect(text.starts_with("{\"v\":"));
        expect(parley::external_agent::part(text, "type").size() > 2);
        if (&peer == peers_.data()) remember(text);
      }
    }
  }

  void remember(const std::string& text) {
    const std::string id = parley::external_agent::part(text, "id");
    if (id.starts_with("\"r-")) asked_ = id;
  }

  // Every record is one JSON object with a type that the relay knows.
  static void check_log(const std::vector<parley::external_agent::LoggedRecord>& records) {
    for (const auto& record : records) {
      expect(!record.type.empty());
      if (record.payload.empty()) continue;
      std::vector<parley::external_agent::JsonField> fields;
      std::vector<parley::external_agent::JsonField> inner;
      const auto result =
          parley::external_agent::scan_object(record.payload, 64, "", fields, inner);
      expect(result == parley::external_agent::ScanResult::ok);
    }
  }

  RelayServer server_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::string asked_;  // the relay's id of the last request
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool quiet = [] {
    spdlog::set_level(spdlog::level::off);
    return true;
  }();
  if (!quiet) return 0;
  World world;
  std::string_view input(reinterpret_cast<const char*>(data), size);
  for (int steps = 0; steps < 64 && input.size() >= 3; ++steps) {
    const auto what = static_cast<unsigned char>(input[0]);
    const std::size_t wanted =
        static_cast<unsigned char>(input[1]) * 256U + static_cast<unsigned char>(input[2]);
    input.remove_prefix(3);
    const std::string_view text = input.substr(0, wanted);
    input.remove_prefix(text.size());
    world.step(what, text);
  }
  world.finish();
  return 0;
}
