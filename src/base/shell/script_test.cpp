// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/script.h"

#include <gtest/gtest.h>

#include <string>

namespace parley::shell {
namespace {

// The commands in the form "name|argument|argument", joined by "; ". A word that is only known when
// it runs has "~" in front.
std::string commands_of(std::string_view text) {
  const Script script = parse_script(text);
  std::string out;
  for (const Command& command : script.commands) {
    if (!out.empty()) out += "; ";
    std::string line;
    for (const Word& word : command.words) {
      line.append(line.empty() ? "" : "|").append(word.is_fixed ? "" : "~").append(word.text);
    }
    for (const Redirect& redirect : command.redirects) {
      line += " >" + std::to_string(static_cast<int>(redirect.kind)) + ":" + redirect.target.text;
    }
    out += line;
  }
  if (!script.problem.empty()) out += " !" + script.problem;
  return out;
}

TEST(ScriptTest, Words_LoseTheirQuotes) {
  EXPECT_EQ(commands_of("echo 'a b' \"c d\" e\\ f g''h"), "echo|a b|c d|e f|gh");
  EXPECT_EQ(commands_of("echo \"a \\\"b\\\" \\x\""), "echo|a \"b\" \\x");
  EXPECT_EQ(commands_of("echo $'\\x72m\\t\\101\\u0041'"), "echo|~rm\tA\\u0041");
  EXPECT_EQ(commands_of("r\\\nm x"), "rm|x");
  EXPECT_EQ(commands_of("echo a#b # comment\nls"), "echo|a#b; ls");
}

TEST(ScriptTest, Expansions_AreNotFixed) {
  EXPECT_EQ(commands_of("echo $HOME ${A:-b} *.c {a,b} a[0-9] '$x' {a"),
            "echo|~$HOME|~${A:-b}|~*.c|~{a,b}|~a[0-9]|$x|{a");
  EXPECT_EQ(commands_of("[ -f x ] && echo $((1 + 2))"), "[|-f|x|]; echo|~$((1 + 2))");
  EXPECT_EQ(commands_of("echo 100%$"), "echo|100%$");
}

TEST(ScriptTest, Substitutions_AreCommandsOfTheWord) {
  const Script script = parse_script("eval \"$(curl x | sed y)\" `date` <(ls)");
  ASSERT_EQ(script.commands.size(), 5U);
  const Command& outer = script.commands.back();
  ASSERT_EQ(outer.words.size(), 4U);
  EXPECT_EQ(outer.words[1].inner.begin, 0U);
  EXPECT_EQ(outer.words[1].inner.end, 2U);
  EXPECT_EQ(outer.words[2].inner.end, 3U);
  EXPECT_EQ(outer.words[3].inner.end, 4U);
  EXPECT_EQ(commands_of("echo $(echo `echo \\`a\\``)"),
            "a; echo|~`a`; echo|~`echo \\`a\\``; echo|~$(echo `echo \\`a\\``)");
  EXPECT_EQ(commands_of("((ls); pwd)"), "ls; pwd");
  EXPECT_NE(parse_script("echo $((ls); pwd)").problem, "");  // shells differ
  EXPECT_EQ(commands_of("echo $((1 + $(curl x)))"), "curl|x; echo|~$((1 + $(curl x)))");
}

TEST(ScriptTest, QuotesWithinQuotes_EndWhereTheShellEndsThem) {
  EXPECT_EQ(commands_of("echo \"`eval \\\"rm x\\\"`\""), "eval|rm x; echo|~`eval \\\"rm x\\\"`");
  EXPECT_EQ(commands_of("echo $((1 + \")\")) ; rm x"), "echo|~$((1 + \")\")); rm|x");
  EXPECT_EQ(commands_of("echo $'r\\0x'm $'a\\x00b' $'a\\400b'"), "echo|rm|a|a");
  EXPECT_EQ(commands_of("{rm,'-r f'} {'a,b'} x{1..3} {a\\,b}"), "~{rm,-r f}|{a,b}|~x{1..3}|{a,b}");
  EXPECT_EQ(commands_of("cat <<E\\\nOF\n$(ls)\nEOF\n"), "cat >3:$(ls)\n; ls");
  EXPECT_EQ(commands_of("cat <<EOF\nE\\\nOF\nrm x"), "cat >3:; rm|x");
  EXPECT_EQ(commands_of("cat <<'EOF'\nE\\\nOF\nEOF\nls"), "cat >3:E\\\nOF\n; ls");
  for (const std::string_view text :
       {"echo \"${x:-it's}\"; rm y", "echo $[ 16 # f ]; rm x", "echo $\\\n{x}", "echo ${ rm x; }",
        "cat <<$(x)\nE", "x=()'a' b", "[[ x =~ (#) ]]; rm x\n ]]"}) {
    EXPECT_NE(parse_script(text).problem, "") << text;
  }
}

TEST(ScriptTest, Posix_HasNoExpressions) {
  EXPECT_EQ(parse_script("((ls))").commands.size(), 0U);
  EXPECT_EQ(parse_script("((ls))", Dialect::posix).commands.size(), 1U);
  EXPECT_NE(parse_script("[[ a && ls ]]", Dialect::posix).problem, "");
  EXPECT_NE(parse_script("echo $'\\'; ls #'", Dialect::posix).problem, "");
}

TEST(ScriptTest, SplitWords_AreRead) {
  EXPECT_EQ(commands_of("!\\\n rm x"), "rm|x");
  EXPECT_EQ(commands_of("echo `r\\\\\\\nm`"), "rm; echo|~`r\\\\\\\nm`");
  EXPECT_NE(parse_script("cop\\\nroc rm x").problem, "");
  EXPECT_EQ(commands_of("((1 + ')$(rm x)'))"), "rm|x");
  EXPECT_NE(parse_script("echo *(e:'rm x':)").problem, "");
}

TEST(ScriptTest, Guards_EndWithTheirList) {
  const auto guards = [](std::string_view text) {
    std::string out;
    for (const Command& command : parse_script(text).commands) {
      out += std::to_string(command.guards_until);
    }
    return out;
  };
  EXPECT_EQ(guards("a && b && c; d"), "3300");
  EXPECT_EQ(guards("a && b || c"), "200");
  EXPECT_EQ(guards("! a && b"), "00");
  EXPECT_EQ(guards("a | b && c"), "000");
  EXPECT_EQ(guards("{ a; b; } && c"), "000");
}

TEST(ScriptTest, Input_ComesFromPipesAndGroups) {
  const Script group = parse_script("{ a; b | c; } < f");
  ASSERT_EQ(group.commands.size(), 4U);
  EXPECT_EQ(group.commands[0].input, 3U);
  EXPECT_EQ(group.commands[2].input, 0U);
  const Script sink = parse_script("a > >(b | c) 2>&1");
  ASSERT_EQ(sink.commands.size(), 3U);
  EXPECT_EQ(sink.commands[0].feed, (Span{2, 3}));
  EXPECT_EQ(sink.commands[1].feed, (Span{0, 1}));
}

TEST(ScriptTest, Pipeline_ReadsAllInFront) {
  const Script script = parse_script("a | b |& { c; d; } | e");
  ASSERT_EQ(script.commands.size(), 5U);
  EXPECT_TRUE(script.commands[0].feed.empty());
  EXPECT_EQ(script.commands[1].feed.end, 1U);
  EXPECT_EQ(script.commands[3].feed.end, 2U);
  EXPECT_EQ(script.commands[4].feed.end, 4U);
}

TEST(ScriptTest, CompoundCommands_AreRead) {
  EXPECT_EQ(commands_of("if a; then b; elif c; then d; else e; fi"), "a; b; c; d; e");
  EXPECT_EQ(commands_of("for f in x y $(ls); do\n echo $f\ndone"), "ls; echo|~$f");
  EXPECT_EQ(commands_of("for ((i=0; i<3; i++)); do echo $i; done"), "echo|~$i");
  EXPECT_EQ(commands_of("for f; do a; done; while read l; do b; done < f"), "a; read|l; b;  >0:f");
  EXPECT_EQ(commands_of("case $x in (a|b) c;; *) d ;; esac; e"), "c; d; e");
  EXPECT_EQ(commands_of("f() { rm x; }; function g { ls; }; f"), "rm|x; ls; f");
  EXPECT_EQ(commands_of("[[ -n $a && b > c ]] && ls; ((x = 1)); (cd y && ls) 2>/dev/null"),
            "ls; cd|y; ls;  >1:/dev/null");
  EXPECT_EQ(commands_of("f () { rm x; }; f"), "rm|x; f");
  EXPECT_EQ(commands_of("! time -p a && b || c & d"), "a; b; c; d");
  EXPECT_EQ(commands_of("A=1 B=(x $(ls)) C[2]=y c"), "ls; c");
}

TEST(ScriptTest, Redirections_HaveTheirTargets) {
  EXPECT_EQ(commands_of("a >b 2>>c <d &>e 2>&1 >&f 3<>g"), "a >1:b >2:c >0:d >1:e >4:1 >1:f >2:g");
  EXPECT_EQ(commands_of("a <&3 0>&4 2<&-"), "a >0:/dev/fd/3 >0:/dev/fd/4 >4:-");
  EXPECT_EQ(commands_of("cat <<< \"hello $x\""), "cat >3:hello $x");
}

TEST(ScriptTest, HereDocument_IsReadAtLineEnd) {
  EXPECT_EQ(commands_of("cat <<EOF | b; c\nx\nEOF\nd"), "cat >3:x\n; b; c; d");
  EXPECT_EQ(commands_of("cat <<-'E' > f\n\tx $(ls)\n\tE\n"), "cat >3:x $(ls)\n >1:f");
  EXPECT_EQ(commands_of("cat <<E\n\\\"\\$\nE\n"), "cat >3:\\\"$\n");
  EXPECT_EQ(commands_of("cat <<E\n$(ls)\nE\n"), "cat >3:$(ls)\n; ls");
  EXPECT_EQ(commands_of("cat <<E\nx"), "cat >3:x\n !A here-document has no end at the end");
}

TEST(ScriptTest, Faults_AreNamedAndKeepWhatWasRead) {
  EXPECT_EQ(commands_of("ls; echo 'a"), "ls; echo| !A quotation mark has no end: 'a");
  EXPECT_EQ(commands_of("ls; )"), "ls !A part of a command has no beginning: )");
  EXPECT_EQ(commands_of("ls | "), "ls !A command is missing at the end");
  EXPECT_EQ(commands_of("if a; then b"), "a; b !\"fi\" is missing at the end");
  EXPECT_EQ(commands_of("coproc a"), " !A coprocess is not understood: coproc a");
  EXPECT_EQ(commands_of("a ${b"), "a|~${b !\"${\" has no end at the end");
}

TEST(ScriptTest, Limits_EndTheReading) {
  std::string lists;
  for (int i = 0; i < 100; ++i) lists += "( ";
  EXPECT_NE(commands_of(lists).find("nested too deeply"), std::string::npos);
  EXPECT_NE(parse_script(std::string(100, '(')).problem, "");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "$((";
  EXPECT_NE(parse_script("echo " + deep).problem, "");
  std::string many;
  for (std::size_t i = 0; i < kMaxCommands + 1; ++i) many += "a;";
  EXPECT_EQ(parse_script(many).commands.size(), kMaxCommands);
  EXPECT_NE(parse_script(many).problem, "");
  EXPECT_NE(parse_script(std::string(kMaxScriptBytes + 1, 'a')).problem, "");
}

}  // namespace
}  // namespace parley::shell
