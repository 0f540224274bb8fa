// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// `parley run` killed in the middle of a run and continued with `parley run --resume`, with every
// kind of agent. PARLEY_KILL_ROUNDS sets the number of runs, PARLEY_KILL_SEED the moments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "base/core/entropy.h"
#include "model/event/event.h"
#include "tests/app/program.h"
#include "tests/app/run_program.h"
#include "tests/app/run_script.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kDefaultRounds = 10;
constexpr std::uint64_t kDefaultSeed = 20'261'122;
constexpr std::uint64_t kMostKills = 3;  // of one run
constexpr core::Millis kPieceDelay{3};

std::uint64_t kill_setting(const char* name, std::uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

// The place in a run where it is killed.
enum class Point : std::uint8_t { streaming, in_flight, after_tool, checkpoint };
constexpr std::size_t kPoints = 4;

bool is_at(const RunFrame& frame, Point point) {
  const std::string type = frame.type();
  switch (point) {
    case Point::streaming:
      return type == "message_chunk" || type == "thought_chunk" || type == "tool_call_chunk";
    case Point::in_flight:
      return type == "tool_start";
    case Point::after_tool:
      return type == "tool_end";
    case Point::checkpoint:
      // The checkpoint of a node comes right after its exit.
      return type == "node_exit" || type == "checkpoint";
  }
  return false;
}

std::size_t count_at(const std::vector<RunFrame>& frames, Point point) {
  return static_cast<std::size_t>(std::ranges::count_if(
      frames, [point](const RunFrame& frame) { return is_at(frame, point); }));
}

struct Plan {
  Point point = Point::streaming;
  std::size_t nth = 1;
  core::Millis after{0};
};

// Facts of a run, collected from the stored events of its session.
struct Story {
  std::vector<std::string> replies;
  std::map<std::string, std::string> labels;   // of calls, by call id
  std::map<std::string, std::string> results;  // of calls that ended, by label
  std::set<std::string> started;               // labels of calls
  std::set<std::string> in_flight;             // labels in the `resumed` note
  std::vector<std::string> faults;
  std::vector<std::string> frames;  // built from the stored events
  std::size_t resumed = 0;
};

class RunKillTest : public ::testing::Test {
 protected:
  struct Done {
    std::string reply;
    std::map<std::string, int> trace;
    Story story;
    std::vector<RunFrame> frames;
  };

  void SetUp() override { settings_ = model_settings(dir_, model_); }

  std::vector<std::string> common() const {
    return {"--config", settings_, "--data", dir_.file("data")};
  }

  // Session and folder of one run.
  struct Place {
    std::string session;
    std::string folder;
  };
  Place new_place(const std::string& kind) {
    Place place{kind + "-" + std::to_string(++places_), ""};
    place.folder = dir_.file(place.session);
    std::filesystem::create_directory(place.folder);
    return place;
  }

  std::unique_ptr<RunProgram> begin(const std::string& kind, const Place& place) {
    std::vector<std::string> words = {"--agent",   kind,         "--model",           kModel,
                                      "--cwd",     place.folder, "--session",         place.session,
                                      "--approve", "auto",       WorkScript::kMessage};
    const auto more = common();
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<RunProgram>(dir_, words);
  }

  std::unique_ptr<RunProgram> resume(const std::string& run) {
    std::vector<std::string> words = {"--resume", run};
    const auto more = common();
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<RunProgram>(dir_, words);
  }

  Plan plan_for(const std::vector<RunFrame>& undisturbed, Point point) {
    Plan plan{point, 1, core::Millis(0)};
    plan.nth = 1 + random_.next_u64() % std::max<std::size_t>(1, count_at(undisturbed, point));
    // A command in flight takes some time; everything else ends at once.
    plan.after = core::Millis(random_.next_u64() % (point == Point::in_flight ? 150 : 3));
    return plan;
  }

  // Kills the program at that place. False: it has ended before.
  static bool kill_at(RunProgram& program, const Plan& plan) {
    std::size_t seen = 0;
    while (const auto frame = program.next()) {
      if (frame->is_reply()) return false;
      if (!is_at(*frame, plan.point) || ++seen < plan.nth) continue;
      program.let_run(plan.after);
      program.kill_now();
      return std::ranges::none_of(program.frames, &RunFrame::is_reply);
    }
    return false;
  }

  // All stored events, from `parley export`.
  Story story_of(const Place& place) {
    Story story;
    const Ran ran = run(dir_, {"export", "--data", dir_.file("data"), "--session", place.session});
    EXPECT_EQ(ran.status, 0) << ran.errors;
    std::istringstream lines(ran.out);
    for (std::string line; std::getline(lines, line);) {
      const boost::json::object event = boost::json::parse(line).as_object();
      if (event.at("type").as_string() == event::kNumbersSkipped) continue;
      story.frames.push_back(frame_of(event, line));
      take(story, std::string(event.at("type").as_string()), event.at("payload").as_object());
    }
    return story;
  }

  // The frame of an event as `parley export` writes it, byte by byte.
  static std::string frame_of(const boost::json::object& event, const std::string& line) {
    constexpr std::string_view kPayload = R"("payload":{)";
    constexpr std::string_view kReply = R"("type":"reply",)";
    std::string members = line.substr(line.find(kPayload) + kPayload.size());
    members.pop_back();
    if (members.starts_with(kReply)) members.erase(0, kReply.size());
    return R"({"session_id":)" + boost::json::serialize(event.at("session")) + R"(,"event_id":)" +
           boost::json::serialize(event.at("seq")) + "," + members;
  }

  static void take(Story& story, const std::string& type, const boost::json::object& payload) {
    RunFrame frame;
    frame.json = payload;
    const std::string call = frame.text("call_id");
    const std::string label = story.labels.contains(call) ? story.labels.at(call) : "";
    if (type == "reply") {
      story.replies.push_back(frame.text("stop_reason") + ": " + frame.text("reply"));
    } else if (type == "tool_call") {
      story.labels[call] = label_of(boost::json::serialize(payload.at("arguments")));
    } else if (type == "tool_start") {
      if (!story.started.insert(label).second) story.faults.push_back(label + " began twice");
    } else if (type == "tool_end") {
      if (!story.results.emplace(label, frame.text("result")).second) {
        story.faults.push_back(label + " ended twice");
      }
    } else if (type == "custom") {
      take_resumed(story, payload.at("value"));
    }
  }

  static void take_resumed(Story& story, const boost::json::value& value) {
    if (!value.is_object() || !value.get_object().contains("resumed")) return;
    ++story.resumed;
    std::set<std::string> told;
    for (const auto& each : value.at("resumed").at("in_flight").as_array()) {
      told.insert(story.labels[std::string(each.as_string())]);
    }
    for (const std::string& label : story.started) {
      if (!story.results.contains(label) && !told.contains(label)) {
        story.faults.push_back(label + " was in flight and is not named");
      }
    }
    for (const std::string& label : told) {
      if (!story.started.contains(label)) story.faults.push_back(label + " had not begun");
    }
    story.in_flight.merge(told);
  }

  static std::map<std::string, int> trace_of(const Place& place) {
    std::map<std::string, int> out;
    std::ifstream in(place.folder + "/trace");
    for (std::string line; std::getline(in, line);) ++out[line];
    return out;
  }

  const Done& undisturbed(const std::string& kind) {
    Done& done = undisturbed_[kind];
    if (!done.reply.empty()) return done;
    const Place place = new_place(kind);
    const auto program = begin(kind, place);
    EXPECT_EQ(program->wait(), 0) << program->errors();
    if (program->frames.empty()) return done;
    done.frames = program->frames;
    done.reply = done.frames.back().text("reply");
    done.trace = trace_of(place);
    done.story = story_of(place);
    EXPECT_FALSE(done.reply.empty());
    EXPECT_GE(done.trace.size(), 2U);
    for (const auto& [label, count] : done.trace) EXPECT_EQ(count, 1) << label;
    EXPECT_THAT(done.story.faults, IsEmpty());
    return done;
  }

  // Kills one run, perhaps again after it was resumed, and lets it end.
  void disturb(const std::string& kind, Point point) {
    const Done& whole = undisturbed(kind);
    ASSERT_FALSE(whole.reply.empty());
    const Place place = new_place(kind);
    auto program = begin(kind, place);
    Plan plan = plan_for(whole.frames, point);
    std::vector<RunFrame> frames;
    std::uint64_t kills = 0;
    bool killed = kill_at(*program, plan);
    while (killed) {
      ++kills;
      join(frames, program->frames);
      EXPECT_TRUE(all_gone(read_pids(place.folder + "/pids"))) << "a command's children live on";
      ASSERT_FALSE(frames.empty());
      program = resume(frames.front().text("run_id"));
      if (kills >= kMostKills || random_.next_u64() % 3 != 0) break;
      plan = plan_for(whole.frames, static_cast<Point>(random_.next_u64() % kPoints));
      plan.nth = 1 + plan.nth / 3;
      killed = kill_at(*program, plan);
    }
    const int status = program->wait();
    join(frames, program->frames);
    kills_ += kills;
    if (!frames.empty() && frames.back().is_reply()) {
      EXPECT_EQ(frames.back().text("reply"), whole.reply);
    } else {
      // The reply became durable just before the kill and was not seen.
      EXPECT_EQ(status, 2) << program->errors();
      EXPECT_THAT(program->errors(), HasSubstr("The run has finished"));
    }
    const Story story = story_of(place);
    examine(place, story, whole, kills);
    check_stream(place, story, frames);
  }

  void examine(const Place& place, const Story& story, const Done& whole, std::uint64_t kills) {
    EXPECT_THAT(story.faults, IsEmpty());
    EXPECT_THAT(story.replies, ::testing::ElementsAre("end_turn: " + whole.reply));
    EXPECT_LE(story.resumed, kills);
    in_flight_ += story.in_flight.size();
    const std::map<std::string, int> trace = trace_of(place);
    for (const auto& [label, count] : whole.trace) {
      const auto found = trace.find(label);
      const int times = found == trace.end() ? 0 : found->second;
      ASSERT_TRUE(story.results.contains(label)) << label << " has no result";
      const std::string& result = story.results.at(label);
      if (story.in_flight.contains(label)) {
        EXPECT_LE(times, 1) << label << " was in flight";
        EXPECT_THAT(result, HasSubstr("was interrupted while this call"));
      } else {
        EXPECT_EQ(times, 1) << label;
        EXPECT_EQ(result, whole.story.results.at(label)) << label;
      }
    }
    EXPECT_TRUE(std::ranges::includes(
        whole.trace, trace, {}, [](const auto& e) { return e.first; },
        [](const auto& e) { return e.first; }));
  }

  static bool tells_of_resuming(const RunFrame& frame) {
    const boost::json::value* value = frame.json.if_contains("value");
    return value != nullptr && value->is_object() && value->get_object().contains("resumed");
  }

  // Frames that a resumed program repeats must be unchanged. No number is used twice, not even
  // that of a frame that was shown just before the kill and not stored; otherwise a client that
  // resumes after that frame would miss one.
  static void join(std::vector<RunFrame>& frames, const std::vector<RunFrame>& more) {
    const auto new_from = std::ranges::find_if(more, tells_of_resuming);
    for (auto again = more.begin(); again != new_from; ++again) {
      const auto seen = std::ranges::find(frames, again->id(), &RunFrame::id);
      if (seen != frames.end()) {
        EXPECT_EQ(seen->line, again->line);
      } else {
        frames.push_back(*again);
      }
    }
    std::ranges::sort(frames, {}, &RunFrame::id);
    for (auto fresh = new_from; fresh != more.end(); ++fresh) {
      EXPECT_TRUE(frames.empty() || fresh->id() > frames.back().id()) << fresh->line;
      frames.push_back(*fresh);
    }
  }

  // The frames shown before and after the kills and those of the stored events must merge into one
  // valid stream.
  void check_stream(const Place& place, const Story& story, const std::vector<RunFrame>& frames) {
    const std::string shown = place.folder + "/shown";
    const std::string stored = place.folder + "/stored";
    std::ofstream shown_file(shown);
    for (const RunFrame& frame : frames) shown_file << frame.line << "\n";
    shown_file.close();
    std::ofstream stored_file(stored);
    for (const std::string& frame : story.frames) stored_file << frame << "\n";
    stored_file.close();
    const Ran ran = run(dir_, {"events", stored, shown, "--check"});
    EXPECT_EQ(ran.status, 0) << ran.errors;
  }

  core::TempFolder dir_{"parley-run-kill"};
  const model::ScriptedModel model_{WorkScript{kPieceDelay, "0.15"}.script()};
  std::string settings_;
  core::SeededEntropy random_{kill_setting("PARLEY_KILL_SEED", kDefaultSeed)};
  std::map<std::string, Done> undisturbed_;
  int places_ = 0;
  std::uint64_t kills_ = 0;
  std::size_t in_flight_ = 0;
};

TEST_F(RunKillTest, KilledRun_ResumesToSameReply_RepeatsNoCall) {
  const auto rounds = kill_setting("PARLEY_KILL_ROUNDS", kDefaultRounds);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const std::string kind = kKinds[round % std::size(kKinds)];
    // Each point with each kind, in turn.
    const auto point = static_cast<Point>((round + round / std::size(kKinds)) % kPoints);
    SCOPED_TRACE("round " + std::to_string(round) + ", " + kind + ", point " +
                 std::to_string(static_cast<int>(point)));
    ASSERT_NO_FATAL_FAILURE(disturb(kind, point));
  }
  std::cout << rounds << " runs, " << kills_ << " kills, " << in_flight_
            << " calls were in flight\n";
  EXPECT_GT(kills_, 0U) << "no run was disturbed";
}

// A running shell command, with processes that it has started, dies with the program.
TEST_F(RunKillTest, ShellCommandInFlight_IsGone_ModelIsTold) {
  const Done& whole = undisturbed("react");
  const Place place = new_place("react");
  auto program = begin("react", place);
  while (const auto frame = program->next()) {
    if (frame->type() == "tool_output" && frame->text("call_id") == "c2") break;
  }
  program->kill_now();
  const std::vector<int> pids = read_pids(place.folder + "/pids");
  EXPECT_GE(pids.size(), 1U);
  EXPECT_TRUE(all_gone(pids));
  program = resume(program->frames.front().text("run_id"));
  EXPECT_EQ(program->wait(), 0) << program->errors();
  EXPECT_EQ(program->frames.back().text("reply"), whole.reply);
  const Story story = story_of(place);
  EXPECT_THAT(story.in_flight, ::testing::ElementsAre("c2"));
  EXPECT_THAT(story.faults, IsEmpty());
  EXPECT_THAT(model_.requests().back().body, HasSubstr("was interrupted while this call"));
}

}  // namespace
}  // namespace parley::tests
