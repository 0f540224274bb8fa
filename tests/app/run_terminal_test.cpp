// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `parley run` at a terminal.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "terminal_program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kQuestion = "[y]es, [n]o, or say why not: ";

class RunTerminal : public ::testing::Test {
 protected:
  RunTerminal() { std::ofstream(dir_.file("a.txt")) << "the rain in Spain\n"; }

  std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> out = {"run", "--data", dir_.file("data")};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  std::size_t count(const std::string& text, const std::string& part) const {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++found;
    }
    return found;
  }
  // True if a process with `part` in its command line runs.
  static bool runs(const std::string& part) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
      const std::string line = read_file(entry.path() / "cmdline");
      if (line.find(part) != std::string::npos) return true;
    }
    return false;
  }

  // Waits for such a process to begin, or to end. False: it does not in time.
  static bool comes_to(bool running, const std::string& part) {
    const auto give_up = in_ms(kPatience);
    while (runs(part) != running) {
      if (std::chrono::steady_clock::now() > give_up) return false;
    }
    return true;
  }

  const core::TempFolder dir_;
};

TEST_F(RunTerminal, Yes_RunsCall_ReplyIsPrintedOnce) {
  TerminalProgram program(dir_, words({"--approve", "ask", "read the file a.txt"}));
  ASSERT_TRUE(program.shows("Allow read {\"path\":\"a.txt\"} ?")) << program.all();
  ASSERT_TRUE(program.shows(kQuestion));
  program.type("y\n");
  EXPECT_TRUE(program.shows("✓ read")) << program.all();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(count(program.all(), "`read {\"path\":\"a.txt\"}`:"), 1U) << program.all();
}

TEST_F(RunTerminal, HiddenCharactersOfCall_AreWrittenOut) {
  TerminalProgram program(
      dir_, words({"--approve", "ask", "run the command \"echo \u202e\u2066 部署 \u200b\""}));
  ASSERT_TRUE(program.shows("Allow bash {\"command\":\"echo <U+202E><U+2066> 部署 <U+200B>\"}"))
      << program.all();
  ASSERT_TRUE(program.shows("(hidden characters: 3, written as <U+...>) ?")) << program.all();
  program.type("n\n");
  EXPECT_EQ(program.wait(), 0);
  for (const char* hidden : {"\u202e", "\u2066", "\u200b"}) {
    EXPECT_THAT(program.all(), Not(HasSubstr(hidden)));
  }
}

TEST_F(RunTerminal, No_IsResultAndNotEnd) {
  TerminalProgram program(dir_, words({"--approve", "ask", "read the file a.txt"}));
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type("No\n");
  EXPECT_TRUE(program.shows("✗ read")) << program.all();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.all(), Not(HasSubstr("the rain in Spain")));
}

TEST_F(RunTerminal, OtherWords_AreRefusalWithReason) {
  TerminalProgram program(dir_, words({"--approve", "ask", "read the file a.txt"}));
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type("yesterday I said no\n");
  EXPECT_TRUE(program.shows("✗ read")) << program.all();
  EXPECT_TRUE(program.shows("yesterday I said no"));
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.all(), Not(HasSubstr("the rain in Spain")));
}

TEST_F(RunTerminal, EmptyLine_IsNoAnswer) {
  TerminalProgram program(dir_, words({"--approve", "ask", "read the file a.txt"}));
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type("\n");
  ASSERT_TRUE(program.shows(kQuestion)) << "it is asked again";
  program.type("yes\n");
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.all(), HasSubstr("the rain in Spain"));
}

TEST_F(RunTerminal, TextTypedBeforeQuestion_IsNoAnswer) {
  TerminalProgram program(dir_, words({"--approve", "ask", "read the file a.txt"}));
  program.type("y\n");
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type("n\n");
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.all(), Not(HasSubstr("the rain in Spain")));
}

TEST_F(RunTerminal, EndOfInput_Refuses) {
  TerminalProgram program(dir_, words({"--approve", "ask", "read the file a.txt"}));
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type(TerminalProgram::kEnd);
  EXPECT_TRUE(program.shows("✗ read")) << program.all();
  EXPECT_EQ(program.wait(), 0);
}

TEST_F(RunTerminal, Interrupt_CancelsRunAndItsChildren) {
  const std::string seconds = "47.1" + std::to_string(::getpid());
  // The command line of the command itself: that of the run has a blank there.
  const std::string child = std::string("sleep") + '\0' + seconds;
  TerminalProgram program(
      dir_, words({"--approve", "auto", "run the command \"sleep " + seconds + "\""}));
  ASSERT_TRUE(program.shows("→ bash")) << program.all();
  ASSERT_TRUE(comes_to(true, child));
  program.type(TerminalProgram::kInterrupt);
  EXPECT_TRUE(program.shows("The run was cancelled.")) << program.all();
  EXPECT_TRUE(program.shows("parley run --resume run-"));
  EXPECT_EQ(program.wait(), 4);
  EXPECT_TRUE(comes_to(false, child));
}

// The launch waits for an MCP server that answers nothing.
TEST_F(RunTerminal, InterruptAtLaunch_CancelsRun) {
  const std::string marker = "86399.1" + std::to_string(::getpid());
  std::ofstream(dir_.file("mcp.json"))
      << R"({"mcpServers":{"silent":{"command":"sleep","args":[")" << marker << R"("]}}})";
  TerminalProgram program(dir_, words({"--mcp-config", dir_.file("mcp.json"), "hello"}));
  ASSERT_TRUE(comes_to(true, marker));
  program.type(TerminalProgram::kInterrupt);
  EXPECT_TRUE(program.shows("The run was cancelled.")) << program.all();
  EXPECT_EQ(program.wait(), 4);
  EXPECT_THAT(program.all(), Not(HasSubstr("--resume"))) << "it has not begun";
  EXPECT_TRUE(comes_to(false, marker));
}

TEST_F(RunTerminal, InterruptAtQuestion_CancelsRun) {
  TerminalProgram program(dir_, words({"--approve", "ask", "read the file a.txt"}));
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type(TerminalProgram::kInterrupt);
  EXPECT_TRUE(program.shows("The run was cancelled.")) << program.all();
  EXPECT_EQ(program.wait(), 4);
}

TEST_F(RunTerminal, QuestionAnsweredElsewhere_IsWithdrawn) {
  const Server server(
      dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data"), "--token", "test-token"});
  TerminalProgram program(dir_, words({"--approve", "ask", "read the file a.txt"}));
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  const auto runs = server.call("GET", "/v1/runs", "test-token").json();
  const std::string id(runs.at("runs").at(0).at("id").as_string());
  EXPECT_EQ(runs.at("runs").at(0).at("state"), "waiting");
  const std::size_t at = program.all().find("call_");
  ASSERT_EQ(at, std::string::npos) << "people are not shown ids of calls";
  std::string call;
  const auto events = server.call("GET", "/v1/runs/" + id + "/events?follow=false", "test-token");
  std::istringstream lines(events.body);
  for (std::string line; std::getline(lines, line);) {
    const boost::json::value frame = boost::json::parse(line);
    const auto* type = frame.as_object().if_contains("type");
    if (type != nullptr && *type == "tool_approval") call = frame.at("call_id").as_string().c_str();
  }
  const auto won = server.call("POST", "/v1/runs/" + id + "/approvals", "test-token",
                               R"({"call_id":")" + call + R"(","allow":true})");
  EXPECT_EQ(won.body, R"({"won":true})");
  EXPECT_TRUE(program.shows("answered elsewhere")) << program.all();
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.all(), HasSubstr("the rain in Spain"));
}

TEST_F(RunTerminal, FrameOutput_StillAsksPerson) {
  TerminalProgram program(dir_, words({"--json", "--approve", "ask", "read the file a.txt"}));
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type("y\n");
  EXPECT_TRUE(program.shows("\"stop_reason\":\"end_turn\"")) << program.all();
  EXPECT_EQ(program.wait(), 0);
}

TEST_F(RunTerminal, StatusLine_FitsNarrowTerminal) {
  TerminalProgram program(dir_, words({"--approve", "auto", "run the command \"sleep 0.7\""}), 20);
  EXPECT_EQ(program.wait(), 0);
  ASSERT_THAT(program.all(), HasSubstr("\r\033[K"));
  std::size_t begin = 0;
  while ((begin = program.all().find("\r\033[K◐", begin)) != std::string::npos) {
    begin += 4;
    const std::string line = program.all().substr(begin, program.all().find('\r', begin) - begin);
    const auto wide = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
    });
    EXPECT_LT(wide, 20) << line;
  }
}

TEST_F(RunTerminal, Lines_AreRunsOfSameSession) {
  TerminalProgram program(dir_, words({"-i"}));
  ASSERT_TRUE(program.shows("> ")) << program.all();
  program.type("read the file a.txt\n");
  ASSERT_TRUE(program.shows("the rain in Spain")) << program.all();
  ASSERT_TRUE(program.shows("> "));
  program.type("/session\n");
  ASSERT_TRUE(program.shows("session-"));
  program.type("/new\n");
  ASSERT_TRUE(program.shows("A new session begins."));
  program.type("/session\n");
  ASSERT_TRUE(program.shows("There is no session yet."));
  program.type("/models\n");
  ASSERT_TRUE(program.shows("* offline/demo"));
  program.type("/models none/such\n");
  ASSERT_TRUE(program.shows("There is no model none/such."));
  program.type("/nonsense\n");
  ASSERT_TRUE(program.shows("There is no command /nonsense."));
  program.type("quit\n");
  EXPECT_TRUE(program.shows("Bye."));
  EXPECT_EQ(program.wait(), 0);
}

TEST_F(RunTerminal, Interrupt_CancelsSingleLine_NextGoesOn) {
  TerminalProgram program(dir_, words({"-i", "--approve", "ask"}));
  ASSERT_TRUE(program.shows("> "));
  program.type("read the file a.txt\n");
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type(TerminalProgram::kInterrupt);
  ASSERT_TRUE(program.shows("The run was cancelled.")) << program.all();
  ASSERT_TRUE(program.shows("> "));
  program.type("read the file a.txt\n");
  ASSERT_TRUE(program.shows(kQuestion)) << program.all();
  program.type("y\n");
  ASSERT_TRUE(program.shows("the rain in Spain")) << program.all();
  ASSERT_TRUE(program.shows("> "));
  program.type(TerminalProgram::kInterrupt);
  ASSERT_TRUE(program.shows("^D or quit ends")) << program.all();
  program.type(TerminalProgram::kInterrupt);
  EXPECT_TRUE(program.shows("Bye.")) << program.all();
  EXPECT_EQ(program.wait(), 0);
}

TEST_F(RunTerminal, EndOfInput_EndsLines) {
  TerminalProgram program(dir_, words({"-i"}));
  ASSERT_TRUE(program.shows("> "));
  program.type(TerminalProgram::kEnd);
  EXPECT_TRUE(program.shows("Bye."));
  EXPECT_EQ(program.wait(), 0);
}

// The password is asked for twice and not echoed; erase keys work, and ^C aborts.
TEST(UserTerminal, Password_IsAskedWithoutEcho) {
  const core::TempFolder dir;
  const std::vector<std::string> words = {"user",  "add",    "a@example.org", "--name",
                                          "Alice", "--data", dir.file("data")};
  TerminalProgram program(dir, words);
  ASSERT_TRUE(program.shows("Password: "));
  program.type(
      "wrong\x15"
      "correct horse 1x\x7f\n");
  ASSERT_TRUE(program.shows("again: "));
  program.type("correct horse 1\n");
  EXPECT_TRUE(program.shows("added a@example.org"));
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(program.all().find("horse"), std::string::npos);

  const std::vector<std::string> change = {"user", "password", "alice", "--data", dir.file("data")};
  TerminalProgram differs(dir, change);
  ASSERT_TRUE(differs.shows("Password: "));
  differs.type("correct horse 1\n");
  ASSERT_TRUE(differs.shows("again: "));
  differs.type("correct horse 2\n");
  EXPECT_TRUE(differs.shows("differ"));
  EXPECT_EQ(differs.wait(), 2);

  TerminalProgram gives_up(dir, change);
  ASSERT_TRUE(gives_up.shows("Password: "));
  gives_up.type(TerminalProgram::kInterrupt);
  EXPECT_TRUE(gives_up.shows("No password was given"));
  EXPECT_EQ(gives_up.wait(), 1);
}

}  // namespace
}  // namespace parley::tests
