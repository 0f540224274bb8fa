// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/approval_question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parley::run {
namespace {

std::string text_of(std::string name, std::string arguments, std::string_view source) {
  Run run;
  run.working_folder = "/h/till";
  model::ToolCall call;
  call.name = std::move(name);
  call.arguments = std::move(arguments);
  return approval_prompt(run, call, source).text;
}

TEST(ApprovalQuestion, ShellCommand_IsShownAsItRuns) {
  EXPECT_EQ(text_of("bash", R"({"command":"rm -rf ~\nls","timeout":5})", "builtin"),
            "Allow `bash` to run?\n\n**Careful:**\n\n- Deletes more than single files of the "
            "project: `rm -rf ~`\n\n```sh\nrm -rf ~\nls\n```\n\n```json\n{\"timeout\":5}\n```\n\n"
            "- Programs: `rm`, `ls`");
}

TEST(ApprovalQuestion, OtherCall_IsShownAsJson) {
  const std::string json = "Allow `bash` to run?\n\n```json\n";
  EXPECT_EQ(text_of("bash", R"({"command":"ls"})", "mcp:x@1"),
            json + R"({"command":"ls"})" + "\n```");
  EXPECT_EQ(text_of("bash", R"({"command":1})", "builtin"), json + R"({"command":1})" + "\n```");
  EXPECT_EQ(text_of("bash", R"({"command")", "builtin"), json + R"({"command")" + "\n```");
}

TEST(ApprovalQuestion, OtherCall_LeavesItsCodeNowhere) {
  EXPECT_EQ(text_of("a`b", "{\"x\":\"```\u202e\"}\n```\n**Safe**", "mcp:x@1"),
            "Allow `a'b` to run?\n\n````json\n{\"x\":\"```<U+202E>\"}\n```\n**Safe**\n````");
}

}  // namespace
}  // namespace parley::run
