// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The line that a person edits in `parley run -i`.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "terminal_program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kUp = "\x1b[A";
constexpr const char* kBackspace = "\x7f";
constexpr const char* kPasteBegins = "\x1b[200~";
constexpr const char* kPasteEnds = "\x1b[201~";

class RunEditor : public ::testing::Test {
 protected:
  std::vector<std::string> words() const { return {"run", "--data", dir_.file("data"), "-i"}; }
  std::string history() const { return dir_.file("state/parley/run_history"); }

  const core::TempFolder dir_;
};

TEST_F(RunEditor, Keys_EditLine) {
  std::ofstream(dir_.file("a.txt")) << "the rain in Spain\n";
  TerminalProgram program(dir_, words());
  ASSERT_TRUE(program.shows("> ")) << program.all();
  program.type(
      "the file b.txt\x01read \x05\x1b[D\x1b[D\x1b[D\x1b[D\x7f"
      "a\n");
  EXPECT_TRUE(program.shows("the rain in Spain")) << program.all();
  ASSERT_TRUE(program.shows("> "));
  program.type(TerminalProgram::kEnd);
  EXPECT_TRUE(program.shows("Bye."));
  EXPECT_EQ(program.wait(), 0);
}

// Otherwise keys typed right after the prompt are lost: ^D, or more than the kernel's line holds.
TEST_F(RunEditor, Prompt_IsShownOnceKeysAreTaken) {
  TerminalProgram program(dir_, words());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(program.shows("> ")) << program.all();
    EXPECT_TRUE(program.takes_keys());
    program.type("/session\n");
    ASSERT_TRUE(program.shows("There is no session yet.")) << program.all();
  }
  ASSERT_TRUE(program.shows("> "));
  program.type(TerminalProgram::kEnd);
  EXPECT_EQ(program.wait(), 0);
}

TEST_F(RunEditor, Erasing_TakesWholeCharacterInAnyLocale) {
  TerminalProgram program(dir_, words());
  ASSERT_TRUE(program.shows("> "));
  program.type(std::string("/中文é") + kBackspace + kBackspace + "国\n");
  EXPECT_TRUE(program.shows("There is no command /中国.")) << program.all();
  program.type("quit\n");
  EXPECT_EQ(program.wait(), 0);
}

TEST_F(RunEditor, History_SurvivesInPrivateFile) {
  {
    TerminalProgram program(dir_, words());
    ASSERT_TRUE(program.shows("> "));
    program.type("/first 中文\n");
    ASSERT_TRUE(program.shows("There is no command /first."));
    ASSERT_TRUE(program.shows("> "));
    program.type(std::string(kUp) + "\n");
    ASSERT_TRUE(program.shows("There is no command /first.")) << program.all();
    program.type("quit\n");
    EXPECT_EQ(program.wait(), 0);
  }
  EXPECT_EQ(mode_of(history()), 0600U);
  EXPECT_EQ(read_file(history()), "\"/first 中文\"\n\"quit\"\n");
  TerminalProgram program(dir_, words());
  ASSERT_TRUE(program.shows("> "));
  program.type(std::string(kUp) + kUp + "\n");
  EXPECT_TRUE(program.shows("There is no command /first.")) << program.all();
  program.type("quit\n");
  EXPECT_EQ(program.wait(), 0);
}

TEST_F(RunEditor, NoTerminal_NoHistoryIsWritten) {
  const Ran ran = run(dir_, words(), "/session\nquit\n");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("There is no session yet."));
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
  EXPECT_FALSE(std::filesystem::exists(dir_.file("state")));
}

TEST_F(RunEditor, LongPaste_ArrivesWhole) {
  std::string line = "/";
  for (int i = 0; line.size() < 100'000; ++i) line += std::to_string(i) + ",";
  TerminalProgram program(dir_, words());
  ASSERT_TRUE(program.shows("> "));
  program.type(kPasteBegins + line + kPasteEnds + "\n");
  EXPECT_TRUE(program.shows("There is no command " + line + "."));
  ASSERT_TRUE(program.shows("> "));
  program.type("quit\n");
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(read_file(history()), "\"quit\"\n") << "a long line is not kept";
}

TEST_F(RunEditor, LongUnmarkedLine_ArrivesWhole) {
  std::string line = "/";
  for (int i = 0; line.size() < 100'000; ++i) line += std::to_string(i) + ",";
  TerminalProgram program(dir_, words());
  ASSERT_TRUE(program.shows("> "));
  program.type(line + "\n");
  EXPECT_TRUE(program.shows("There is no command " + line + "."));
  program.type("quit\n");
  EXPECT_EQ(program.wait(), 0);
}

TEST_F(RunEditor, PasteOfSeveralLines_IsSingleMessage) {
  TerminalProgram program(dir_, words());
  ASSERT_TRUE(program.shows("> "));
  program.type(std::string(kPasteBegins) + "/none of\r/session\nx\x01\r\n" + kPasteEnds + "\n");
  ASSERT_TRUE(program.shows("There is no command /none.")) << program.all();
  ASSERT_TRUE(program.shows("> "));
  program.type("quit\n");
  EXPECT_EQ(program.wait(), 0);
  EXPECT_THAT(program.all(), Not(HasSubstr("There is no session yet.")));
  EXPECT_EQ(read_file(history()), "\"/none of\\n/session\\nx\"\n\"quit\"\n");
}

TEST_F(RunEditor, Interrupt_DropsCurrentLine) {
  TerminalProgram program(dir_, words());
  ASSERT_TRUE(program.shows("> "));
  program.type("garbage");
  ASSERT_TRUE(program.shows("garbage"));
  program.type(TerminalProgram::kInterrupt);
  ASSERT_TRUE(program.shows("^D or quit ends")) << program.all();
  ASSERT_TRUE(program.shows("> "));
  program.type("/session\n");
  EXPECT_TRUE(program.shows("There is no session yet.")) << program.all();
  ASSERT_TRUE(program.shows("> "));
  program.type(TerminalProgram::kEnd);
  EXPECT_EQ(program.wait(), 0);
}

}  // namespace
}  // namespace parley::tests
