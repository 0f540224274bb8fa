// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs cancelled at seeded points, in any state: over HTTP and the WebSocket in turn, with every
// kind of agent. PARLEY_CANCEL_POINTS sets their number, PARLEY_CANCEL_SEED their choice. The
// durations are printed; on a quiet machine PARLEY_CANCEL_BOUND_MS sets their limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <thread>

#include "base/core/entropy.h"
#include "run_program.h"
#include "run_watcher.h"

namespace parley::tests {
namespace {

namespace fs = std::filesystem;
using model::ScriptedTurn;
using model::ToolCall;
using std::chrono::steady_clock;

constexpr const char* kToken = "run-test-token";
constexpr std::uint64_t kDefaultPoints = 200;
constexpr std::uint64_t kDefaultSeed = 200;

std::uint64_t cancel_setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

// State of a run when it is cancelled; the run stays in it for ever or for a long time.
struct Situation {
  const char* name;
  const char* trigger;  // type of the frame after which the run is in the state
  std::vector<ToolCall> calls;
};

std::string command(const std::string& text) { return R"({"command":")" + text + R"("})"; }

// In the order of the script, whose first matching turn is used.
const std::vector<Situation>& situations() {
  static const std::vector<Situation> kAll = {
      {"stream", "chunk", {}},
      {"stall", "node_enter", {}},
      {"busy", "custom", {}},
      {"bash", "tool_output", {{"", "bash", command("sleep 300 & sleep 301 & echo up; wait")}}},
      {"stubborn",
       "tool_output",
       {{"", "bash",
         command("trap '' TERM; (trap '' TERM; sleep 300) & echo up; while :; do sleep 1; done")}}},
      {"approval", "tool_approval", {{"", "bash", command("echo not this")}}},
      {"mcp", "tool_start", {{"", "wait", "{}"}}},
      {"sub",
       "custom",
       {{"", "invoke_agent",
         R"({"agents":[{"agent":"react","task":"do:bash"},{"agent":"dup","task":"do:stream"}]})"}}},
      {"batch",
       "tool_start",
       {{"", "batch",
         R"({"calls":[{"tool":"bash","parameters":{"command":"sleep 300"}},)"
         R"({"tool":"wait","parameters":{}}]})"}}},
  };
  return kAll;
}

ScriptedTurn turn_of(const Situation& situation, const std::string& when) {
  ScriptedTurn turn;
  turn.when = when;
  turn.repeat = -1;
  turn.tool_calls = situation.calls;
  const std::string name = situation.name;
  if (name == "stream") {
    turn.text = std::string(40'000, 'x');
    turn.delay = core::Millis(2);
  } else if (name == "stall") {
    turn.first_delay = core::Millis(600'000);
  } else if (name == "busy") {
    turn = ScriptedTurn::refuse(429, "Too busy.");
    turn.headers = {{"Retry-After", "60"}};
    turn.when = when;
    turn.repeat = -1;
  }
  return turn;
}

// "case:NAME" puts a step into the state; "tree:NAME" a candidate; "plan:NAME" makes parallel
// tasks in it, beside one that streams.
model::Script script() {
  model::Script out;
  ScriptedTurn understood = ScriptedTurn::say(R"({"core_goal":"x","key_constraints":[]})");
  understood.when = "[parley:task dup_understand]";
  understood.repeat = -1;
  out.turns.push_back(understood);
  for (const Situation& situation : situations()) {
    const std::string name = situation.name;
    out.turns.push_back(turn_of(situation, "do:" + name));
    out.turns.push_back(turn_of(situation, "case:" + name));
    ScriptedTurn tree = turn_of(situation, "tree:" + name);
    if (!situation.calls.empty()) {
      const ToolCall& call = situation.calls.front();
      tree.tool_calls.clear();
      tree.text = R"({"candidates":[{"thought":"Do it","tool_calls":[{"name":")" + call.name +
                  R"(","arguments":)" + call.arguments + "}]}]}";
    }
    out.turns.push_back(std::move(tree));
    ScriptedTurn plan = ScriptedTurn::say(
        R"({"nodes":[{"id":"a","description":"do:)" + name + R"("},{"id":"b","description":"do:)" +
        name + R"("},{"id":"c","description":"do:stream"}],"edges":[]})");
    plan.when = "plan:" + name;
    plan.repeat = -1;
    out.turns.push_back(std::move(plan));
  }
  return out;
}

// Processes whose working folder is this one, except servers of tools.
std::vector<std::string> working_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const fs::path cwd = fs::read_symlink(entry.path() / "cwd", error);
    if (error || cwd != folder) continue;
    const fs::path program = fs::read_symlink(entry.path() / "exe", error).filename();
    if (!error && program != "mcp_test_server") out.push_back(entry.path().filename());
  }
  return out;
}

double ms_since(steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
}

// Prints times in milliseconds, sorted.
void print(const char* what, std::vector<double> times) {
  std::ranges::sort(times);
  const auto at = [&times](double share) {
    return times[static_cast<std::size_t>(share * static_cast<double>(times.size() - 1))];
  };
  std::cout << what << ": p50 " << std::fixed << std::setprecision(1) << at(0.5) << " ms, p99 "
            << at(0.99) << " ms, max " << at(1) << " ms\n";
}

class RunCancel : public ::testing::Test {
 protected:
  RunCancel() : folder_(dir_.file("work")), settings_(write_settings()) {
    fs::create_directory(folder_);
    server_.emplace(dir_,
                    std::vector<std::string>{"--listen", "127.0.0.1:0", "--data", dir_.file("data"),
                                             "--config", settings_, "--token", kToken});
    conformance::WebSocketSettings how;
    how.path = std::string("/loom/ws?token=") + kToken;
    auto socket = conformance::open_websocket(*conformance::Target::parse(server_->url()), how,
                                              in_ms(kPatience));
    EXPECT_TRUE(socket) << socket.error().message;
    if (socket) socket_ = std::move(*socket);
  }

  std::string write_settings() const {
    const std::string path = model_settings(dir_, model_);
    std::ofstream(path, std::ios::app)
        << "[runs]\nmcp_config = \"" << dir_.file("mcp.json") << "\"\n";
    std::ofstream(dir_.file("mcp.json"))
        << R"({"mcpServers":{"test":{"command":")" << MCP_TEST_SERVER << R"(","args":["good"]}}})";
    return path;
  }

  struct Point {
    std::string kind;
    const Situation* situation = nullptr;
    bool early = false;     // at any moment, not in the state
    core::Millis delay{0};  // after its frame, or after the start
    bool over_websocket = false;
  };
  Point point(std::uint64_t number) {
    static constexpr const char* kKinds[] = {"react", "dup", "tot", "got", "agot"};
    Point out;
    out.kind = kKinds[random_.next_u64() % std::size(kKinds)];
    out.situation = &situations()[random_.next_u64() % situations().size()];
    out.early = random_.next_u64() % 4 == 0;
    out.delay = core::Millis(random_.next_u64() % (out.early ? 80 : 25));
    out.over_websocket = number % 2 == 1;
    return out;
  }

  std::string start(const Point& point) {
    const std::string how = point.kind == "tot"           ? "tree:"
                            : point.kind.ends_with("got") ? "plan:"
                                                          : "case:";
    const bool asks = std::string(point.situation->name) == "approval";
    const boost::json::object body = {{"message", how + point.situation->name},
                                      {"agent", point.kind},
                                      {"model", kModel},
                                      {"working_folder", folder_},
                                      {"approve", asks ? "ask" : "auto"}};
    const Server::Answer answer =
        server_->call("POST", "/v1/runs", kToken, boost::json::serialize(body));
    EXPECT_LT(answer.status, 300) << answer.body;
    return answer.status < 300 ? std::string(answer.json().at("id").as_string()) : "";
  }

  static bool is_trigger(const RunFrame& frame, const std::string& wanted) {
    const std::string type = frame.type();
    return wanted == "chunk" ? type.ends_with("_chunk") : type == wanted;
  }

  // Reads until the run is in the state in which it is to be cancelled.
  void come_to(const Point& point, RunWatcher& watcher) {
    while (!point.early) {
      const auto line = watcher.next();
      ASSERT_TRUE(line) << "it has ended";
      const RunFrame frame = RunFrame::read(*line);
      ASSERT_FALSE(frame.is_reply()) << *line;
      if (is_trigger(frame, point.situation->trigger)) break;
    }
    const auto until = steady_clock::now() + point.delay;
    while (steady_clock::now() < until) std::this_thread::yield();
  }

  void cancel(const Point& point, const std::string& run) {
    if (!point.over_websocket) {
      const Server::Answer answer =
          server_->call("POST", "/v1/runs/" + run + "/cancel", kToken, "{}");
      EXPECT_EQ(answer.status, 200) << answer.body;
      return;
    }
    conformance::Outgoing request;
    request.text = R"({"type":"cancel_run","id":"c","run_id":")" + run + R"("})";
    ASSERT_TRUE(socket_->send(request, in_ms(kPatience)));
    for (const std::string type : {"cancel_run", "cancel_run_ack"}) {
      const auto answer = socket_->receive(in_ms(kPatience));
      ASSERT_TRUE(answer) << answer.error().message;
      EXPECT_EQ(answer->value.at("type"), boost::json::value(type)) << answer->bytes;
      EXPECT_EQ(answer->value.at("run_id"), boost::json::value(run));
    }
  }

  bool children_gone() const {
    const auto end = in_ms(kPatience);
    while (!working_in(folder_).empty()) {
      if (steady_clock::now() >= end) return false;
      std::this_thread::yield();
    }
    return true;
  }

  void try_one(const Point& point) {
    const std::string run = start(point);
    ASSERT_FALSE(run.empty());
    RunWatcher watcher(*server_, kToken, Transport::ndjson, run);
    ASSERT_NO_FATAL_FAILURE(come_to(point, watcher));
    const auto begin = steady_clock::now();
    ASSERT_NO_FATAL_FAILURE(cancel(point, run));
    ended_ms_.push_back(ms_since(begin));
    EXPECT_TRUE(children_gone());
    gone_ms_.push_back(ms_since(begin));
    std::string last;
    while (const auto line = watcher.next()) last = *line;
    const RunFrame reply = RunFrame::read(last);
    EXPECT_TRUE(reply.is_reply()) << last;
    EXPECT_EQ(reply.text("stop_reason"), "cancelled") << last;
    EXPECT_EQ(reply.text("reply"), "");
    const Server::Answer shown = server_->call("GET", "/v1/runs/" + run, kToken);
    EXPECT_EQ(shown.json().at("state"), "cancelled") << shown.body;
  }

  core::TempFolder dir_{"parley-run-cancel"};
  const model::ScriptedModel model_{script()};
  const std::string folder_;
  const std::string settings_;
  std::optional<Server> server_;
  std::unique_ptr<conformance::Wire> socket_;
  const std::uint64_t seed_ = cancel_setting("PARLEY_CANCEL_SEED", kDefaultSeed);
  core::SeededEntropy random_{seed_};
  std::vector<double> ended_ms_;
  std::vector<double> gone_ms_;
  std::string slowest_;
};

TEST_F(RunCancel, Cancel_EndsRunAndEverythingStarted) {
  const std::uint64_t points = cancel_setting("PARLEY_CANCEL_POINTS", kDefaultPoints);
  std::cout << "seed " << seed_ << "\n";
  for (std::uint64_t i = 0; i < points; ++i) {
    const Point where = point(i);
    const std::string name = "point " + std::to_string(i) + ": " + where.kind + ", " +
                             where.situation->name + (where.early ? ", early" : "") + " + " +
                             std::to_string(where.delay.count()) + " ms, " +
                             (where.over_websocket ? "WebSocket" : "HTTP");
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE(try_one(where));
    if (gone_ms_.back() >= std::ranges::max(gone_ms_)) slowest_ = name;
    if (const auto bound = cancel_setting("PARLEY_CANCEL_BOUND_MS", 0); bound > 0) {
      EXPECT_LE(gone_ms_.back(), static_cast<double>(bound));
    }
  }
  std::cout << points << " runs cancelled; the slowest: " << slowest_ << "\n";
  print("the run has ended", ended_ms_);
  print("and its children are gone", gone_ms_);
}

}  // namespace
}  // namespace parley::tests
