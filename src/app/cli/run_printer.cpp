// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/run_printer.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "base/core/duration_text.h"
#include "base/core/json_text.h"
#include "base/core/utf8.h"
#include "runtime/stream/event_line.h"
#include "runtime/stream/export_form.h"

namespace parley::app {
namespace {

constexpr std::size_t kMaxShown = 160;
constexpr std::size_t kMaxNotice = 2'000;

constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kBlue = "\033[34m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kPlain = "\033[0m";

// Form of the line on stderr about an event of this type. Types without a row get no such line.
struct NoteForm {
  std::string_view type;
  std::string_view mark;
  std::string_view colour;
};

constexpr NoteForm kNoteForms[] = {
    {"tool_end", "✓", kGreen},          {"tot_evaluate", "✓", kGreen},
    {"tot_backtrack", "↩", kYellow},    {"got_plan", "·", kDim},
    {"got_node_start", "→", kBlue},     {"got_node_failed", "✗", kRed},
    {"got_node_complete", "✓", kGreen}, {"got_expand", "+", kDim},
};

// JSON with its escapes resolved, so that a person who approves a call sees the real characters of
// its arguments.
std::string resolved_json(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element value;
  return parser.parse(json).get(value) == simdjson::SUCCESS ? simdjson::minify(value) : json;
}

// The dangers in the explanation of a call, in Markdown.
std::string dangers_in(const std::string& explanation) {
  simdjson::dom::parser parser;
  simdjson::dom::element it;
  std::string_view dangers;
  const bool has_some = parser.parse(explanation).get(it) == simdjson::SUCCESS &&
                        it["en"]["dangers"].get(dangers) == simdjson::SUCCESS;
  return has_some ? std::string(dangers) : std::string();
}

// The first line of a text, short enough for a line of its own.
std::string one_line(std::string_view text, std::size_t limit = kMaxShown) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view shown = core::utf8_truncate(line, limit);
  const bool cut = shown.size() < text.size();
  return core::visible_line(shown) + (cut ? " ..." : "");
}

// "12:05:59 ", in the local time of this computer.
std::string clock_time(std::int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1'000);
  std::tm parts{};
  if (unix_ms <= 0 || localtime_r(&seconds, &parts) == nullptr) return {};
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S ", &parts)};
}

// The part of a line that fits into `columns` - 1 columns: some terminals wrap in the last column.
std::string fitted(std::string_view line, std::size_t columns) {
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < line.size()) {
    const bool begins = (static_cast<unsigned char>(line[at]) & 0xc0U) != 0x80U;
    if (begins && ++used >= columns) break;
    ++at;
  }
  return std::string(line.substr(0, at));
}

}  // namespace

void RunPrinter::on_frame(std::string_view line) {
  if (options_.form == RunForm::stream) out().append(line).push_back('\n');
  const auto frame = parser_.parse(line);
  if (!frame) return;
  last_event_id_ = std::max(last_event_id_, frame->event_id.value_or(0));
  if (options_.times) at_ = clock_time(frame->at.value_or(0));
  if (options_.form == RunForm::single_key) out() += runtime::export_form(*frame) + '\n';
  if (const runtime::RunEvent* event = frame->event()) on_event(*event);
  if (const runtime::Reply* reply = frame->reply()) on_reply(*reply);
}

void RunPrinter::on_event(const runtime::RunEvent& event) {
  if (const auto* approval = std::get_if<runtime::ToolApproval>(&event)) {
    approvals_.push_back({approval->call_id.value_or(""), approval->name,
                          resolved_json(approval->arguments), dangers_in(approval->explanation)});
    doing_ = "waiting for approval";
  } else if (const auto* start = std::get_if<runtime::ToolStart>(&event)) {
    settled_.push_back(start->call_id.value_or(""));
    doing_ = start->name;
  } else if (const auto* end = std::get_if<runtime::ToolEnd>(&event)) {
    settled_.push_back(end->call_id.value_or(""));
  } else if (const auto* node = std::get_if<runtime::NodeEnter>(&event)) {
    doing_ = node->id;
  } else if (const auto* custom = std::get_if<runtime::Custom>(&event)) {
    on_notices(*custom);
  }
  const auto inner = runtime::inner_frame(event);
  if (inner) doing_ = "sub-agent " + inner->agent;
  const runtime::RunEvent* innermost = inner ? inner->frame.event() : &event;
  const auto* usage = innermost ? std::get_if<runtime::Usage>(innermost) : nullptr;
  if (usage != nullptr) tokens_ += usage->total_tokens;
  if (options_.form == RunForm::readable) tell(event);
}

// Prints notices to stderr in every form, because they are for the person at the terminal.
void RunPrinter::on_notices(const runtime::Custom& custom) {
  std::vector<core::JsonField> members;
  std::vector<core::JsonField> notices;
  core::scan_object(custom.value, runtime::kMaxLineDepth, {}, members, notices);
  if (const core::JsonField* cut = core::find_field(members, "reply_cut")) {
    core::scan_object(cut->value, runtime::kMaxLineDepth, {}, members, notices);
    const core::JsonField* told = core::find_field(members, "message");
    if (told == nullptr || told->type != core::JsonType::string) return;
    return note("!", one_line(core::decode_json_string(told->value), kMaxNotice), kYellow);
  }
  const core::JsonField* found = core::find_field(members, "notices");
  if (found == nullptr || found->type != core::JsonType::array) return;
  core::scan_array(found->value, runtime::kMaxLineDepth, notices);
  for (const core::JsonField& each : notices) {
    if (each.type != core::JsonType::string) continue;
    note("!", one_line(core::decode_json_string(each.value), kMaxNotice), kYellow);
  }
}

void RunPrinter::tell(const runtime::RunEvent& event) {
  if (const auto* chunk = std::get_if<runtime::MessageChunk>(&event)) {
    if (options_.streams_text) say(chunk->content);
  } else if (const auto* approval = std::get_if<runtime::ToolApproval>(&event)) {
    note("?", approval->name + " waits for approval", kYellow);
  } else if (const auto* call = std::get_if<runtime::ToolCallMade>(&event)) {
    note("→", call->name + ' ' + one_line(resolved_json(call->arguments)), kBlue);
    said_.clear();
  } else if (const auto* level = std::get_if<runtime::TotExpand>(&event)) {
    for (std::size_t i = 0; i < level->candidates.size(); ++i) {
      note("·", std::to_string(i) + "  " + one_line(level->candidates[i]), kDim);
    }
  }
  for (const NoteForm& form : kNoteForms) {
    if (form.type != runtime::type_name(event)) continue;
    const runtime::EventLine line = runtime::event_line(event);
    note(line.failed ? "✗" : form.mark, one_line(line.text), line.failed ? kRed : form.colour);
  }
}

void RunPrinter::on_reply(const runtime::Reply& it) {
  ending_ = Ending{it.stop_reason.value_or(""), it.error.value_or(""), it.reply};
  if (options_.form != RunForm::readable) return;
  end_chunks();
  const std::string reply = core::visible_text(it.reply);
  // Does not repeat a reply that was streamed.
  if (!reply.empty() && !said_.ends_with(reply)) {
    if (line_open_) say_visible("\n");
    say_visible(reply);
  }
  if (line_open_) say_visible("\n");
}

void RunPrinter::say(std::string_view text) {
  std::string safe;
  voice_.append(safe, text);
  say_visible(safe);
}

// Ends the text of the chunks so far, and writes the rest that the decoder holds back.
void RunPrinter::end_chunks() {
  std::string safe;
  voice_.finish(safe);
  say_visible(safe);
}

void RunPrinter::say_visible(const std::string& safe) {
  if (safe.empty()) return;
  out() += safe;
  said_ += safe;
  line_open_ = safe.back() != '\n';
}

void RunPrinter::note(std::string_view mark, std::string_view text, std::string_view colour) {
  end_chunks();
  if (line_open_) {
    out().push_back('\n');
    line_open_ = false;
  }
  std::string& to = err();
  if (options_.colour && !colour.empty()) to += colour;
  to += at_;
  to += "  ";
  to += mark;
  to += ' ';
  to += core::visible_line(text);
  if (options_.colour && !colour.empty()) to += kPlain;
  to.push_back('\n');
}

std::string& RunPrinter::piece(bool to_stderr) {
  if (output_.empty() || output_.back().to_stderr != to_stderr) output_.push_back({to_stderr, {}});
  return output_.back().text;
}

std::string RunPrinter::status(core::Millis elapsed, std::size_t columns) const {
  if (!options_.status_line || options_.form != RunForm::readable || ending_ || line_open_) {
    return {};
  }
  static constexpr std::array<std::string_view, 4> kTurn = {"◐", "◓", "◑", "◒"};
  constexpr std::int64_t kTurnMs = 150;
  std::string out(kTurn.at(static_cast<std::size_t>(elapsed.count() / kTurnMs) % kTurn.size()));
  out += " " + one_line(doing_) + "  " + core::tenths_text(elapsed);
  if (tokens_ > 0) out += "  " + std::to_string(tokens_) + " tokens";
  out = fitted(out, columns);
  return options_.colour ? std::string(kDim) + out + std::string(kPlain) : out;
}

std::optional<RunPrinter::Approval> RunPrinter::take_approval() {
  if (approvals_.empty()) return std::nullopt;
  std::optional<Approval> next = std::move(approvals_.front());
  approvals_.pop_front();
  return next;
}

std::string approval_dangers(const RunPrinter::Approval& approval) {
  std::string out;
  std::string_view rest = approval.dangers;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (!line.empty()) out += "  " + core::visible_line(line) + "\n";
  }
  return out;
}

std::string approval_question(const RunPrinter::Approval& approval) {
  std::string out = one_line(approval.name) + " " + core::visible_line(approval.arguments);
  const std::size_t hidden = core::count_hidden(approval.name, core::Breaks::escape) +
                             core::count_hidden(approval.arguments, core::Breaks::escape);
  if (hidden == 0) return out;
  return out + " (hidden characters: " + std::to_string(hidden) + ", written as <U+...>)";
}

}  // namespace parley::app
