// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// chat_bench [--mode full|quick|smoke] [--runs N] --bin DIR --peers DIR --out FILE
//
// Many chats at once: `parley serve` with 500 chat sessions, each with a front end on /ws/chat that
// receives a reply of a scripted model (its own process, over HTTP) piece by piece. Measures the
// time from the model's send of a piece to the front end's read, and the processor time of the
// server per frame; then the memory of a server with 2,000 connected chats, each of which has had
// one reply. The peers, measured one after the other: a Node server that relays the same model's
// streams to as many WebSockets in the same frames and appends them to a file; and a bare epoll
// relay that stores the pieces as rows of SQLite, the lower bound of this machine under this load.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bare_chat_relay.h"
#include "crowd.h"
#include "crowd_server.h"
#include "pinned_server.h"
#include "row.h"
#include "stream_server.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr std::size_t kChats = 500;
constexpr std::size_t kConnectedChats = 2'000;
constexpr int kPieceDelayMs = 100;  // at least as fast as people read
constexpr std::size_t kInterrupts = 100;
constexpr double kKibibyte = 1'024;
// The script of the chats whose memory is measured.
constexpr CrowdScript kShortTalk{1, 5, 20};
constexpr Seconds kShortTalkTime{4};

struct Rows {
  static constexpr const char* kPeer = "Node ws relay of the same model, lines appended to a file";
  Row p50{"chat.model_to_front_end_p50", "ms", kPeer};
  Row p99{"chat.model_to_front_end_p99", "ms", kPeer};
  Row cpu{"chat.cpu_per_frame", "us", kPeer};
  static constexpr const char* kFloor = "bare epoll relay of the same model, rows in SQLite";
  Row floor_p50{"chat.model_to_front_end_p50_floor", "ms", kFloor};
  Row floor_p99{"chat.model_to_front_end_p99_floor", "ms", kFloor};
  Row floor_cpu{"chat.cpu_per_frame_floor", "us", kFloor};
  Row interrupt{"chat.interrupt_p99", "ms", kPeer};
  Row memory{"chat.memory_per_connected_chat", "KiB", kPeer};
};

FrameKind kind_of(std::string_view frame) {
  if (frame.starts_with(R"({"type":"AGENT_STREAM")")) return FrameKind::piece;
  if (frame.starts_with(R"({"type":"AGENT_COMPLETE")")) return FrameKind::end;
  check(frame.starts_with(R"({"type":"AGENT_PROMPT")") && frame.find(R"("ERROR")") == frame.npos,
        std::string(frame).c_str());
  return FrameKind::other;
}

// Makes chat sessions over one connection and returns their codes. A Node relay accepts any code.
std::vector<std::string> make_sessions(const PinnedServer& server, std::size_t count) {
  const std::string body = R"({"title":"A chat"})";
  const std::string request =
      "POST /api/v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
      "\r\nAuthorization: Bearer " + kStreamToken +
      "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n" + body;
  constexpr std::string_view kBefore = R"("data":")";
  const int fd = connect_to(static_cast<std::uint16_t>(server.port()));
  std::vector<std::string> codes;
  for (std::string in; codes.size() < count; in.clear()) {
    write_all(fd, request);
    while (!in.ends_with('}')) {
      std::array<char, 4'096> buffer;
      const ssize_t got = read(fd, buffer.data(), buffer.size());
      check(got > 0, "read from the server");
      in.append(buffer.data(), static_cast<std::size_t>(got));
    }
    const std::size_t at = in.find(kBefore);
    check(at != std::string::npos, in.c_str());
    const std::size_t begin = at + kBefore.size();
    codes.push_back(in.substr(begin, in.find('"', begin) - begin));
  }
  close(fd);
  return codes;
}

CrowdDialect chats(const PinnedServer& server, std::size_t count) {
  CrowdDialect dialect;
  dialect.kind = kind_of;
  for (const std::string& code : make_sessions(server, count)) {
    dialect.paths.push_back("/ws/chat/" + code + "?token=" + kStreamToken);
    dialect.requests.push_back(R"({"type":"USER_MESSAGE","sessionCode":")" + code +
                               R"(","requestId":"request-1","content":"Tell me about it."})");
  }
  return dialect;
}

struct Sample {
  double p50 = 0;
  double p99 = 0;
  double cpu_us = 0;
};

Sample measure_streams(std::size_t count, const CrowdScript& script,
                       const std::vector<std::string>& command) {
  const PinnedServer server(command, Place::free);
  Crowd crowd(server, chats(server, count));
  const Seconds reply_time(static_cast<double>(script.pieces) * script.delay_ms * 1e-3);
  // All chats begin in the first third of a reply's time and stream in the second, which is
  // measured.
  const CrowdSample sample = crowd.measure(reply_time / 3, script.pieces);
  return {quantile(sample.latencies_ms, 0.5), quantile(sample.latencies_ms, 0.99),
          sample.cpu_us * sample.pieces_per_frame};
}

std::string interrupt_of(std::string request) {
  constexpr std::string_view kType = "USER_MESSAGE";
  return request.replace(request.find(kType), kType.size(), "INTERRUPT");
}

double measure_interrupt(std::size_t count, const CrowdScript& script,
                         const std::vector<std::string>& command) {
  const PinnedServer server(command, Place::free);
  CrowdDialect dialect = chats(server, count);
  std::vector<std::string> messages;
  for (std::size_t i = 0; i < std::min(count, kInterrupts); ++i) {
    messages.push_back(interrupt_of(dialect.requests[i]));
  }
  Crowd crowd(server, std::move(dialect));
  const Seconds reply_time(static_cast<double>(script.pieces) * script.delay_ms * 1e-3);
  return quantile(crowd.interrupt(reply_time / 3, messages), 0.99);
}

// Memory of one connected and idle chat.
double measure_memory(std::size_t count, const std::vector<std::string>& command) {
  const PinnedServer server(command, Place::free);
  // Not measured: the first chats allocate what the server allocates once.
  Crowd first(server, chats(server, 100));
  first.talk(Seconds{1});
  const double before = server.resident_bytes();
  Crowd crowd(server, chats(server, count));
  crowd.talk(kShortTalkTime);
  return (server.resident_bytes() - before) / static_cast<double>(count) / kKibibyte;
}

void add(Row& row, double ours, double theirs) {
  row.ours.push_back(ours);
  row.theirs.push_back(theirs);
}

int run(const CrowdOptions& options) {
  const CrowdScript script{1, options.smoke ? 10U : options.quick ? 60U : 180U, kPieceDelayMs};
  const std::size_t connected = options.quick ? options.runs : kConnectedChats;
  const std::string relay = options.peers + "/chat_relay.mjs";
  CrowdFolder folder;
  Rows rows;
  for (int i = 0; i < (options.quick ? 1 : 5); ++i) {
    {
      const CrowdModel model(options.bin, folder.write_script(script));
      const auto measure = [&](const std::vector<std::string>& command) {
        return measure_streams(options.runs, script, command);
      };
      const Sample ours = measure(folder.parley(options.bin, model));
      const Sample theirs = measure(folder.peer(relay, model));
      const Sample floor = measure({own_path(), "--floor", folder.peer_folder(), model.url()});
      add(rows.p50, ours.p50, theirs.p50);
      add(rows.p99, ours.p99, theirs.p99);
      add(rows.cpu, ours.cpu_us, theirs.cpu_us);
      add(rows.floor_p50, ours.p50, floor.p50);
      add(rows.floor_p99, ours.p99, floor.p99);
      add(rows.floor_cpu, ours.cpu_us, floor.cpu_us);
      rows.interrupt.ours.push_back(
          measure_interrupt(options.runs, script, folder.parley(options.bin, model)));
      rows.interrupt.theirs.push_back(
          measure_interrupt(options.runs, script, folder.peer(relay, model)));
    }
    const CrowdModel model(options.bin, folder.write_script(kShortTalk));
    rows.memory.ours.push_back(measure_memory(connected, folder.parley(options.bin, model)));
    rows.memory.theirs.push_back(measure_memory(connected, folder.peer(relay, model)));
  }
  return write_rows(options.out, {&rows.p50, &rows.p99, &rows.cpu, &rows.floor_p50, &rows.floor_p99,
                                  &rows.floor_cpu, &rows.interrupt, &rows.memory})
             ? 0
             : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  using namespace parley::bench;
  raise_descriptor_limit();
  if (argc == 4 && std::string_view(argv[1]) == "--floor") serve_bare_chats(argv[2], argv[3]);
  const CrowdOptions options = read_crowd_options(argc, argv, kChats);
  return run(options);
}
