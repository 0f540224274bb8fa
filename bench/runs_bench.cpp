// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// runs_bench [--mode full|quick|smoke] [--runs N] --bin DIR --peers DIR --out FILE
//
// Many runs at once: `parley serve` with 2,000 runs of the react agent, each of which streams three
// replies from a scripted model (its own process, over HTTP) with a tool call after each of the
// first two, and each with its own watcher on /loom/ws. The runs begin one after the other over the
// time of one reply, so that every step has runs at any time. Measures the time from the model's
// send of a piece to its watcher's read, the memory of the server, and its processor time. The
// peer, measured after it, is a Node server that relays the same model's streams to as many
// WebSockets and appends the events to a file.
#include <string>
#include <string_view>
#include <vector>

#include "crowd.h"
#include "crowd_server.h"
#include "pinned_server.h"
#include "row.h"
#include "stream_server.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr double kMebibyte = 1'048'576;
constexpr std::size_t kRuns = 2'000;
constexpr int kPieceDelayMs = 100;  // at least as fast as people read
constexpr std::size_t kReplies = 3;

struct Rows {
  static constexpr const char* kPeer = "Node ws relay of the same model, lines appended to a file";
  Row p50{"runs.model_to_watcher_p50", "ms", kPeer};
  Row p99{"runs.model_to_watcher_p99", "ms", kPeer};
  Row cpu{"runs.cpu_per_piece", "us", kPeer};
  Row memory{"runs.peak_memory", "MiB", kPeer};
  Row rate{"runs.pieces_per_second", "pieces/s", kPeer};
};

void add(const CrowdSample& sample, std::vector<double> Row::*side, Rows& rows) {
  (rows.p50.*side).push_back(quantile(sample.latencies_ms, 0.5));
  (rows.p99.*side).push_back(quantile(sample.latencies_ms, 0.99));
  (rows.cpu.*side).push_back(sample.cpu_us);
  (rows.memory.*side).push_back(sample.resident_bytes / kMebibyte);
  (rows.rate.*side).push_back(sample.pieces_per_second);
}

FrameKind kind_of(std::string_view frame) {
  if (frame.starts_with(R"({"type":"run_end")")) return FrameKind::end;
  check(frame.starts_with(R"({"type":"run_stream_event")"), std::string(frame).c_str());
  return frame.find(R"("type":"message_chunk")") == std::string_view::npos ? FrameKind::other
                                                                           : FrameKind::piece;
}

CrowdSample measure(std::size_t runs, const CrowdScript& script,
                    const std::vector<std::string>& command) {
  const PinnedServer server(command, Place::free);
  CrowdDialect dialect;
  dialect.paths.assign(runs, "/loom/ws?token=" + std::string(kStreamToken));
  dialect.requests.assign(runs,
                          R"({"type":"run","id":"r","message":"List the files, then tell."})");
  dialect.kind = kind_of;
  Crowd crowd(server, std::move(dialect));
  const Seconds reply_time(static_cast<double>(script.pieces) * script.delay_ms * 1e-3);
  return crowd.measure(reply_time, script.replies * script.pieces);
}

int run(const CrowdOptions& options) {
  const CrowdScript script{kReplies, options.smoke ? 5U : options.quick ? 20U : 60U, kPieceDelayMs};
  CrowdFolder folder;
  const std::string script_file = folder.write_script(script);
  Rows rows;
  for (int i = 0; i < (options.quick ? 1 : 3); ++i) {
    // New servers for each turn, so that their memory is that of one crowd.
    const CrowdModel model(options.bin, script_file);
    add(measure(options.runs, script, folder.parley(options.bin, model)), &Row::ours, rows);
    add(measure(options.runs, script, folder.peer(options.peers + "/run_relay.mjs", model)),
        &Row::theirs, rows);
  }
  return write_rows(options.out, {&rows.p50, &rows.p99, &rows.cpu, &rows.memory, &rows.rate}) ? 0
                                                                                              : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  using namespace parley::bench;
  const CrowdOptions options = read_crowd_options(argc, argv, kRuns);
  raise_descriptor_limit();
  return run(options);
}
