// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// runs_bench [--mode full|quick] [--runs N] --bin DIR --peers DIR --out FILE
//
// Many runs at once: `parley serve` with 2,000 runs of the react agent, each of which streams three
// replies from a scripted model (a process of its own, over HTTP) with a tool call after each of
// the first two, and each with a watcher of its own on /loom/ws. They begin one after the other
// over the time of one reply, so that at any time some are at each step. From the time at which the
// model sent a piece to the time at which its watcher read it, the memory of the server, and its
// processor time. Beside it, one after the other, a Node server that relays the same model's
// streams to as many WebSockets and appends the events to a file.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "child_process.h"
#include "core/json_writer.h"
#include "core/temp_folder.h"
#include "http/testing/scripted_server.h"
#include "pinned_server.h"
#include "row.h"
#include "run_crowd.h"
#include "stream_server.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr double kMebibyte = 1'048'576;
constexpr int kPieceDelayMs = 100;  // as fast as people read, and more
constexpr std::size_t kReplies = 3;

struct Settings {
  std::string bin;
  std::string peers;
  std::string out;
  std::size_t runs = 2'000;
  int repetitions = 3;
  std::size_t pieces = 60;  // of each reply
};

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  check(file.good(), path.c_str());
}

// Replies, each but the last with a call of `ls`.
std::string script_of(std::size_t pieces) {
  const std::string piece = "sent " + std::string(http::kStampMark) + " so. ";
  std::string text;
  for (std::size_t at = 0; at < pieces; ++at) text += piece;
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("model").string("scripted").key("by").string("conversation");
  json.key("turns").begin_array();
  for (std::size_t i = 0; i < kReplies; ++i) {
    json.begin_object().key("text").string(text).key("stamped").boolean(true);
    json.key("chunk_bytes").number(std::uint64_t{piece.size()});
    json.key("delay_ms").number(kPieceDelayMs);
    if (i + 1 < kReplies) {
      json.key("tool_calls").begin_array().begin_object().key("name").string("ls");
      json.key("arguments").string("{}").end_object().end_array();
    }
    json.end_object();
  }
  json.end_array().end_object();
  return out;
}

// A provider of the scripted model, and the address that it says it has.
class Model {
 public:
  Model(const Settings& settings, const std::string& script)
      : process_({settings.bin + "/parley-scripted-model", script}) {
    const std::string ready = process_.read_line();
    check(ready.starts_with("ready "), ready.c_str());
    url_ = ready.substr(6);
  }
  const std::string& url() const { return url_; }

 private:
  ChildProcess process_;
  std::string url_;
};

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

CrowdSample measure(const Settings& settings, const std::vector<std::string>& command) {
  const PinnedServer server(command, Place::free);
  RunCrowd crowd(server, settings.runs, "List the files, then tell.");
  const Seconds reply_time(static_cast<double>(settings.pieces) * kPieceDelayMs * 1e-3);
  return crowd.measure(reply_time, kReplies * settings.pieces);
}

int run(const Settings& settings) {
  const core::TempFolder scratch("parley-runs");
  for (const char* name : {"work", "home", "peer"}) {
    std::filesystem::create_directory(scratch.file(name));
    std::filesystem::permissions(scratch.file(name), std::filesystem::perms::owner_all);
  }
  write_file(scratch.file("script.json"), script_of(settings.pieces));
  Rows rows;
  for (int i = 0; i < settings.repetitions; ++i) {
    // New ones each time: their memory is that of one crowd.
    std::filesystem::remove_all(scratch.file("data"));
    const Model model(settings, scratch.file("script.json"));
    write_file(scratch.file("parley.toml"),
               "[[models.providers]]\nname = \"bench\"\nbase_url = \"" + model.url() +
                   "\"\nmodels = [\"scripted\"]\n");
    const std::vector<std::string> ours = {"/usr/bin/env",
                                           "HOME=" + (scratch.file("home")),
                                           settings.bin + "/parley",
                                           "serve",
                                           "--config",
                                           scratch.file("parley.toml"),
                                           "--listen",
                                           "127.0.0.1:0",
                                           "--data",
                                           scratch.file("data"),
                                           "--token",
                                           kStreamToken,
                                           "--log-level",
                                           "error",
                                           "--runs-working-folder",
                                           scratch.file("work")};
    add(measure(settings, ours), &Row::ours, rows);
    add(measure(settings, {"/usr/bin/env", "node", settings.peers + "/run_relay.mjs",
                           scratch.file("peer"), model.url()}),
        &Row::theirs, rows);
  }
  return write_rows(settings.out, {&rows.p50, &rows.p99, &rows.cpu, &rows.memory, &rows.rate}) ? 0
                                                                                               : 1;
}

// A socket for each watcher here, two for each run in the server.
void raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  parley::bench::Settings settings;
  std::string mode = "full";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    if (option == "--mode") mode = argv[i + 1];
    if (option == "--bin") settings.bin = argv[i + 1];
    if (option == "--peers") settings.peers = argv[i + 1];
    if (option == "--out") settings.out = argv[i + 1];
    if (option == "--runs") settings.runs = std::strtoul(argv[i + 1], nullptr, 10);
  }
  if (settings.bin.empty() || settings.peers.empty() || settings.out.empty() ||
      settings.runs == 0 || (mode != "full" && mode != "quick")) {
    std::fprintf(stderr,
                 "runs_bench [--mode full|quick] [--runs N] --bin DIR --peers DIR --out FILE\n");
    return 2;
  }
  if (mode == "quick") {
    settings.repetitions = 1;
    settings.pieces = 20;
  }
  parley::bench::raise_descriptor_limit();
  return parley::bench::run(settings);
}
