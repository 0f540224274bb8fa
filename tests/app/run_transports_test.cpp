// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// One run, watched by many clients at once: on the command line that started it, over HTTP as
// NDJSON and as server-sent events, and over the WebSocket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/core/entropy.h"
#include "program.h"
#include "run_program.h"
#include "run_script.h"
#include "run_watcher.h"

namespace parley::tests {
namespace {

constexpr const char* kToken = "run-test-token";
constexpr core::Millis kPieceDelay{4};
constexpr std::uint64_t kSeed = 4;

std::vector<std::string> lines_of(const std::vector<RunFrame>& frames) {
  std::vector<std::string> lines;
  for (const RunFrame& frame : frames) lines.push_back(frame.line);
  return lines;
}

class RunTransports : public ::testing::TestWithParam<const char*> {
 protected:
  RunTransports()
      : settings_(model_settings(dir_, model_)),
        server_(dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data"), "--config",
                       settings_, "--token", kToken}) {}

  std::unique_ptr<RunProgram> begin() {
    return std::make_unique<RunProgram>(
        dir_, std::vector<std::string>{"--agent", GetParam(), "--model", kModel, "--approve",
                                       "auto", "--cwd", dir_.path(), "--data", dir_.file("data"),
                                       WorkScript::kMessage});
  }

  RunWatcher watch(Transport transport, std::uint64_t after = 0) const {
    return {server_, kToken, transport, run_id_, after};
  }

  // Reads the first `count` frames of the command line.
  void begin_with(RunProgram& program, std::size_t count) {
    while (program.frames.size() < count) {
      ASSERT_TRUE(program.next()) << program.errors();
    }
    run_id_ = program.frames.front().text("run_id");
    ASSERT_FALSE(run_id_.empty());
  }

  // All frames of the watcher, after those of `seen`, must be the whole run. The end over the
  // WebSocket must agree with the reply.
  static void expect_whole(RunWatcher& watcher, Transport transport,
                           const std::vector<RunFrame>& whole, std::vector<std::string> seen = {}) {
    SCOPED_TRACE(name_of(transport));
    while (const auto frame = watcher.next()) seen.push_back(*frame);
    std::vector<std::string> expected = lines_of(whole);
    if (transport == Transport::websocket) {
      expected.pop_back();
      expect_same_end(watcher, whole.back());
    }
    ASSERT_EQ(seen.size(), expected.size());
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], expected[i]) << "frame " << i;
  }

  static void expect_same_end(const RunWatcher& watcher, const RunFrame& reply) {
    ASSERT_TRUE(watcher.ending());
    const boost::json::object& end = *watcher.ending();
    EXPECT_EQ(end.at("type"), "run_end");
    for (const char* name :
         {"reply", "session_id", "node_id", "event_id", "run_id", "stop_reason"}) {
      EXPECT_EQ(end.at(name), reply.json.at(name)) << name;
    }
    for (const auto& [name, theirs] :
         {std::pair("reasoning_content", "reasoning_content"), std::pair("usage", "total_usage")}) {
      const boost::json::value* in_reply = reply.json.if_contains(name);
      const boost::json::value* in_end = end.if_contains(theirs);
      ASSERT_EQ(in_reply == nullptr, in_end == nullptr) << name;
      if (in_reply != nullptr) {
        EXPECT_EQ(*in_end, *in_reply) << name;
      }
    }
  }

  // Disconnects and resumes after the last event_id, again and again.
  void expect_whole_with_breaks(Transport transport, std::vector<std::string>& seen,
                                std::uint64_t stay) {
    auto watcher = watch(transport, seen.empty() ? 0 : RunFrame::read(seen.back()).id());
    for (std::uint64_t i = 0; i < stay; ++i) {
      const auto frame = watcher.next();
      if (!frame) return;
      seen.push_back(*frame);
    }
  }

  core::TempFolder dir_{"parley-run-watch"};
  const model::ScriptedModel model_{WorkScript{kPieceDelay, "0.1"}.script()};
  const std::string settings_;
  const Server server_;
  std::string run_id_;
};

TEST_P(RunTransports, AllWatchers_GetSameFrames) {
  const auto program = begin();
  ASSERT_NO_FATAL_FAILURE(begin_with(*program, 1));
  std::vector<RunWatcher> watchers;
  for (const Transport transport : kTransports) watchers.push_back(watch(transport));
  ASSERT_NO_FATAL_FAILURE(begin_with(*program, 40));
  std::vector<RunWatcher> late;
  for (const Transport transport : kTransports) late.push_back(watch(transport));
  ASSERT_EQ(program->wait(), 0) << program->errors();
  ASSERT_TRUE(program->frames.back().is_reply());
  ASSERT_GT(program->frames.size(), 60U) << "nobody was late";
  for (std::size_t i = 0; i < watchers.size(); ++i) {
    expect_whole(watchers[i], kTransports[i], program->frames);
    expect_whole(late[i], kTransports[i], program->frames);
    auto afterwards = watch(kTransports[i]);
    expect_whole(afterwards, kTransports[i], program->frames);
  }
}

TEST_P(RunTransports, ReturningWatcher_LosesAndRepeatsNothing) {
  core::SeededEntropy random(kSeed);
  const auto program = begin();
  ASSERT_NO_FATAL_FAILURE(begin_with(*program, 1));
  std::vector<std::vector<std::string>> seen(std::size(kTransports));
  for (int visit = 0; visit < 12; ++visit) {
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const std::uint64_t stay = 1 + random.next_u64() % 8;
      expect_whole_with_breaks(kTransports[i], seen[i], stay);
    }
  }
  std::vector<RunWatcher> last;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    last.push_back(watch(kTransports[i], RunFrame::read(seen[i].back()).id()));
  }
  ASSERT_EQ(program->wait(), 0) << program->errors();
  for (std::size_t i = 0; i < seen.size(); ++i) {
    expect_whole(last[i], kTransports[i], program->frames, seen[i]);
  }
}

TEST_P(RunTransports, WatcherWithLastEvent_IsToldEndAtOnce) {
  const auto program = begin();
  ASSERT_EQ(program->wait(), 0) << program->errors();
  ASSERT_NO_FATAL_FAILURE(begin_with(*program, 1));
  for (const Transport transport : kTransports) {
    SCOPED_TRACE(name_of(transport));
    auto watcher = watch(transport, program->frames.back().id());
    EXPECT_EQ(watcher.next(), std::nullopt);
    EXPECT_EQ(watcher.ending().has_value(), transport == Transport::websocket);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, RunTransports, ::testing::ValuesIn(kKinds),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace parley::tests
