// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_text.h"

#include <gtest/gtest.h>

#include "runtime/stream/sample_runs.h"

namespace parley::runtime {
namespace {

TEST(RunText, ShowsARunAsATree) {
  EXPECT_EQ(tree_text(read_text(sample_run().text())),
            R"(session s1
└─ run run-1 · react
   ├─ asked Hello
   ├─ think  run-think-0 · events 2-11
   │  ├─ thought: look first
   │  ├─ said: I will read it
   │  ├─ tool read (c1) · ok
   │  │  ├─ with {"path":"a.txt"}
   │  │  ├─ output some text
   │  │  └─ result some text
   │  └─ tokens 10 + 5 = 15
   ├─ act  run-act-1 · events 14-20
   ├─ think  run-think-2 · events 21-26
   │  ├─ said: Done.
   │  └─ tokens 20 + 2 = 22
   ├─ reply Done.
   └─ 24 events, 3 nodes, 1 tool call, 1 checkpoint, 2 model calls, tokens 30 + 7 = 37
24 lines, 24 events
)");
}

TEST(RunText, ShowsThoughtsAndTasks) {
  using namespace runtime;
  SampleStream stream;
  stream.begin().add(NodeEnter{"n"}).add(TotExpand{{"one", "two"}});
  stream.add(TotEvaluate{1, {0.25, 0.9}}).add(TotBacktrack{"no use", 0});
  stream.add(GotPlan{2, 1, {"x", "y"}}).add(GotNodeStart{"x"}).add(GotNodeFailed{"x", "broken"});
  stream.add(Values{R"({"task_graph":{"edges":[["x","y"]]}})"}).add(NodeExit{"n", "it broke"});
  const std::string text = tree_text(read_text(stream.reply("", R"(,"error":"why")").text()));
  for (const char* part :
       {"chosen  0.90  two", "0.25  one", "back to level 0: no use", "x · failed",
        "y · pending · after x", "failed: it broke", "error: why"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(RunText, QuotesNothingThatATerminalObeys) {
  EXPECT_EQ(one_line("a\x1b[31mb\n\n\tc\x7f\xc2\x9b"
                     "d\xc3\xa9",
                     80),
            "a<U+001B>[31mb c<U+007F><U+009B>d\xc3\xa9");
}

TEST(RunText, CutsBetweenCharacters) {
  EXPECT_EQ(one_line("ab\xe4\xbd\xa0\xe5\xa5\xbd", 6), "ab\xe4\xbd\xa0\xe2\x80\xa6");
  EXPECT_EQ(one_line("abc", 3), "abc");
  EXPECT_EQ(one_line("abcd", 3), "abc\xe2\x80\xa6");
}

TEST(RunText, ListsFindingsWithTheirLines) {
  EXPECT_EQ(findings_text(read_text("{\"type\":\"run_start\"}\nnonsense\n{\"reply\":\"\"}\n")),
            "run.ndjson:2: error not_object: The line is not a JSON object.\n");
}

TEST(RunText, ColoursOnlyWhereItIsAskedTo) {
  const Reading reading = read_text(sample_run().text());
  EXPECT_EQ(tree_text(reading).find('\x1b'), std::string::npos);
  TextOptions options;
  options.colour = true;
  EXPECT_NE(tree_text(reading, options).find("\x1b[32mok\x1b[0m"), std::string::npos);
}

}  // namespace
}  // namespace parley::runtime
