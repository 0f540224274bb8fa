// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/request_text.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <cctype>
#include <set>
#include <vector>

#include "base/core/ascii.h"
#include "base/core/markdown_code.h"
#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "base/shell/explanation_text.h"

namespace parley::hook {
namespace {

namespace json = boost::json;

using core::code_span;
using core::fenced;

constexpr std::array<std::string_view, 6> kShellTools = {
    "Bash", "bash", "powershell", "run_shell_command", "run_in_terminal", kCursorShell};

// Arguments that are shown as they are; the order is the one on the page.
constexpr std::array<std::string_view, 6> kPlainFields = {"command", "file_path", "filepath",
                                                          "url",     "content",   "diff"};

// Parley's own MCP server in the names of tools, as `parley setup` calls it, and its tools.
constexpr std::string_view kOwnServer = "mcp__agent-assistant__";
constexpr std::array<std::string_view, 4> kOwnTools = {"ask_question", "await_answer",
                                                       "task_finish", "work_report"};

// Identifiers of OpenCode's request, which say nothing to a person.
constexpr std::array<std::string_view, 3> kOpencodeIds = {"id", "sessionID", "tool"};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

void add_lines(std::string& out, char sign, const std::vector<std::string_view>& lines,
               std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    out.push_back(sign);
    out.append(lines[i]).push_back('\n');
  }
}

// A patch of one hunk; equal lines at both ends are its context.
std::string patch_of(std::string_view path, std::string_view before, std::string_view after) {
  const std::vector<std::string_view> old_lines = lines_of(before);
  const std::vector<std::string_view> new_lines = lines_of(after);
  const std::size_t shorter = std::min(old_lines.size(), new_lines.size());
  std::size_t head = 0;
  while (head < shorter && old_lines[head] == new_lines[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         old_lines[old_lines.size() - 1 - tail] == new_lines[new_lines.size() - 1 - tail]) {
    ++tail;
  }
  std::string out = "--- " + std::string(path) + "\n+++ " + std::string(path) + "\n@@ -1," +
                    std::to_string(old_lines.size()) + " +1," + std::to_string(new_lines.size()) +
                    " @@\n";
  add_lines(out, ' ', old_lines, 0, head);
  add_lines(out, '-', old_lines, head, old_lines.size() - tail);
  add_lines(out, '+', new_lines, head, new_lines.size() - tail);
  add_lines(out, ' ', old_lines, old_lines.size() - tail, old_lines.size());
  return out;
}

// A change of the last line's end has no line in a patch: it is shown with the other arguments.
bool is_shown_as_patch(const json::object& input) {
  const json::value* before = input.if_contains("old_string");
  const json::value* after = input.if_contains("new_string");
  if (before == nullptr || after == nullptr || !before->is_string() || !after->is_string()) {
    return false;
  }
  const std::string_view old_text(before->get_string());
  const std::string_view new_text(after->get_string());
  return old_text.empty() || new_text.empty() ||
         old_text.ends_with('\n') == new_text.ends_with('\n');
}

std::string_view language_of(std::string_view field) {
  if (field == "command") return "sh";
  if (field == "diff") return field;
  return {};
}

// The arguments that no other part shows.
json::object others(const json::object& input, const std::set<std::string_view>& shown) {
  json::object rest;
  for (const auto& [name, value] : input) {
    if (!shown.contains(name)) rest.emplace(name, value);
  }
  return rest;
}

// The agent's own questions with their answers, as text; empty: their form is unknown.
std::string questions_text(const json::object& input) {
  const json::value* asked = input.if_contains("questions");
  const json::array* questions = asked == nullptr ? nullptr : asked->if_array();
  if (questions == nullptr) return {};
  std::string out;
  for (const json::value& each : *questions) {
    const json::object* question = each.if_object();
    if (question == nullptr || text_of(*question, "question").empty()) return {};
    out += (out.empty() ? "" : "\n") + text_of(*question, "question") + "\n";
    const json::value* options = question->if_contains("options");
    if (options == nullptr || !options->is_array()) continue;
    for (const json::value& one : options->get_array()) {
      if (!one.is_object()) return {};
      const std::string description = text_of(one.get_object(), "description");
      out += "- " + text_of(one.get_object(), "label");
      out += (description.empty() ? "" : ": " + description) + "\n";
    }
  }
  return out;
}

// The arguments that other parts of the text show, or that say nothing to a person.
std::set<std::string_view> shown_elsewhere(const HookEvent& event) {
  std::set<std::string_view> shown;
  if (event.kind == HookKind::plan && is_plan_shown(event)) shown.insert("plan");
  if (event.agent == Agent::opencode) shown.insert(kOpencodeIds.begin(), kOpencodeIds.end());
  if (event.input.contains("description") && event.input.at("description").is_string()) {
    shown.insert("description");
  }
  return shown;
}

std::string arguments_of(const HookEvent& event) {
  const json::object& input = event.input;
  std::set<std::string_view> shown = shown_elsewhere(event);
  std::string out;
  const std::string asked = event.kind == HookKind::dialog ? questions_text(input) : std::string();
  if (!asked.empty()) {
    shown.insert("questions");
    out += "\n\n" + fenced({}, asked);
  }
  const auto show = [&](std::string_view name, std::string_view text) {
    shown.insert(name);
    out += "\n\n" + fenced(language_of(name), text);
  };
  const bool is_edit = is_shown_as_patch(input);
  for (const std::string_view name : kPlainFields) {
    const json::value* value = input.if_contains(name);
    if (value == nullptr || !value->is_string()) continue;
    if (is_edit && name == "file_path") {
      shown.insert(name);  // the patch names it
      continue;
    }
    show(name, value->get_string());
  }
  if (is_edit) {
    shown.insert({"old_string", "new_string"});
    out += "\n\n" +
           fenced("diff", patch_of(core::visible_line(text_of(input, "file_path")),
                                   text_of(input, "old_string"), text_of(input, "new_string")));
  }
  const json::object rest = others(input, shown);
  if (!rest.empty()) out += "\n\n" + fenced("json", json::serialize(rest));
  return out;
}

// Cuts the middle out of a text that is too long.
RequestText within_limit(std::string text, Language language) {
  if (text.size() <= kMaxRequestBytes) return {std::move(text), false};
  const std::size_t half = kMaxRequestBytes / 2;
  const std::string_view all(text);
  const std::string_view front = core::utf8_truncate(all, half);
  std::size_t back = all.size() - half;
  while (back < all.size() && (static_cast<unsigned char>(all[back]) & 0xc0U) == 0x80U) ++back;
  std::string out(front);
  out.append("\n\n**").append(std::to_string(back - front.size()));
  out.append(words(Phrase::bytes_left_out, language)).append("**\n\n").append(all.substr(back));
  return {std::move(out), true};
}

// A permission for one of Parley's own tools.
Phrase asks_to_ask(std::string_view tool) {
  if (tool == "ask_question") return Phrase::ask_next;
  return tool == "await_answer" ? Phrase::wait_next : Phrase::report_next;
}

shell::Explanation explanation_of(const HookEvent& event) {
  if (!runs_command(event)) return {};
  if (event.tool == "powershell") {
    shell::Explanation unread;
    unread.problem = words(Phrase::powershell, event.language);
    return unread;
  }
  return shell::explain(text_of(event.input, "command"), {event.directory, event.home});
}

Phrase asks(const HookEvent& event) {
  if (event.kind == HookKind::plan) return Phrase::approve_plan;
  if (event.kind == HookKind::dialog) return Phrase::dialog;
  if (is_own_tool(event)) {
    return asks_to_ask(std::string_view(event.tool).substr(kOwnServer.size()));
  }
  if (runs_command(event)) {
    return Phrase::runs_command;
  }
  const bool has_patch = event.tool == "edit" && event.input.contains("diff");
  if (event.input.contains("old_string") || has_patch) return Phrase::changes_file;
  if (event.input.contains("content")) return Phrase::writes_file;
  return Phrase::uses_tool;
}

// "&lrm;" or "&#8206;": a character that is not written as itself.
bool has_entity(std::string_view text) {
  for (std::size_t at = text.find('&'); at != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(" \t\r\n&;", at + 1);
    if (end == std::string_view::npos) return false;
    if (text[end] == ';' && end > at + 1) return true;
    at = text.find('&', end);
  }
  return false;
}

// "<b>", "</b>", "<!-- x -->": pages of other programs take it for HTML, and do not show it.
bool has_html(std::string_view text) {
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1)) {
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (std::isalpha(static_cast<unsigned char>(next)) != 0) return true;
    if (next == '/' || next == '!' || next == '?') return true;
  }
  return false;
}

// True if a page that renders the Markdown would leave out or alter parts of it: targets and titles
// of links, definitions, text behind the mark of a fence, characters by their names, HTML.
bool hides_text(std::string_view markdown) {
  if (has_html(markdown)) return true;
  if (markdown.find("](") != std::string_view::npos) return true;
  if (markdown.find("]:") != std::string_view::npos || has_entity(markdown)) return true;
  for (const std::string_view line : lines_of(markdown)) {
    const std::size_t mark = std::min(line.find("```"), line.find("~~~"));
    if (mark == std::string_view::npos) continue;
    if (core::trimmed(line.substr(mark)).find_first_of(" \t") != std::string_view::npos)
      return true;
  }
  return false;
}

std::string plan_text(const HookEvent& event) {
  if (is_plan_shown(event) && hides_text(event.plan)) {
    return std::string(words(Phrase::plan_as_written, event.language)) + "\n\n" +
           fenced({}, event.plan);
  }
  if (!is_plan_shown(event)) return std::string(words(Phrase::plan_unknown, event.language));
  return std::string(words(Phrase::the_plan, event.language)) + "\n\n" +
         core::visible_text(event.plan);
}

}  // namespace

bool runs_command(const HookEvent& event) {
  return std::find(kShellTools.begin(), kShellTools.end(), event.tool) != kShellTools.end();
}

bool is_own_tool(const HookEvent& event) {
  if (!event.tool.starts_with(kOwnServer)) return false;
  const std::string_view tool = std::string_view(event.tool).substr(kOwnServer.size());
  const bool is_of_person = event.server_source.empty() || event.server_source == "user" ||
                            event.server_source == "local";
  return is_of_person && std::find(kOwnTools.begin(), kOwnTools.end(), tool) != kOwnTools.end();
}

bool is_plan_shown(const HookEvent& event) { return !core::trimmed(event.plan).empty(); }

RequestText request_text(const HookEvent& event) {
  const Language language = event.language;
  const Phrase asked = asks(event);
  std::string text(words(asked, language));
  if (asked == Phrase::uses_tool) text += code_span(event.tool) + ".";
  const shell::Explanation explained = explanation_of(event);
  const std::string dangers = danger_text(explained, language);
  if (!dangers.empty()) text += "\n\n" + dangers;
  text += arguments_of(event);
  const std::string touches = touch_text(explained, language);
  if (!touches.empty()) text += "\n\n" + touches;
  std::string where;
  if (!event.directory.empty()) {
    where = std::string(words(Phrase::directory, language)) + code_span(event.directory);
  }
  if (!event.mode.empty()) {
    where.append(where.empty() ? "" : " · ").append(words(Phrase::mode, language));
    where += code_span(event.mode);
  }
  if (!where.empty()) text += "\n\n" + where;
  const std::string description = text_of(event.input, "description");
  if (!description.empty()) {
    text.append("\n\n").append(words(Phrase::agent_says, language)).append("\n\n");
    text += fenced({}, description);
  }
  // Last, because it is Markdown: it could imitate the lines above.
  if (event.kind == HookKind::plan) text += "\n\n" + plan_text(event);
  return within_limit(std::move(text), language);
}

}  // namespace parley::hook
