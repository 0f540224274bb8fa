// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/tot_reading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::agent {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::Pointwise;
using ::testing::SizeIs;

std::vector<Candidate> read(const std::string& text, std::size_t most = 3) {
  return read_candidates(model::Message::assistant(text), most);
}

std::string names(const Candidate& candidate) {
  std::string out;
  for (const model::ToolCall& call : candidate.tool_calls) {
    out += call.name + call.arguments + ";";
  }
  return out;
}

TEST(TotReading, Candidates_AreReadFromJson) {
  const auto found = read(
      R"({"candidates":[{"thought":"a","tool_calls":[{"name":"ls","arguments":{"path":"."}}]},{"thought":"b"}]})");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].thought, "a");
  EXPECT_EQ(names(found[0]), R"(ls{"path":"."};)");
  EXPECT_EQ(found[1].thought, "b");
}

TEST(TotReading, Candidates_AreReadFromFencedBlock) {
  EXPECT_THAT(read("Here:\n```json\n[{\"thought\":\"a\"},{\"thought\":\"b\"},]\n```\nBye"),
              SizeIs(2));
}

TEST(TotReading, Candidates_AreReadFromLines) {
  const auto found = read(
      "CANDIDATE 1: THOUGHT: look | TOOL_CALLS: [{\"name\":\"ls\",\"arguments\":{}}]\n"
      "candidate 2: Thought: answer | tool_calls: []\n");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].thought, "look");
  EXPECT_EQ(names(found[0]), "ls{};");
  EXPECT_EQ(found[1].thought, "answer");
  EXPECT_EQ(names(found[1]), "");
}

TEST(TotReading, CallsInOtherForms_AreTaken) {
  const auto found = read(
      R"([{"thought":"a","tool_calls":[{"tool":"x","args":{"n":1}},{"function":{"name":"y","arguments":"{\"n\":2}"}}]}])");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(names(found[0]), R"(x{"n":1};y{"n":2};)");
}

TEST(TotReading, OtherText_IsSingleCandidate) {
  const auto found = read("  The answer is 42. ");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].thought, "The answer is 42.");
}

TEST(TotReading, SurplusCandidates_AreDropped) {
  EXPECT_THAT(read(R"(["a","b","c","d"])", 2), SizeIs(2));
}

TEST(TotReading, Scores_AreReadInManyForms) {
  for (const char* text :
       {R"({"scores":[0.2,0.7]})", "[0.2, 0.7]", "```json\n{\"scores\":[2,7]}\n```",
        R"({"1":0.2,"2":0.7})", R"({"scores":[{"score":0.2},{"score":0.7}]})",
        "Candidate 1: 0.2\nCandidate 2: 0.7", "1) 2/10\n2) 7/10", "Scores: [20, 70]"}) {
    const auto scores = read_scores(text, 2);
    ASSERT_TRUE(scores) << text;
    EXPECT_THAT(*scores, Pointwise(DoubleNear(1e-9), std::vector<double>{0.2, 0.7})) << text;
  }
}

TEST(TotReading, UnfittingScores_AreIgnored) {
  for (const char* text : {"", "Both are good.", "[0.2]", "[0.1,0.2,0.3]", "[-1,0.5]", "[1,1e9]"}) {
    EXPECT_FALSE(read_scores(text, 2)) << text;
  }
}

TEST(TotReading, Heuristic_ForSearches_PrefersTools) {
  const Candidate with{"Look into the file list first.", {{"", "ls", "{}"}}, {}};
  const Candidate without{"I think that there are three files.", {}, {}};
  EXPECT_GT(heuristic_score(with, "Find the files"), heuristic_score(without, "Find the files"));
  EXPECT_LE(heuristic_score(with, "Find the files"), 1.0);
}

}  // namespace
}  // namespace parley::agent
