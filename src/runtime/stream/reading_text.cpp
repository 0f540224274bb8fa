// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/reading_text.h"

#include <algorithm>
#include <utility>

#include "base/core/utf8.h"
#include "base/core/visible_text.h"
#include "runtime/stream/event_line.h"

namespace parley::runtime {
namespace {

constexpr std::string_view kDot = " \xc2\xb7 ";
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";
constexpr std::string_view kPlain;
constexpr std::string_view kBold = "1";
constexpr std::string_view kDim = "2";
constexpr std::string_view kRed = "31";

constexpr std::size_t kNumberWidth = 6;  // width of the column of event_id
constexpr std::size_t kNameWidth = 64;   // limit of the names in front of an event's text
constexpr std::size_t kLeastText = 20;

std::string plural(std::uint64_t count, std::string_view one) {
  return std::to_string(count) + ' ' + std::string(one) + (count == 1 ? "" : "s");
}

std::string session_name(const std::string& id) {
  return id.empty() ? "session (not named)" : "session " + one_line(id, kNameWidth);
}

EventLine line_of(const StreamLine& frame, std::string& type) {
  if (const RunEvent* event = frame.event()) {
    type = type_name(*event);
    return event_line(*event);
  }
  if (const Reply* reply = frame.reply()) {
    type = "reply";
    EventLine out{0, reply->reply, "", reply->error.has_value()};
    const auto add = [&out](const std::string& part) {
      out.text += (out.text.empty() ? "" : "  ") + part;
    };
    if (reply->stop_reason && *reply->stop_reason != "end_turn") add(*reply->stop_reason);
    if (reply->error) add(*reply->error);
    return out;
  }
  const auto& unknown = std::get<UnknownEvent>(frame.body);
  type = unknown.type;
  return {1, unknown.json};
}

class ReadingWriter {
 public:
  explicit ReadingWriter(const TextOptions& options) : options_(options) {}

  void event(const std::string& session, const StreamLine& frame) {
    if (out_.empty() || session != session_) out_ += session_name(session) + '\n';
    session_ = session;
    const RunEvent* event = frame.event();
    const std::optional<InnerFrame> inner = event ? inner_frame(*event) : std::nullopt;
    std::string number = frame.event_id ? std::to_string(*frame.event_id) : "";
    number.insert(0, kNumberWidth - std::min(kNumberWidth, number.size()), ' ');
    out_ += paint(kDim, number);
    std::string type;
    EventLine line = line_of(inner ? inner->frame : frame, type);
    std::string before;
    if (inner) {
      line.level += kSubAgentLevel * inner->depth;
      before = one_line(inner->agent, kNameWidth) + ": ";
    }
    write(line, before, one_line(type, kNameWidth));
  }

  void run(const std::string& session, const RunSummary& run) {
    out_ += session.empty() ? "" : session_name(session) + std::string(kDot);
    out_ += "run";
    if (!run.id.empty()) out_ += ' ' + one_line(run.id, kNameWidth);
    if (!run.agent.empty()) out_ += std::string(kDot) + one_line(run.agent, kNameWidth);
    out_ += std::string(kDot) + plural(run.events, "event") + ", " + plural(run.nodes, "node") +
            ", " + plural(run.tools, "tool call");
    if (run.checkpoints > 0) out_ += ", " + plural(run.checkpoints, "checkpoint");
    if (run.model_calls > 0) {
      out_ += ", " + plural(run.model_calls, "model call") + ", " + event_line(run.usage).text;
    }
    if (run.unknown > 0) out_ += ", " + plural(run.unknown, "event") + " of unknown types";
    if (run.began_at && run.ended_at) {
      out_ += ", " + std::to_string(*run.ended_at - *run.began_at) + " ms";
    }
    if (run.resumed > 0) out_ += ", resumed " + plural(run.resumed, "time");
    if (!run.reply) out_ += std::string(kDot) + "not over";
    out_ += '\n';
  }

  std::string take() { return std::move(out_); }

 private:
  void write(const EventLine& line, const std::string& before, const std::string& type) {
    const std::string blanks(2 * static_cast<std::size_t>(line.level) + 1, ' ');
    std::string call;
    if (!line.call_id.empty()) call = " (" + one_line(line.call_id, kNameWidth) + ')';
    const std::size_t used =
        kNumberWidth + blanks.size() + before.size() + type.size() + call.size() + 1;
    const std::size_t left = options_.width - std::min(options_.width, used);
    const std::string text = one_line(line.text, std::max(left, kLeastText));
    out_ += blanks + before + paint(kBold, type) + paint(kDim, call);
    if (!text.empty()) out_ += ' ' + paint(line.failed ? kRed : kPlain, text);
    out_ += '\n';
  }

  std::string paint(std::string_view code, const std::string& text) const {
    const bool painted = options_.colour && !code.empty() && !text.empty();
    return painted ? "\x1b[" + std::string(code) + 'm' + text + "\x1b[0m" : text;
  }

  const TextOptions& options_;
  std::string out_;
  std::string session_;
};

}  // namespace

std::string one_line(std::string_view text, std::size_t width) {
  std::string line;
  for (const char c : text.substr(0, width)) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank) {
      line += c;
    } else if (c == ' ' || (!line.empty() && line.back() != ' ')) {
      line += ' ';
    }
  }
  const bool cut = text.size() > width;
  if (cut) line.resize(core::utf8_prefix(line));
  return core::visible_line(line) + std::string(cut ? kEllipsis : "");
}

std::string reading_text(const RunReader& reader, const Reading& reading,
                         const TextOptions& options) {
  ReadingWriter writer(options);
  reader.each([&writer](const std::string& session, const StreamLine& frame) {
    writer.event(session, frame);
  });
  for (const SessionSummary& session : reading.sessions) {
    const std::string id = reading.sessions.size() > 1 ? session.id : "";
    for (const RunSummary& run : session.runs) writer.run(id, run);
  }
  std::string out = writer.take();
  out += plural(reading.counts.lines, "line") + ", " + plural(reading.counts.events, "event");
  if (reading.counts.duplicates > 0) out += ", " + plural(reading.counts.duplicates, "duplicate");
  if (reading.counts.broken > 0) out += ", " + plural(reading.counts.broken, "broken line");
  out += '\n';
  return out;
}

std::string findings_text(const Reading& reading) {
  std::string out;
  for (const Finding& finding : reading.findings) {
    out += finding.source;
    if (finding.line > 0) out += ':' + std::to_string(finding.line);
    out += ": " + std::string(severity_name(severity_of(finding.code))) + ' ' +
           std::string(code_name(finding.code)) + ": " + one_line(finding.message, 300) + '\n';
  }
  if (reading.counts.findings_left_out > 0) {
    out += plural(reading.counts.findings_left_out, "more finding") + '\n';
  }
  return out;
}

}  // namespace parley::runtime
