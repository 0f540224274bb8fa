// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/explanation_text.h"

#include <algorithm>
#include <array>

#include "base/core/assert.h"
#include "base/core/danger_mark.h"
#include "base/core/markdown_code.h"

namespace parley::shell {
namespace {

struct Words {
  NoteKind kind;
  std::string_view english;
  std::string_view chinese;
};

constexpr std::array<Words, 29> kWords = {{
    {NoteKind::runs_download, "Runs what it downloads", "运行下载的内容"},
    {NoteKind::runs_decoded, "Runs a text that it decodes", "运行解码后的内容"},
    {NoteKind::runs_unknown, "Runs a text that is only known when it runs",
     "运行执行时才确定的内容"},
    {NoteKind::hidden_characters, "Has characters that do not show", "含有不可见字符"},
    {NoteKind::administrator, "Has all rights of this computer", "以管理员权限运行"},
    {NoteKind::deletes_widely, "Deletes more than single files of the project",
     "删除范围不限于项目中的单个文件"},
    {NoteKind::overwrites_device, "Overwrites a device", "覆盖设备"},
    {NoteKind::rewrites_remote, "Rewrites what is on the server", "改写服务器上的内容"},
    {NoteKind::discards_work, "Discards changes that git has not kept", "丢弃 git 未保存的更改"},
    {NoteKind::sends_file, "Sends data away", "向外发送数据"},
    {NoteKind::secret, "Names a file that may be secret", "涉及可能保密的文件"},
    {NoteKind::writes_outside, "Changes what is outside the project", "更改项目之外的内容"},
    {NoteKind::runs_later, "Changes what runs by itself later", "更改以后会自动运行的内容"},
    {NoteKind::opens_rights, "Opens a file for everybody or for its owner's rights",
     "放宽文件权限"},
    {NoteKind::stops_machine, "Stops or changes services of this computer", "停止或更改本机服务"},
    {NoteKind::changes_remote, "Changes what runs or is published elsewhere",
     "更改其他地方运行或发布的内容"},
    {NoteKind::changes_lookup, "Changes which programs run", "更改所运行的程序"},
    {NoteKind::endless_processes, "Starts processes without end", "无限启动进程"},
    {NoteKind::program, "Programs", "程序"},
    {NoteKind::own_code, "Code that is not examined", "未检查的代码"},
    {NoteKind::script, "Scripts whose commands are not shown", "未显示内容的脚本"},
    {NoteKind::network, "Network", "网络"},
    {NoteKind::remote_command, "On another computer", "在其他计算机上运行"},
    {NoteKind::installs, "Installs", "安装"},
    {NoteKind::git, "Git", "Git"},
    {NoteKind::deletes, "Deletes", "删除"},
    {NoteKind::changes, "Changes", "更改"},
    {NoteKind::outside, "Outside the project", "项目之外"},
    {NoteKind::stops_process, "Stops", "停止进程"},
}};
constexpr std::size_t kMaxShownPerKind = 8;

std::string_view words_of(NoteKind kind, Language language) {
  const auto* const found = std::find_if(kWords.begin(), kWords.end(),
                                         [kind](const Words& row) { return row.kind == kind; });
  PARLEY_ASSERT(found != kWords.end(), "each kind of note has its words");
  return language == Language::chinese ? found->chinese : found->english;
}

// The subjects of one kind; empty: the kind has none, or was not found.
std::string subjects_of(const Explanation& explanation, NoteKind kind) {
  std::string out;
  std::size_t count = 0;
  for (const Note& note : explanation.notes) {
    if (note.kind != kind || note.subject.empty()) continue;
    if (++count > kMaxShownPerKind) continue;
    out.append(out.empty() ? "" : ", ").append(core::code_span(note.subject));
  }
  if (count > kMaxShownPerKind) out += ", +" + std::to_string(count - kMaxShownPerKind);
  return out;
}

bool has_kind(const Explanation& explanation, NoteKind kind) {
  return std::any_of(explanation.notes.begin(), explanation.notes.end(),
                     [kind](const Note& note) { return note.kind == kind; });
}

}  // namespace

std::string danger_text(const Explanation& explanation, Language language) {
  const bool is_chinese = language == Language::chinese;
  std::string out;
  for (const Words& words : kWords) {
    if (!is_danger(words.kind) || !has_kind(explanation, words.kind)) continue;
    if (out.empty()) out = std::string(is_chinese ? core::kCarefulChinese : core::kCareful) + "\n";
    out.append("\n- ").append(words_of(words.kind, language));
    const std::string subjects = subjects_of(explanation, words.kind);
    if (!subjects.empty()) out.append(is_chinese ? "：" : ": ").append(subjects);
  }
  if (!explanation.problem.empty()) {
    out += out.empty() ? "" : "\n\n";
    out += is_chinese ? core::kNotUnderstoodChinese : core::kNotUnderstood;
    if (!is_chinese) out += ' ';
    out += core::code_span(explanation.problem);
  }
  return out;
}

std::string touch_text(const Explanation& explanation, Language language) {
  std::string out;
  const auto add = [&](NoteKind kind) {
    const std::string subjects = subjects_of(explanation, kind);
    if (subjects.empty()) return;
    out.append(out.empty() ? "- " : "\n- ").append(words_of(kind, language));
    out.append(language == Language::chinese ? "：" : ": ").append(subjects);
  };
  for (const Words& words : kWords) {
    if (!is_danger(words.kind)) add(words.kind);
  }
  if (explanation.has_more && !out.empty())
    out += language == Language::chinese ? "\n- …" : "\n- and more";
  return out;
}

}  // namespace parley::shell
