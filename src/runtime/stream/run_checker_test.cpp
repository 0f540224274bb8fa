// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stream/sample_runs.h"

namespace parley::runtime {
namespace {

using namespace runtime;
using testing::IsEmpty;
using Codes = std::vector<std::string>;

// Findings in a run with these events, placed between run_start and the reply.
struct Outcome {
  Reading reading;
  Codes found;
  const RunSummary& run() const { return reading.sessions.at(0).runs.at(0); }
};

Outcome run_of(const std::vector<RunEvent>& events) {
  SampleStream stream;
  stream.begin();
  for (const RunEvent& event : events) stream.add(event);
  Outcome out{read_text(stream.reply("x").text()), {}};
  out.found = codes(out.reading);
  return out;
}

// The same, with the events inside a node.
Outcome node_of(std::vector<RunEvent> events) {
  events.insert(events.begin(), NodeEnter{"n"});
  events.push_back(NodeExit{"n", std::nullopt});
  return run_of(events);
}

Codes found_in(std::initializer_list<std::string_view> lines) {
  return codes(read_text(lines_of(lines)));
}

TEST(RunChecker, RunStart_MustBeFirst) {
  EXPECT_EQ(
      found_in({R"({"type":"usage","prompt_tokens":1,"completion_tokens":1,"total_tokens":2})",
                R"({"type":"run_start","run_id":"r"})", R"({"reply":"x"})"}),
      Codes{"run_start_late"});
}

TEST(RunChecker, Reply_MustBeLast) {
  SampleStream stream;
  stream.begin().add(NodeEnter{"a"}).add(NodeExit{"a", std::nullopt}).reply("x");
  stream.add(MessageChunk{"more", "a"});
  EXPECT_EQ(codes(read_text(stream.text())), Codes{"event_after_reply"});
  stream = SampleStream();
  stream.begin().reply("x").reply("y");
  EXPECT_EQ(codes(read_text(stream.text())), Codes{"event_after_reply"});
}

TEST(RunChecker, TruncatedRun_IsTold) {
  SampleStream stream;
  stream.begin().add(NodeEnter{"a"});
  EXPECT_EQ(codes(read_text(stream.text())), (Codes{"reply_missing", "node_unclosed"}));
  stream.begin("run-2").reply("x");
  const Reading reading = read_text(stream.text());
  EXPECT_EQ(codes(reading), (Codes{"reply_missing", "node_unclosed"}));
  EXPECT_EQ(reading.sessions.at(0).runs.size(), 2U);
}

TEST(RunChecker, UnclosedNodes_AreTold) {
  EXPECT_EQ(run_of({NodeEnter{"a"}}).found, Codes{"node_unclosed"});
  EXPECT_EQ(run_of({NodeEnter{"a"}, NodeExit{"b", std::nullopt}}).found,
            Codes{"node_name_mismatch"});
  EXPECT_EQ(run_of({NodeExit{"a", std::nullopt}}).found, Codes{"node_not_open"});
  EXPECT_EQ(
      run_of({NodeEnter{"a"}, NodeExit{"a", std::nullopt}, NodeExit{"a", std::nullopt}}).found,
      Codes{"node_not_open"});
}

TEST(RunChecker, IdOfNode_StandsUntilNextNode) {
  EXPECT_THAT(run_of({NodeEnter{"a"}, NodeExit{"a", std::nullopt}, Values{"{}"}, Updates{"a", "{}"},
                      Checkpoint{"k", "1", 1, "{}", {}, {}, {}}})
                  .found,
              IsEmpty());
}

TEST(RunChecker, Branches_RunBesideEachOther) {
  const auto line = [](int number, std::string_view node, std::string_view rest) {
    return R"({"session_id":"s","event_id":)" + std::to_string(number) + R"(,"node_id":"run-)" +
           std::string(node) + "\"," + std::string(rest) + "}\n";
  };
  std::string text = "{\"session_id\":\"s\",\"event_id\":1,\"type\":\"run_start\"}\n";
  text += line(2, "a-0", R"("type":"node_enter","id":"a")");
  text += line(3, "b-1", R"("type":"node_enter","id":"b")");
  text += line(4, "a-0", R"("type":"message_chunk","id":"a","content":"x")");
  text += line(5, "b-1", R"("type":"message_chunk","id":"b","content":"y")");
  text += line(6, "a-0", R"("type":"node_exit","id":"a","result":"Ok")");
  text += line(7, "a-0", R"("type":"updates","id":"a","state":{})");
  text += line(8, "b-1", R"("type":"node_exit","id":"b","result":"Ok")");
  text += line(9, "b-1", R"("reply":"z")");
  EXPECT_THAT(codes(read_text(text)), IsEmpty());
}

TEST(RunChecker, ForeignNodeIds_AreTold) {
  EXPECT_EQ(found_in({R"({"type":"run_start"})", R"({"type":"node_enter","id":"a","node_id":"x"})",
                      R"({"type":"node_exit","id":"a","result":"Ok","node_id":"x"})",
                      R"({"reply":"","node_id":"x"})"}),
            Codes{"node_id_malformed"});
  EXPECT_EQ(
      found_in({R"({"type":"run_start"})", R"({"type":"node_enter","id":"a","node_id":"run-a-1"})",
                R"({"type":"node_exit","id":"a","result":"Ok","node_id":"run-a-1"})",
                R"({"reply":"","node_id":"run-a-1"})"}),
      Codes{"node_id_out_of_order"});
  EXPECT_EQ(
      found_in({R"({"type":"run_start"})", R"({"type":"node_enter","id":"a","node_id":"run-a-0"})",
                R"({"type":"message_chunk","id":"a","content":"","node_id":"run-b-1"})",
                R"({"type":"node_exit","id":"a","result":"Ok","node_id":"run-a-0"})",
                R"({"reply":"","node_id":"run-a-0"})"}),
      Codes{"node_id_mismatch"});
  EXPECT_EQ(
      found_in({R"({"type":"run_start"})", R"({"type":"node_enter","id":"a","node_id":"run-a-0"})",
                R"({"type":"node_exit","id":"a","result":"Ok","node_id":"run-a-0"})",
                R"({"type":"node_enter","id":"b","node_id":"run-b-1"})",
                R"({"type":"updates","id":"a","state":1,"node_id":"run-a-0"})",
                R"({"type":"node_exit","id":"b","result":"Ok","node_id":"run-b-1"})",
                R"({"reply":"","node_id":"run-b-1"})"}),
      Codes{"node_id_mismatch"});
}

TEST(RunChecker, ChunksOfOtherNode_AreTold) {
  EXPECT_EQ(node_of({MessageChunk{"x", "other"}}).found, Codes{"node_name_mismatch"});
}

// --- tools ---------------------------------------------------------------------------------------

TEST(RunChecker, RefusedCall_IsFollowed) {
  const Outcome out = node_of({ToolCallMade{"c", "bash", "{}"}, ToolApproval{"c", "bash", "{}"},
                               ToolEnd{"c", "bash", "User rejected.", true, std::nullopt}});
  EXPECT_THAT(out.found, IsEmpty());
  EXPECT_EQ(out.run().tools, 1U);
}

TEST(RunChecker, ToolEventsOutOfOrder_AreTold) {
  const ToolCallMade call{"c", "t", "{}"};
  const ToolStart start{"c", "t"};
  const ToolEnd end{"c", "t", "r", false, std::nullopt};
  EXPECT_THAT(node_of({call, start, end}).found, IsEmpty());
  EXPECT_EQ(node_of({start, end}).found, Codes{"tool_start_without_call"});
  EXPECT_EQ(node_of({call, end}).found, Codes{"tool_end_without_start"});
  EXPECT_EQ(node_of({call, start, end, end}).found, Codes{"tool_end_without_start"});
  EXPECT_EQ(node_of({call, ToolOutput{"c", "t", "x"}, start, end}).found,
            Codes{"tool_output_outside"});
  EXPECT_EQ(node_of({call, start, end, ToolOutput{"c", "t", "x"}}).found,
            Codes{"tool_output_outside"});
  EXPECT_EQ(node_of({call, start, ToolApproval{"c", "t", "{}"}, end}).found,
            Codes{"approval_late"});
  EXPECT_EQ(node_of({call, start}).found, Codes{"tool_unfinished"});
}

TEST(RunChecker, CallsWithoutIds_AreDistinguishedByName) {
  const Outcome out = node_of(
      {ToolCallMade{std::nullopt, "a", "1"}, ToolCallMade{std::nullopt, "b", "2"},
       ToolStart{std::nullopt, "b"}, ToolEnd{std::nullopt, "b", "two", false, std::nullopt},
       ToolStart{std::nullopt, "a"}, ToolEnd{std::nullopt, "a", "one", false, std::nullopt}});
  EXPECT_THAT(out.found, IsEmpty());
  EXPECT_EQ(out.run().tools, 2U);
}

TEST(RunChecker, IdReusedInLaterTurn_IsTaken) {
  const ToolCallMade call{"call_1", "t", "{}"};
  const ToolStart start{"call_1", "t"};
  const Outcome out = node_of({call, start, ToolEnd{"call_1", "t", "one", false, {}}, call, start,
                               ToolEnd{"call_1", "t", "two", false, {}}});
  EXPECT_THAT(out.found, IsEmpty());
  EXPECT_EQ(out.run().tools, 2U);
}

// --- sub-agents ----------------------------------------------------------------------------------

TEST(RunChecker, RunsOfSubAgents_AreAddedUp) {
  const auto nested = [](std::string_view event) {
    return Custom{R"({"sub_agent":"explore","call_id":"c","depth":1,"event":)" +
                  std::string(event) + "}"};
  };
  const Outcome out = node_of(
      {ToolCallMade{"c", "invoke_agent", "{}"}, ToolStart{"c", "invoke_agent"},
       nested(R"({"type":"run_start","agent":"explore","message":"look"})"),
       nested(R"({"type":"node_enter","id":"think","node_id":"run-think-0"})"),
       nested(R"({"type":"message_chunk","id":"think","content":"hm","node_id":"run-think-0"})"),
       nested(R"({"type":"usage","prompt_tokens":3,"completion_tokens":4,"total_tokens":7})"),
       nested(R"({"type":"node_exit","id":"think","result":"Ok","node_id":"run-think-0"})"),
       nested(R"({"reply":"found","node_id":"run-think-0"})"),
       ToolEnd{"c", "invoke_agent", "found", false, std::nullopt}, Usage{10, 20, 30}});
  EXPECT_THAT(out.found, IsEmpty());
  EXPECT_EQ(out.run().usage, (Usage{13, 24, 37})) << "what it cost counts for the run";
  EXPECT_EQ(out.run().model_calls, 2U);
}

// As a sub-agent's frames come from a run: in parallel, and without a reply.
TEST(RunChecker, SubAgentsOfOneCall_AreToldApart) {
  const auto nested = [](int index, std::string_view event) {
    return Custom{R"({"sub_agent":"explore","call_id":"c","index":)" + std::to_string(index) +
                  R"(,"event":)" + std::string(event) + "}"};
  };
  const auto enter = R"({"type":"node_enter","id":"think","node_id":"run-think-0"})";
  const auto exit = R"({"type":"node_exit","id":"think","result":"Ok","node_id":"run-think-0"})";
  const auto begin = R"({"type":"run_start","agent":"explore"})";
  EXPECT_THAT(node_of({nested(0, begin), nested(1, begin), nested(0, enter), nested(1, enter),
                       nested(1, exit), nested(0, exit)})
                  .found,
              IsEmpty());
  EXPECT_EQ(node_of({nested(0, begin), nested(0, enter)}).found, Codes{"node_unclosed"});
}

// The single-key form has no node_id.
TEST(RunChecker, ExportOfParallelNodes_IsToldApartByName) {
  const std::string begin = R"({"RunStart":{"run_id":"r","message":"m","agent":"got"}})";
  const std::string end = R"({"reply":"x","stop_reason":"end_turn"})";
  const auto enter = [](const std::string& id) {
    return R"({"TaskStart":{"node_id":")" + id + R"(","namespace":null}})";
  };
  const auto exit = [](const std::string& id) {
    return R"({"TaskEnd":{"node_id":")" + id + R"(","result":"Ok","namespace":null}})";
  };
  const auto chunk = [](const std::string& id) {
    return R"({"Messages":{"chunk":{"content":"x","kind":"Message"},"metadata":{"loom_node":")" +
           id + R"(","namespace":null}}})";
  };
  EXPECT_EQ(found_in({begin, enter("graph"), enter("think"), chunk("graph"), exit("graph"),
                      exit("think"), end}),
            Codes{});
  EXPECT_EQ(found_in({begin, enter("graph"), exit("graph"), enter("think"), chunk("graph"),
                      exit("think"), end}),
            Codes{"node_name_mismatch"});
}

TEST(RunChecker, FaultInSubAgent_IsTold) {
  const Outcome out =
      node_of({Custom{R"({"sub_agent":"x","event":{"type":"run_start"}})"},
               Custom{R"({"sub_agent":"x","event":{"type":"node_exit","id":"a","result":"Ok"}})"},
               Custom{R"({"sub_agent":"x","event":{"type":"node_exit"}})"},
               Custom{R"({"sub_agent":"x","event":{"reply":"r"}})"}, Custom{R"({"progress":1})"},
               Custom{"7"}});
  EXPECT_EQ(out.found, (Codes{"node_not_open", "missing_field"}));
}

TEST(RunChecker, DepthOfSubAgents_IsLimited) {
  std::string event = R"({"type":"run_start"})";
  for (int i = 0; i < kMaxAgentDepth + 2; ++i) {
    event = R"({"type":"custom","value":{"sub_agent":"x","event":)" + event + "}}";
  }
  const Reading reading = read_text(event + "\n");
  EXPECT_THAT(codes(reading), testing::Contains("too_deeply_nested"));
}

// --- thoughts ------------------------------------------------------------------------------------

TEST(RunChecker, TreeOfThoughts_IsFollowed) {
  const Outcome out = node_of({TotExpand{{"a", "b"}}, TotEvaluate{0, {0.9, 0.1}}, TotExpand{{"c"}},
                               TotEvaluate{0, {0.2}}, TotBacktrack{"tool error", 0},
                               TotExpand{{"d"}}, TotEvaluate{0, {0.5}}});
  EXPECT_THAT(out.found, IsEmpty());
}

TEST(RunChecker, ThoughtsOutOfOrder_AreTold) {
  EXPECT_EQ(node_of({TotEvaluate{0, {1.0}}}).found, Codes{"tot_out_of_order"});
  EXPECT_EQ(node_of({TotBacktrack{"x", 0}}).found, Codes{"tot_out_of_order"});
  EXPECT_EQ(node_of({TotExpand{{"a"}}, TotEvaluate{0, {1.0, 2.0}}}).found,
            Codes{"tot_score_count"});
  EXPECT_EQ(node_of({TotExpand{{"a"}}, TotEvaluate{1, {1.0}}}).found,
            Codes{"tot_choice_out_of_range"});
}

TEST(RunChecker, GraphOfThoughts_IsFollowed) {
  const Outcome out = node_of(
      {GotPlan{3, 2, {"x", "y", "z"}}, GotNodeStart{"x"}, GotExpand{"x", 1, 1},
       GotNodeComplete{"x", "done"}, GotNodeStart{"x_sub_1"}, GotNodeFailed{"x_sub_1", "no"},
       GotNodeFailed{"y", "what it depends on failed"},
       Updates{"n", R"({"task_graph":{"nodes":[{"id":"x","description":"first"},{"id":"z"}],)"
                    R"("edges":[["x","y"],["y","z"]]}})"}});
  EXPECT_THAT(out.found, IsEmpty());
}

TEST(RunChecker, TasksOutOfOrder_AreTold) {
  const GotPlan plan{1, 0, {"x"}};
  EXPECT_EQ(node_of({GotPlan{2, 0, {"x"}}}).found, Codes{"got_plan_count"});
  EXPECT_EQ(node_of({plan, GotNodeStart{"y"}}).found, Codes{"got_task_unknown"});
  EXPECT_EQ(node_of({plan, GotNodeFailed{"y", "no"}}).found, Codes{"got_task_unknown"});
  EXPECT_EQ(node_of({plan, GotExpand{"y", 1, 1}}).found, Codes{"got_task_unknown"});
  EXPECT_EQ(node_of({plan, GotNodeComplete{"x", "r"}}).found, Codes{"got_out_of_order"});
  EXPECT_EQ(node_of({plan, GotNodeStart{"x"}, GotNodeStart{"x"}}).found, Codes{"got_out_of_order"});
}

TEST(RunChecker, RunOfEndedProcess_IsFollowed) {
  SampleStream stream;
  stream.begin().add(NodeEnter{"act"}).add(ToolCallMade{"c", "bash", "{}"});
  stream.add(ToolStart{"c", "bash"});
  stream.add(Custom{R"({"resumed":{"run_id":"run-1","checkpoint_id":"k","in_flight":["c"]}})"});
  stream.add(NodeEnter{"act"}).add(NodeExit{"act", std::nullopt}).reply("x");
  const Reading reading = read_text(stream.text());
  EXPECT_THAT(codes(reading), IsEmpty());
  EXPECT_EQ(reading.sessions.at(0).runs.at(0).resumed, 1U);
}

// A watcher has seen a node that was not stored before the kill; then come the frames of before it.
TEST(RunChecker, ResumptionBehindALostNode_IsFollowed) {
  const std::string resumed =
      R"({"type":"custom","value":{"resumed":{"run_id":"r","in_flight":[]}},"node_id":"run-a-0"})";
  const std::string begun = R"({"type":"run_start"})";
  const std::string a_enters = R"({"type":"node_enter","id":"a","node_id":"run-a-0"})";
  const std::string a_leaves = R"({"type":"node_exit","id":"a","result":"Ok","node_id":"run-a-0"})";
  const std::string b_enters = R"({"type":"node_enter","id":"b","node_id":"run-b-1"})";
  const std::string checkpoint =
      R"({"type":"checkpoint","checkpoint_id":"c","timestamp":"1","step":1,"state":{},)"
      R"("thread_id":"t","next":"b","node_id":"run-a-0"})";
  const std::string b_leaves = R"({"type":"node_exit","id":"b","result":"Ok","node_id":"run-b-1"})";
  const std::string reply = R"({"reply":"","node_id":"run-b-1"})";
  EXPECT_EQ(found_in({begun, a_enters, a_leaves, b_enters, resumed, checkpoint, b_enters, b_leaves,
                      reply}),
            Codes{});
  EXPECT_EQ(found_in({begun, a_enters, a_leaves, b_enters, resumed, b_enters, checkpoint, b_leaves,
                      reply}),
            Codes{"node_id_mismatch"});
}

TEST(RunChecker, StreamBeginningInMiddle_HasFewFindings) {
  const SampleStream stream = sample_run();
  std::string text;
  for (std::size_t i = 9; i < stream.lines.size(); ++i) text += stream.lines[i] + '\n';
  EXPECT_THAT(codes(read_text(text)), IsEmpty());
}

}  // namespace
}  // namespace parley::runtime
