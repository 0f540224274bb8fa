// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/stream/export_form.h"
#include "runtime/stream/frame.h"
#include "runtime/stream/run_reader.h"
#include "tests/support/stream/sample_events.h"

// Sample runs as frames, for tests.
namespace parley::runtime {

// Writes frames with numbers and envelopes, as a sender does.
class SampleStream {
 public:
  explicit SampleStream(std::string session = "s1", std::uint64_t first = 1)
      : session_(std::move(session)), next_(first) {}

  SampleStream& add(const runtime::RunEvent& event) {
    if (const auto* enter = std::get_if<runtime::NodeEnter>(&event)) {
      node_ = "run-" + enter->id + '-' + std::to_string(nodes_++);
    }
    event::Event stored_event = stored(event, next_++, node_);
    stored_event.session = session_;
    lines.push_back(frame_of(stored_event));
    return *this;
  }
  SampleStream& reply(std::string_view text, std::string_view more = "") {
    lines.push_back(R"({"session_id":")" + session_ + R"(","event_id":)" + std::to_string(next_++) +
                    R"(,"reply":")" + std::string(text) + R"(","node_id":")" + node_ +
                    R"(","stop_reason":"end_turn")" + std::string(more) + "}");
    return *this;
  }
  SampleStream& skip(std::uint64_t numbers) {
    next_ += numbers;
    return *this;
  }
  SampleStream& begin(std::string run_id = "run-1") {
    nodes_ = 0;
    node_ = "run-0";
    return add(runtime::RunStart{std::move(run_id), "Hello", "react"});
  }
  std::string text() const {
    std::string out;
    for (const std::string& line : lines) out += line + '\n';
    return out;
  }

  std::vector<std::string> lines;

 private:
  std::string session_;
  std::uint64_t next_;
  std::uint64_t nodes_ = 0;
  std::string node_ = "run-0";
};

// A run of a react agent: a thought, a call, its result, an answer.
inline SampleStream sample_run(const std::string& session = "s1") {
  using namespace runtime;
  SampleStream out(session);
  out.begin();
  out.add(NodeEnter{"think"}).add(ThoughtChunk{"look first", "think"});
  out.add(MessageChunk{"I will ", "think"}).add(MessageChunk{"read it", "think"});
  out.add(ToolCallChunk{"c1", "read", R"({"path")"});
  out.add(ToolCallChunk{"c1", std::nullopt, R"(:"a.txt"})"});
  out.add(ToolCallMade{"c1", "read", R"({"path":"a.txt"})"});
  out.add(Usage{10, 5, 15}).add(NodeExit{"think", std::nullopt});
  out.add(Updates{"think", R"({"messages":[{"User":"Hello"}],"turn_count":0})"});
  out.skip(2).add(NodeEnter{"act"}).add(ToolStart{"c1", "read"});
  out.add(ToolOutput{"c1", "read", "some "}).add(ToolOutput{"c1", "read", "text"});
  out.add(ToolEnd{"c1", "read", "some text", false, std::nullopt});
  out.add(NodeExit{"act", std::nullopt});
  out.add(Updates{"act", R"({"messages":[{"Tool":"x"}],"log_from":1,"turn_count":1})"});
  out.add(NodeEnter{"think"}).add(MessageChunk{"Done.", "think"}).add(Usage{20, 2, 22});
  out.add(NodeExit{"think", std::nullopt});
  out.add(Checkpoint{"k1", "1700000000000", 3, R"({"turn_count":2})", session, std::nullopt,
                     "__end__"});
  return out.reply("Done.");
}

inline RunReader reader_of(std::string_view text, ReaderLimits limits = {}) {
  RunReader reader(limits);
  const RunReader::Source source = reader.open("run.ndjson");
  reader.feed(source, text);
  reader.close(source);
  return reader;
}

inline Reading read_text(std::string_view text, ReaderLimits limits = {}) {
  return reader_of(text, limits).read();
}

// Every frame that a reader keeps, in order, in the export form.
inline std::string frames_in(const RunReader& reader) {
  std::string out;
  reader.each(
      [&out](const std::string&, const StreamLine& line) { out += export_form(line) + '\n'; });
  return out;
}

// Concatenation of the message chunks.
inline std::string text_in(const RunReader& reader) {
  std::string out;
  reader.each([&out](const std::string&, const StreamLine& line) {
    const RunEvent* event = line.event();
    const auto* chunk = event == nullptr ? nullptr : std::get_if<MessageChunk>(event);
    if (chunk != nullptr) out += chunk->content;
  });
  return out;
}

inline std::string lines_of(std::initializer_list<std::string_view> lines) {
  std::string out;
  for (const std::string_view line : lines) out.append(line).append("\n");
  return out;
}

// The codes of the findings, in order, without notes unless `notes`.
inline std::vector<std::string> codes(const Reading& reading, bool notes = false) {
  std::vector<std::string> out;
  for (const Finding& finding : reading.findings) {
    if (!notes && severity_of(finding.code) == Severity::note) continue;
    out.emplace_back(code_name(finding.code));
  }
  return out;
}

}  // namespace parley::runtime
