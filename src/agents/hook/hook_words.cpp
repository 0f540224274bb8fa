// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_words.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/core/assert.h"

namespace parley::hook {
namespace {

struct Row {
  Phrase phrase;
  std::string_view english;
  std::string_view chinese;
};

constexpr std::array<Row, 46> kRows = {{
    {Phrase::allow_once, "Allow once", "允许一次"},
    {Phrase::always, "Always", "始终允许"},
    {Phrase::edit_command, "Edit command", "修改命令"},
    {Phrase::deny, "Deny", "拒绝"},
    {Phrase::deny_and_stop, "Deny and stop", "拒绝并停止"},
    {Phrase::in_terminal, "Answer in the terminal", "在终端中回答"},
    {Phrase::approve, "Approve", "批准"},
    {Phrase::approve_edits, "Approve, accept edits", "批准并接受编辑"},
    {Phrase::keep_planning, "Keep planning", "继续规划"},
    {Phrase::done, "Done", "完成"},
    {Phrase::edits_without_asking, "Changes of files are not asked about until this session ends",
     "本次会话结束前，更改文件时不再询问"},
    {Phrase::until_opencode_ends, "until OpenCode ends, also other waiting requests that fit: ",
     "直到 OpenCode 结束，也适用于其他符合的请求："},
    {Phrase::other_command, "asks for the command to run instead", "询问改为运行的命令"},
    {Phrase::denies_others, "also the other waiting requests of this session",
     "同时拒绝此会话中其他等待的请求"},
    {Phrase::ends_turn, "the agent ends its turn", "代理结束本轮"},
    {Phrase::plan, "Plan", "计划"},
    {Phrase::may_it_ask, "May it ask?", "可以提问吗？"},
    {Phrase::command, "Command", "命令"},
    {Phrase::finished, "Finished", "已结束"},
    {Phrase::runs_command, "Wants to run a command.", "想要运行一条命令。"},
    {Phrase::changes_file, "Wants to change a file.", "想要更改一个文件。"},
    {Phrase::writes_file, "Wants to write a file.", "想要写入一个文件。"},
    {Phrase::uses_tool, "Wants to use the tool ", "想要使用工具 "},
    {Phrase::approve_plan, "Approve this plan?", "批准这个计划吗？"},
    {Phrase::dialog,
     "It has a question, which is answered in its terminal. Own words here go to it as a refusal "
     "with these words.",
     "它有一个问题，需要在它的终端中回答。在此填写的内容会作为拒绝的理由发给它。"},
    {Phrase::ask_next,
     "May it ask you through Parley? The question itself comes next: do not answer it here.",
     "可以通过 Parley 向你提问吗？问题随后出现，请不要在此回答。"},
    {Phrase::wait_next, "May it go on waiting for your answer in Parley?",
     "可以在 Parley 中继续等待你的回答吗？"},
    {Phrase::report_next, "May it report to you through Parley? The report itself comes next.",
     "可以通过 Parley 向你汇报吗？汇报随后出现。"},
    {Phrase::write_command, "Write the command to run instead of", "请填写用来代替以下命令的命令"},
    {Phrase::turn_ended, "The turn has ended", "本轮已结束"},
    {Phrase::agent_waits, "The agent waits", "代理在等待"},
    {Phrase::agent_gone, "Too late: the agent has gone.", "太迟了：代理已离开。"},
    {Phrase::directory, "Directory: ", "目录："},
    {Phrase::mode, "Mode: ", "模式："},
    {Phrase::agent_says, "The agent says:", "代理的说明："},
    {Phrase::the_plan, "The plan:", "计划："},
    {Phrase::plan_as_written, "The plan, as it is written:", "计划原文："},
    {Phrase::plan_unknown,
     "The plan cannot be shown here. Read it in the terminal, where it can be approved.",
     "此处无法显示计划。请在终端中阅读，并在那里批准。"},
    {Phrase::bytes_left_out, " bytes are left out here.", " 字节未在此显示。"},
    {Phrase::powershell, "Commands of PowerShell are not read", "不解析 PowerShell 命令"},
    {Phrase::this_session, "until this session ends", "直到本次会话结束"},
    {Phrase::this_project, "for this project, on this computer", "用于此项目，仅限本机"},
    {Phrase::all_projects, "for all projects", "用于所有项目"},
    {Phrase::every_use, "every use of ", "所有使用："},
    {Phrase::files_in, "files in ", "文件位于 "},
    {Phrase::accept_edits, "accept edits", "接受编辑"},
}};

}  // namespace

std::string_view words(Phrase phrase, Language language) {
  const auto* const row = std::find_if(kRows.begin(), kRows.end(),
                                       [phrase](const Row& each) { return each.phrase == phrase; });
  PARLEY_ASSERT(row != kRows.end(), "each phrase has its words");
  return language == Language::chinese ? row->chinese : row->english;
}

Language language_of_environment() {
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const bool is_chinese = std::string_view(value).starts_with("zh");
    return is_chinese ? Language::chinese : Language::english;
  }
  return Language::english;
}

}  // namespace parley::hook
