// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace parley::app {
namespace {

using testing::HasSubstr;
using testing::Not;

// Its output, apart for each of the two.
class TakenPrinter : public RunPrinter {
 public:
  explicit TakenPrinter(const RunPrinterOptions& options = {}) : RunPrinter(options) {}
  std::string take_out() { return taken(false); }
  std::string take_err() { return taken(true); }

 private:
  std::string taken(bool to_stderr) {
    for (Piece& each : take_output()) (each.to_stderr ? err_ : out_) += each.text;
    return std::exchange(to_stderr ? err_ : out_, {});
  }
  std::string out_;
  std::string err_;
};

constexpr const char* kReply =
    R"({"session_id":"s","event_id":9,"reply":"Hi there","stop_reason":"end_turn"})";

TEST(RunPrinter, StreamedText_IsPrintedOnce) {
  TakenPrinter printer;
  printer.on_frame(R"({"type":"message_chunk","content":"Hi ","id":"think","event_id":3})");
  printer.on_frame(R"({"type":"message_chunk","content":"there","id":"think","event_id":4})");
  printer.on_frame(kReply);
  EXPECT_EQ(printer.take_out(), "Hi there\n");
  ASSERT_TRUE(printer.ending());
  EXPECT_EQ(printer.ending()->stop_reason, "end_turn");
  EXPECT_EQ(printer.last_event_id(), 9U);
}

TEST(RunPrinter, UnstreamedReply_IsPrinted) {
  RunPrinterOptions options;
  options.streams_text = false;
  TakenPrinter printer(options);
  printer.on_frame(R"({"type":"message_chunk","content":"a thought of one branch","id":"think"})");
  printer.on_frame(kReply);
  EXPECT_EQ(printer.take_out(), "Hi there\n");
}

TEST(RunPrinter, AnswerDifferingFromStream_IsPrinted) {
  TakenPrinter printer;
  printer.on_frame(R"({"type":"message_chunk","content":"I look.","id":"think"})");
  printer.on_frame(R"({"type":"tool_call","call_id":"c","name":"read","arguments":{"path":"a"}})");
  printer.on_frame(
      R"({"type":"tool_end","call_id":"c","name":"read","result":"x","is_error":false})");
  printer.on_frame(kReply);
  EXPECT_EQ(printer.take_out(), "I look.\nHi there\n");
  EXPECT_THAT(printer.take_err(), HasSubstr("read {\"path\":\"a\"}"));
}

// A terminal shows both: the reply begins below the end of the tool call.
TEST(RunPrinter, TextAndActions_KeepTheirOrder) {
  RunPrinter printer({});
  printer.on_frame(R"({"type":"message_chunk","content":"I look.","id":"think"})");
  printer.on_frame(
      R"({"type":"tool_end","call_id":"c","name":"read","result":"x","is_error":false})");
  printer.on_frame(R"({"type":"message_chunk","content":"It rains.","id":"think"})");
  const std::vector<RunPrinter::Piece> output = printer.take_output();
  ASSERT_EQ(output.size(), 3U);
  EXPECT_EQ(output[0].text, "I look.\n");
  EXPECT_TRUE(output[1].to_stderr);
  EXPECT_THAT(output[1].text, HasSubstr("read"));
  EXPECT_FALSE(output[2].to_stderr);
  EXPECT_EQ(output[2].text, "It rains.");
}

TEST(RunPrinter, Frames_ArePrintedUnchanged) {
  RunPrinterOptions options;
  options.form = RunForm::stream;
  TakenPrinter printer(options);
  printer.on_frame(R"({"session_id":"s","event_id":1,"type":"node_enter","id":"think"})");
  printer.on_frame(kReply);
  EXPECT_EQ(printer.take_out(),
            "{\"session_id\":\"s\",\"event_id\":1,\"type\":\"node_enter\",\"id\":\"think\"}\n" +
                std::string(kReply) + "\n");
  EXPECT_EQ(printer.take_err(), "");
}

TEST(RunPrinter, ExportForm_IsPrinted) {
  RunPrinterOptions options;
  options.form = RunForm::single_key;
  TakenPrinter printer(options);
  printer.on_frame(R"({"session_id":"s","event_id":1,"type":"got_node_start","id":"x"})");
  EXPECT_EQ(printer.take_out(), "{\"GotNodeStart\":{\"node_id\":\"x\"}}\n");
}

TEST(RunPrinter, EscapeSequences_DoNotReachTerminal) {
  TakenPrinter printer;
  printer.on_frame(R"({"type":"message_chunk","content":"a\u001b[2Jb\u0007","id":"think"})");
  printer.on_frame(
      R"({"type":"tool_end","name":"bash","result":"\u001b]0;x\u0007done","is_error":true})");
  EXPECT_THAT(printer.take_out(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(printer.take_err(), Not(HasSubstr("\x1b")));
}

TEST(RunPrinter, C1AndBidiControls_DoNotReachTerminal) {
  TakenPrinter printer;
  printer.on_frame(R"({"type":"message_chunk","content":"a\u009b2Jb\u202ec","id":"think"})");
  printer.on_frame(
      R"({"type":"tool_end","name":"bash","result":"x\u2066y\u0085z","is_error":true})");
  EXPECT_EQ(printer.take_out(), "a<U+009B>2Jb<U+202E>c\n");
  EXPECT_THAT(printer.take_err(), HasSubstr("x<U+2066>y<U+0085>z"));
}

TEST(RunPrinter, NamesOfTools_AreWrittenOut) {
  TakenPrinter printer;
  printer.on_frame(
      R"({"type":"tool_call","call_id":"c","name":"re\u202ead\u001b[2J","arguments":{}})");
  printer.on_frame(R"({"type":"got_node_start","id":"a\u200bb"})");
  EXPECT_EQ(printer.take_err(),
            "  → re<U+202E>ad<U+001B>[2J {}\n"
            "  → a<U+200B>b\n");
}

TEST(RunPrinter, Progress_IsNotedOnStderr) {
  struct Row {
    const char* frame;
    const char* noted;
  };
  constexpr Row kRows[] = {
      {R"({"type":"tool_call","name":"read","arguments":{"path":"a"}})",
       "  → read {\"path\":\"a\"}\n"},
      {R"({"type":"tool_end","name":"read","result":"x\ny","is_error":false})",
       "  ✓ read  x ...\n"},
      {R"({"type":"tool_end","name":"read","result":"gone","is_error":true})", "  ✗ read  gone\n"},
      {R"({"type":"tool_approval","name":"bash","arguments":{}})", "  ? bash waits for approval\n"},
      {R"({"type":"tot_expand","candidates":["one","two"]})", "  · 0  one\n  · 1  two\n"},
      {R"({"type":"tot_evaluate","chosen":1,"scores":[0.25,0.9]})",
       "  ✓ chosen 1  scores [0.25,0.9]\n"},
      {R"({"type":"tot_backtrack","reason":"no use","to_depth":2})",
       "  ↩ back to depth 2  no use\n"},
      {R"({"type":"got_plan","node_count":1,"edge_count":0,"node_ids":["x"]})",
       "  · tasks [\"x\"]  edges 0\n"},
      {R"({"type":"got_node_start","id":"x"})", "  → x\n"},
      {R"({"type":"got_node_complete","id":"x","result_summary":"done"})", "  ✓ x  done\n"},
      {R"({"type":"got_node_failed","id":"x","error":"no"})", "  ✗ x  no\n"},
      {R"({"type":"got_expand","node_id":"x","nodes_added":2,"edges_added":1})",
       "  + x  2 tasks more\n"},
      {R"({"type":"tool_start","name":"read"})", ""},
      {R"({"type":"node_enter","id":"think"})", ""},
      {R"({"type":"custom","value":{"progress":1}})", ""},
      {R"({"type":"tea_break"})", ""},
  };
  for (const Row& row : kRows) {
    TakenPrinter printer;
    printer.on_frame(row.frame);
    EXPECT_EQ(printer.take_err(), row.noted) << row.frame;
    EXPECT_EQ(printer.take_out(), "");
  }
}

TEST(RunPrinter, EmojiCutBetweenChunks_StaysWhole) {
  TakenPrinter printer;
  printer.on_frame(R"({"type":"message_chunk","content":"by \ud83d\udc69\u200d","id":"t"})");
  printer.on_frame(R"({"type":"message_chunk","content":"\ud83d\udcbb","id":"t"})");
  printer.on_frame(R"({"session_id":"s","reply":"by \ud83d\udc69\u200d\ud83d\udcbb"})");
  EXPECT_EQ(printer.take_out(), "by \U0001f469\u200d\U0001f4bb\n");
}

TEST(RunPrinter, Approvals_AreGivenOutOnceInOrder) {
  TakenPrinter printer;
  printer.on_frame(
      R"({"type":"tool_approval","call_id":"c1","name":"bash","arguments":{"command":"ls"}})");
  printer.on_frame(R"({"type":"tool_approval","call_id":"c2","name":"edit","arguments":{}})");
  const auto approval = printer.take_approval();
  ASSERT_TRUE(approval);
  EXPECT_EQ(approval->call_id, "c1");
  EXPECT_EQ(approval->arguments, R"({"command":"ls"})");
  EXPECT_EQ(approval_dangers(*approval), "");
  EXPECT_EQ(printer.take_approval()->call_id, "c2");
  EXPECT_FALSE(printer.take_approval());
  EXPECT_TRUE(printer.take_settled().empty());
  printer.on_frame(R"({"type":"tool_start","call_id":"c1","name":"bash"})");
  printer.on_frame(
      R"({"type":"tool_end","call_id":"c2","name":"edit","result":"","is_error":true})");
  EXPECT_EQ(printer.take_settled(), (std::vector<std::string>{"c1", "c2"}));
}

TEST(RunPrinter, DangersOfCommand_HaveTheirLines) {
  TakenPrinter printer;
  printer.on_frame(
      R"({"type":"tool_approval","name":"bash","arguments":{},"parley.explanation":{"dangerous":)"
      R"(true,"en":{"dangers":"**Careful:**\n\n- Deletes `\u202e`","touches":""},"zh":{}}})");
  const auto approval = printer.take_approval();
  ASSERT_TRUE(approval);
  EXPECT_EQ(approval_dangers(*approval), "  **Careful:**\n  - Deletes `<U+202E>`\n");
}

TEST(RunPrinter, EscapesInArguments_HideNothing) {
  TakenPrinter printer;
  printer.on_frame(R"({"type":"tool_call","name":"bash","arguments":{"command":"\u006cs"}})");
  printer.on_frame(
      R"({"type":"tool_approval","name":"bash","arguments":{ "command": "\u006cs \u202e"}})");
  EXPECT_THAT(printer.take_err(), HasSubstr("  → bash {\"command\":\"ls\"}\n"));
  EXPECT_EQ(printer.take_approval()->arguments, "{\"command\":\"ls \u202e\"}");
}

TEST(RunPrinter, Question_CannotImitateAnother) {
  EXPECT_EQ(approval_question({"c", "bash", "{\"command\":\"\u202esl\"}"}),
            "bash {\"command\":\"<U+202E>sl\"} (hidden characters: 1, written as <U+...>)");
  EXPECT_EQ(approval_question({"c", "ba\nsh", "{\"command\":\"l\u200bs\"}"}),
            "ba ... {\"command\":\"l<U+200B>s\"} (hidden characters: 2, written as <U+...>)");
  EXPECT_EQ(approval_question({"c", "bash", "{\"command\":\"echo 部署 👩‍💻\"}"}),
            "bash {\"command\":\"echo 部署 👩‍💻\"}");
  const std::string long_one =
      approval_question({"c", "bash", "\"echo" + std::string(6'000, ' ') + "; touch C\""});
  EXPECT_THAT(long_one, HasSubstr("; touch C")) << "\"y\" runs all of it";
}

TEST(RunPrinter, Timestamps_ArePrintedOnRequest) {
  RunPrinterOptions options;
  options.times = true;
  TakenPrinter printer(options);
  printer.on_frame(
      R"({"type":"tool_end","at":1700000000000,"name":"ls","result":"x","is_error":false})");
  EXPECT_THAT(printer.take_err(), ::testing::ContainsRegex("[0-9][0-9]:[0-9][0-9]:20   .+ ls"));
}

TEST(RunPrinter, Notices_GoToStderrInEveryForm) {
  const std::string reason(300, 'r');
  for (const RunForm form : {RunForm::readable, RunForm::stream, RunForm::single_key}) {
    RunPrinterOptions options;
    options.form = form;
    TakenPrinter printer(options);
    printer.on_frame(R"({"type":"custom","value":{"notices":["dev.toml: )" + reason + "\"]}}");
    EXPECT_EQ(printer.take_err(), "  ! dev.toml: " + reason + "\n");
  }
}

TEST(RunPrinter, CutReply_IsTold) {
  TakenPrinter printer;
  printer.on_frame(
      R"({"type":"custom","value":{"reply_cut":{"id":"think","finish_reason":"length","message":"It is cut."}}})");
  EXPECT_EQ(printer.take_err(), "  ! It is cut.\n");
}

TEST(RunPrinter, StatusLine_ShowsProgress) {
  RunPrinterOptions options;
  options.status_line = true;
  TakenPrinter printer(options);
  printer.on_frame(R"({"type":"node_enter","id":"think"})");
  printer.on_frame(R"({"type":"usage","prompt_tokens":1,"completion_tokens":2,"total_tokens":3})");
  EXPECT_THAT(printer.status(core::Millis(1'250)), HasSubstr("think  1.3 s  3 tokens"));
  printer.on_frame(
      R"({"type":"custom","value":{"sub_agent":"a","event":{"type":"usage","prompt_tokens":1,"completion_tokens":3,"total_tokens":4}}})");
  EXPECT_THAT(printer.status(core::Millis(1'250)), HasSubstr("  7 tokens"))
      << "those of sub-agents too";
  printer.on_frame(R"({"type":"node_enter","id":"think"})");
  EXPECT_EQ(printer.status(core::Millis(1'250), 10), "◐ think  ") << "the last column stays free";
  printer.on_frame(kReply);
  EXPECT_EQ(printer.status(core::Millis(2'000)), "");
}

TEST(RunPrinter, BrokenLines_AreLeftOut) {
  TakenPrinter printer;
  printer.on_frame("{\"type\":");
  EXPECT_EQ(printer.take_out(), "");
  EXPECT_FALSE(printer.ending());
}

}  // namespace
}  // namespace parley::app
