// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The flags, and typing through other programs, which are scripts here.
#include "programs/typing/typing_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <sstream>

#include "base/core/base64.h"
#include "base/core/temp_folder.h"

namespace parley::typing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(TypingFlags, Flags_HaveOneOrTwoDashes) {
  EXPECT_EQ(parse_typing_flags({"-input", "-x"})->text, "-x");
  EXPECT_EQ(parse_typing_flags({"--input=a=b"})->text, "a=b");
  EXPECT_EQ(parse_typing_flags({"-input64", core::base64_encode("\u4F60")})->text, "\u4F60");
  EXPECT_EQ(parse_typing_flags({"--window-id", "0x2A"})->window, 42U);
  EXPECT_EQ(parse_typing_flags({"-window-id=42"})->window, 42U);
  EXPECT_EQ(parse_typing_flags({"--delay", "0"})->delay.count(), 0);
  EXPECT_EQ(parse_typing_flags({"--through", "ydotool"})->through, Through::ydotool);
  EXPECT_TRUE(parse_typing_flags({"-list-windows"})->list_windows);
}

struct BadFlags {
  const char* name;
  std::vector<std::string> flags;
  const char* said;
};
void PrintTo(const BadFlags& bad, std::ostream* out) { *out << bad.name; }
class BadTypingFlags : public ::testing::TestWithParam<BadFlags> {};
TEST_P(BadTypingFlags, BadFlags_AreExitCode1AndNamed) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  const std::atomic<bool> stopped{false};
  EXPECT_EQ(agentassistant_input_main(GetParam().flags, stopped, in, out, err), 1);
  EXPECT_THAT(err.str(), AllOf(HasSubstr("agentassistant-input: "), HasSubstr(GetParam().said),
                               Not(HasSubstr("secret"))));
  EXPECT_THAT(out.str(), IsEmpty());
}
INSTANTIATE_TEST_SUITE_P(
    All, BadTypingFlags,
    ::testing::Values(BadFlags{"none", {}, "there is no text"},
                      BadFlags{"two_texts", {"--input", "secret", "--input64", "YQ=="}, "twice"},
                      BadFlags{"text_and_stdin", {"--stdin", "--input", "secret"}, "twice"},
                      BadFlags{"bad_base64", {"--input64", "secret*"}, "not base64"},
                      BadFlags{"empty_stdin", {"--stdin"}, "nothing to type"},
                      BadFlags{"bad_window", {"--window-id", "front"}, "--window-id"},
                      BadFlags{"long_delay", {"--delay", "1001"}, "0 to 1000"},
                      BadFlags{"bad_way", {"--through", "magic"}, "--through"},
                      BadFlags{"no_value", {"--input"}, "needs a value"},
                      BadFlags{"a_word", {"secret"}, "Argument 1 is not a flag"},
                      BadFlags{"unknown", {"--loud"}, "Unknown flag --loud"}),
    [](const auto& one) { return std::string(one.param.name); });

// A PATH with scripts that record their arguments and input.
class TypingThroughPrograms : public ::testing::Test {
 protected:
  TypingThroughPrograms() {
    for (const char* const name : {"PATH", "WAYLAND_DISPLAY", "DISPLAY"}) {
      const char* const value = getenv(name);
      before_.emplace_back(name, value == nullptr ? "" : value);
    }
    setenv("PATH", folder_.path().c_str(), 1);
    setenv("WAYLAND_DISPLAY", "wayland-9", 1);
    setenv("DISPLAY", "", 1);
  }
  ~TypingThroughPrograms() override {
    for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
  }
  TypingThroughPrograms(const TypingThroughPrograms&) = delete;
  TypingThroughPrograms& operator=(const TypingThroughPrograms&) = delete;

  void script(const std::string& name, const std::string& body) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    chmod(path.c_str(), 0755);
  }
  // Adds a script that records its arguments and its input and ends with this code.
  void keeps(const std::string& name, int code = 0) {
    script(name, "{ echo \"" + name + " $*\"; /bin/cat; echo; } >> '" + folder_.path() +
                     "/log'\nexit " + std::to_string(code));
  }
  std::string logs(const std::string& line) const {
    return "echo \"" + line + "\" >> '" + folder_.path() + "/log'";
  }
  int run(const std::vector<std::string>& flags) {
    std::istringstream in;
    out.str("");
    err.str("");
    return agentassistant_input_main(flags, stopped, in, out, err);
  }
  std::string log() const {
    std::ifstream file(folder_.path() + "/log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::atomic<bool> stopped{false};
  std::ostringstream out;
  std::ostringstream err;

 private:
  core::TempFolder folder_{"parley-typing"};
  std::vector<std::pair<std::string, std::string>> before_;
};

TEST_F(TypingThroughPrograms, Wtype_GetsTextOnStdinAndKeysByName) {
  keeps("wtype");
  EXPECT_EQ(run({"--input", "one\ntwo\t"}), 0);
  EXPECT_EQ(log(),
            "wtype -s 1\n\nwtype -s 50 -d 1 -\none\nwtype -s 50 -k Return\n\nwtype -s 50 -d 1 "
            "-\ntwo\nwtype -s 50 -k Tab\n\n");
  EXPECT_EQ(out.str(), "using wtype\nSuccessfully typed the string.\n");
}

TEST_F(TypingThroughPrograms, Wtype_GetsCharactersUpToItsPlainKeys) {
  keeps("wtype");
  EXPECT_EQ(run({"--input", "abcabcdefghijklmno\u4F60ab"}), 0);
  EXPECT_EQ(log(),
            "wtype -s 1\n\nwtype -s 50 -d 1 -\nabcabcdefghijklm\nwtype -s 50 -d 1 -\nno\u4F60ab\n");
}

TEST_F(TypingThroughPrograms, NoWtype_YdotoolIsUsed) {
  keeps("ydotool");
  EXPECT_EQ(run({"--input", "one\ntwo"}), 0);
  EXPECT_EQ(log(), "ydotool type --file -\none\ntwo\n");
  EXPECT_THAT(out.str(), HasSubstr("using ydotool"));
}

TEST_F(TypingThroughPrograms, TextUnknownToYdotool_IsRefusedAsWhole) {
  keeps("ydotool");
  EXPECT_EQ(run({"--input", "one \u4F60"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("ASCII only"));
  EXPECT_THAT(log(), IsEmpty());
}

TEST_F(TypingThroughPrograms, WtypeRefusedByCompositor_YdotoolIsUsed) {
  keeps("wtype", 1);
  keeps("ydotool");
  EXPECT_EQ(run({"--input", "one"}), 0);
  EXPECT_EQ(log(), "wtype -s 1\n\nydotool type --file -\none\n");
  EXPECT_THAT(out.str(), HasSubstr("using ydotool"));
}

TEST_F(TypingThroughPrograms, ProgramFailingMidway_IsNotReplaced) {
  script("wtype", "[ \"$*\" = '-s 1' ] || exit 3");
  keeps("ydotool");
  EXPECT_EQ(run({"--input", "secret"}), 2);
  EXPECT_THAT(err.str(),
              AllOf(HasSubstr("wtype could not type (it ended with 3)"), Not(HasSubstr("secret"))));
  EXPECT_THAT(log(), Not(HasSubstr("ydotool"))) << "half of it may have been typed";
}

TEST_F(TypingThroughPrograms, NoProgram_SaysWhatToInstall) {
  EXPECT_EQ(run({"--input", "one"}), 2);
  EXPECT_THAT(err.str(), AllOf(HasSubstr("wtype is not installed"), HasSubstr("Install")));
}

TEST_F(TypingThroughPrograms, StoppedProgram_TypesNoMore) {
  keeps("wtype");
  stopped = true;
  EXPECT_EQ(run({"--input", "one"}), 130);
  EXPECT_EQ(log(), "wtype -s 1\n\n");
}

TEST_F(TypingThroughPrograms, Program_CanBeChosen) {
  keeps("wtype");
  keeps("ydotool");
  EXPECT_EQ(run({"--through", "ydotool", "--input", "one"}), 0);
  EXPECT_THAT(log(), Not(HasSubstr("wtype")));
  EXPECT_EQ(run({"--through", "x11", "--input", "one"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("DISPLAY is not set"));
}

TEST_F(TypingThroughPrograms, ComposingInputMethod_RestsMeanwhile) {
  script("fcitx5-remote", "[ $# = 0 ] && echo 2 && exit\n" + logs("fcitx5-remote $*"));
  keeps("wtype");
  EXPECT_EQ(run({"--input", "one"}), 0);
  EXPECT_EQ(log(), "fcitx5-remote -c\nwtype -s 1\n\nwtype -s 50 -d 1 -\none\nfcitx5-remote -o\n");
}

TEST_F(TypingThroughPrograms, IbusEngine_IsRestoredAfterwards) {
  script("ibus", "[ $# = 1 ] && echo libpinyin && exit\n" + logs("ibus $*"));
  keeps("wtype");
  EXPECT_EQ(run({"--input", "one"}), 0);
  EXPECT_EQ(
      log(),
      "ibus engine xkb:us::eng\nwtype -s 1\n\nwtype -s 50 -d 1 -\none\nibus engine libpinyin\n");
}

}  // namespace
}  // namespace parley::typing
