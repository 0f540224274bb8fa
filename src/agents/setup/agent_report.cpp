// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/agent_report.h"

#include <algorithm>

#include "agents/setup/text_lines.h"
#include "base/core/visible_text.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kActionWidth = 15;

std::string short_path(const fs::path& path, const fs::path& home) {
  const std::string name = core::visible_line(path.string());
  const std::string folder = home.string() + "/";
  return name.starts_with(folder) ? "~/" + name.substr(folder.size()) : name;
}

std::string column(std::string_view text) {
  std::string out(text);
  out.resize(std::max(out.size() + 1, kActionWidth), ' ');
  return out;
}

void append_list(std::string& out, const char* label, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    out += "  " + column(label) + core::visible_line(line) + "\n";
  }
}

void append_asks(std::string& out, const AgentFacts& agent, AsksWhen when) {
  if (when != AsksWhen::never) append_list(out, "asks", {sentence_of(agent, when)});
}

void append_block(std::string& out, const std::string& text) {
  for (const std::string& line : lines_of(core::visible_text(text))) out += "    " + line;
  if (!text.empty() && !text.ends_with('\n')) out += "\n";
}

std::string past_or_future(FileAction action, bool dry_run) {
  const std::string name(action_name(action));
  const bool is_change = action == FileAction::created || action == FileAction::written ||
                         action == FileAction::removed;
  return dry_run && is_change ? "would be " + name : name;
}

void append_file(std::string& out, const AgentReport& report, const FileResult& file,
                 const fs::path& home) {
  out += "  " + column(past_or_future(file.action, report.dry_run) + " ") +
         short_path(file.path, home) + " (" + file.titles + ")\n";
  if (!file.reason.empty()) out += "    " + core::visible_line(file.reason) + "\n";
  const bool is_by_hand = file.action == FileAction::refused && !file.snippet.empty();
  if (is_by_hand) {
    out += "    To do it by hand, add this to the file:\n";
    append_block(out, file.snippet);
  }
  append_block(out, file.diff);
}

}  // namespace

int AgentReport::status() const {
  int status = refusals.empty() ? kSetupDone : kSetupRefused;
  for (const FileResult& file : files) {
    if (file.action == FileAction::refused) status = std::max<int>(status, kSetupRefused);
    if (file.action == FileAction::failed) status = std::max<int>(status, kSetupFailed);
  }
  return status;
}

bool AgentReport::changes_anything() const {
  return std::any_of(files.begin(), files.end(), [](const FileResult& file) {
    return file.action == FileAction::created || file.action == FileAction::written ||
           file.action == FileAction::removed;
  });
}

std::string text_of(const AgentReport& report, const fs::path& home) {
  std::string out(report.agent->title);
  out += "\n";
  for (const FileResult& file : report.files) append_file(out, report, file, home);
  append_asks(out, *report.agent, report.asks);
  append_list(out, "refused", report.refusals);
  append_list(out, "warning", report.warnings);
  if (report.changes_anything() && !report.dry_run) append_list(out, "next", report.next);
  return out;
}

std::string text_of(const AgentState& state, const fs::path& home) {
  std::string out(state.agent->title);
  out += std::string(" (") + (state.is_found ? "found" : "not found") + ", `parley setup " +
         std::string(state.agent->word) + "`)\n";
  for (const PartState& part : state.parts) {
    out += "  " + column(part.state) + short_path(part.path, home) + " (" + part.title + ")\n";
  }
  append_asks(out, *state.agent, state.asks);
  append_list(out, "hint", state.hints);
  return out;
}

void write_members(core::JsonWriter& json, const AgentReport& report) {
  json.key("agent").string(report.agent->word);
  json.key("status").number(report.status());
  json.key("files").objects(report.files, [](core::JsonWriter& out, const FileResult& file) {
    out.key("path").string(file.path.string());
    out.key("parts").string(file.titles);
    out.key("action").string(action_name(file.action));
    if (!file.reason.empty()) out.key("reason").string(file.reason);
    if (file.action == FileAction::refused) out.key("snippet").string(file.snippet);
    if (!file.diff.empty()) out.key("diff").string(file.diff);
    if (!file.backup.empty()) out.key("backup").string(file.backup.string());
  });
  write_asks(json, report.asks);
  json.key("refusals").strings(report.refusals);
  json.key("warnings").strings(report.warnings);
  json.key("next").strings(report.next);
}

void write_members(core::JsonWriter& json, const AgentState& state) {
  json.key("agent").string(state.agent->word);
  json.key("title").string(state.agent->title);
  json.key("found").boolean(state.is_found);
  json.key("parts").objects(state.parts, [](core::JsonWriter& out, const PartState& part) {
    out.key("path").string(part.path.string());
    out.key("part").string(part.title);
    out.key("state").string(part.state);
  });
  write_asks(json, state.asks);
  json.key("hints").strings(state.hints);
}

}  // namespace parley::setup
