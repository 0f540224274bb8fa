// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run_printer.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "core/duration_text.h"
#include "core/json_member.h"
#include "core/utf8.h"

namespace parley::app {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kMaxShown = 160;
constexpr std::size_t kMaxAsked = 2'000;

constexpr std::string_view kDim = "\033[2m";
constexpr std::string_view kBlue = "\033[34m";
constexpr std::string_view kGreen = "\033[32m";
constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kYellow = "\033[33m";
constexpr std::string_view kPlain = "\033[0m";

std::uint64_t number_member(const object& from, std::string_view name) {
  std::uint64_t number = 0;
  return from[name].get(number) == simdjson::SUCCESS ? number : 0;
}

// What an event says of tokens; one of a sub-agent holds the event in which it says it.
std::uint64_t tokens_in(const object& event) {
  constexpr int kMaxDepth = 16;
  object at = event;
  for (int depth = 0; depth < kMaxDepth; ++depth) {
    const std::string type = core::string_member(at, "type");
    if (type == "usage") return number_member(at, "total_tokens");
    object inner;
    if (type != "custom" || at["value"]["event"].get(inner) != simdjson::SUCCESS) return 0;
    at = inner;
  }
  return 0;
}

std::string json_of(const object& from, std::string_view name) {
  element value;
  return from[name].get(value) == simdjson::SUCCESS ? simdjson::minify(value) : std::string();
}

// The first line of a text, short enough for a line of its own.
std::string one_line(std::string_view text, std::size_t limit = kMaxShown) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view shown = core::utf8_truncate(line, limit);
  const bool cut = shown.size() < text.size();
  return core::visible_line(shown) + (cut ? " ..." : "");
}

// "12:05:59 ", in the time of this computer.
std::string clock_time(std::uint64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1'000);
  std::tm parts{};
  if (unix_ms == 0 || localtime_r(&seconds, &parts) == nullptr) return {};
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M:%S ", &parts)};
}

// As much of a line as fits; the last column stays free, for some terminals wrap there.
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
  object frame;
  if (parser_.parse(line.data(), line.size()).get(frame) != simdjson::SUCCESS) return;
  last_event_id_ = std::max(last_event_id_, number_member(frame, "event_id"));
  if (options_.times) at_ = clock_time(number_member(frame, "at"));
  if (options_.form == RunForm::stream) {
    out_.append(line);
    out_.push_back('\n');
  } else if (options_.form == RunForm::single_key && options_.single_key) {
    if (const std::string form = options_.single_key(line); !form.empty()) out_ += form + "\n";
  }
  const std::string type = core::string_member(frame, "type");
  if (type.empty()) {
    on_reply(frame);
  } else {
    on_event(frame, type);
  }
}

void RunPrinter::on_event(const object& frame, std::string_view type) {
  if (type == "tool_approval") {
    approvals_.push_back({core::string_member(frame, "call_id"), core::string_member(frame, "name"),
                          json_of(frame, "arguments")});
    doing_ = "waiting for your word";
  }
  if (type == "tool_start" || type == "tool_end")
    settled_.push_back(core::string_member(frame, "call_id"));
  tokens_ += tokens_in(frame);
  if (type == "node_enter") doing_ = core::string_member(frame, "id");
  if (type == "custom") on_notices(frame);
  if (options_.form != RunForm::readable) return;
  if (type == "message_chunk" && options_.streams_text)
    return say(core::string_member(frame, "content"));
  if (type.starts_with("tool_")) return on_tool(frame, type);
  if (type.starts_with("tot_") || type.starts_with("got_")) return on_plan(frame, type);
  if (type == "custom") {
    object value;
    if (frame["value"].get(value) != simdjson::SUCCESS) return;
    if (const std::string name = core::string_member(value, "sub_agent"); !name.empty()) {
      doing_ = "sub-agent " + name;
    }
  }
}

// Whatever the form: they are for the person at the terminal.
void RunPrinter::on_notices(const object& frame) {
  simdjson::dom::array notices;
  if (frame["value"]["notices"].get(notices) != simdjson::SUCCESS) return;
  for (const element each : notices) {
    std::string_view text;
    if (each.get(text) == simdjson::SUCCESS) note("!", one_line(text, kMaxAsked), kYellow);
  }
}

void RunPrinter::on_tool(const object& frame, std::string_view type) {
  const std::string name = core::string_member(frame, "name");
  if (type == "tool_call") {
    note("→", name + " " + one_line(json_of(frame, "arguments")), kBlue);
    said_.clear();
  } else if (type == "tool_start") {
    doing_ = name;
  } else if (type == "tool_end") {
    bool failed = false;
    if (frame["is_error"].get(failed) != simdjson::SUCCESS) failed = false;
    note(failed ? "✗" : "✓", name + "  " + one_line(core::string_member(frame, "result")),
         failed ? kRed : kGreen);
  } else if (type == "tool_approval") {
    note("?", name + " waits for your word", kYellow);
  }
}

void RunPrinter::on_plan(const object& frame, std::string_view type) {
  if (type == "tot_expand") {
    simdjson::dom::array candidates;
    if (frame["candidates"].get(candidates) != simdjson::SUCCESS) return;
    std::size_t number = 0;
    for (const element each : candidates) {
      std::string_view text;
      if (each.get(text) == simdjson::SUCCESS) {
        note("·", std::to_string(number) + "  " + one_line(text), kDim);
      }
      ++number;
    }
  } else if (type == "tot_evaluate") {
    note("✓",
         "chosen " + std::to_string(number_member(frame, "chosen")) + "  scores " +
             json_of(frame, "scores"),
         kGreen);
  } else if (type == "tot_backtrack") {
    note("↩",
         "back to depth " + std::to_string(number_member(frame, "to_depth")) + "  " +
             one_line(core::string_member(frame, "reason")),
         kYellow);
  } else if (type == "got_plan") {
    note("·", "plan " + json_of(frame, "node_ids"), kDim);
  } else if (type == "got_node_start") {
    note("→", core::string_member(frame, "id"), kBlue);
  } else if (type == "got_node_complete") {
    note("✓",
         core::string_member(frame, "id") + "  " +
             one_line(core::string_member(frame, "result_summary")),
         kGreen);
  } else if (type == "got_node_failed") {
    note("✗",
         core::string_member(frame, "id") + "  " + one_line(core::string_member(frame, "error")),
         kRed);
  } else if (type == "got_expand") {
    note("+",
         core::string_member(frame, "node_id") + "  " +
             std::to_string(number_member(frame, "nodes_added")) + " tasks more",
         kDim);
  }
}

void RunPrinter::on_reply(const object& frame) {
  ending_ = Ending{core::string_member(frame, "stop_reason"), core::string_member(frame, "error"),
                   core::string_member(frame, "reply")};
  if (options_.form != RunForm::readable) return;
  end_chunks();
  const std::string reply = core::visible_text(core::string_member(frame, "reply"));
  // What was streamed is not said twice.
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

// The chunks until now are a whole text.
void RunPrinter::end_chunks() {
  std::string safe;
  voice_.finish(safe);
  say_visible(safe);
}

void RunPrinter::say_visible(const std::string& safe) {
  if (safe.empty()) return;
  out_ += safe;
  said_ += safe;
  line_open_ = safe.back() != '\n';
}

void RunPrinter::note(std::string_view mark, std::string_view text, std::string_view colour) {
  end_chunks();
  if (line_open_) {
    out_.push_back('\n');
    line_open_ = false;
  }
  if (options_.colour && !colour.empty()) err_ += colour;
  err_ += at_;
  err_ += "  ";
  err_ += mark;
  err_ += ' ';
  err_ += core::visible_line(text);
  if (options_.colour && !colour.empty()) err_ += kPlain;
  err_.push_back('\n');
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

std::string approval_question(const RunPrinter::Approval& approval) {
  const std::string_view shown = core::utf8_truncate(approval.arguments, kMaxAsked);
  const std::size_t left_out = approval.arguments.size() - shown.size();
  std::string out = one_line(approval.name) + " " + core::visible_line(shown);
  if (left_out > 0) out += " ... (" + std::to_string(left_out) + " bytes more)";
  const std::size_t hidden = core::count_hidden(approval.name, core::Breaks::escape) +
                             core::count_hidden(approval.arguments, core::Breaks::escape);
  if (hidden == 0) return out;
  return out + " (hidden characters: " + std::to_string(hidden) + ", written as <U+...>)";
}

}  // namespace parley::app
