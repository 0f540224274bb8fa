// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/core/string_map.h"
#include "runtime/stream/event_parser.h"
#include "runtime/stream/finding.h"
#include "runtime/stream/run_summary.h"

namespace parley::runtime {

struct ReaderLimits {
  // Limit (The Loom stream): line that the reader reads. Reached: `line_too_long`, counted.
  std::size_t max_line_bytes = 33U << 20U;  // one event's payload and its envelope
  // Limit (The Loom stream): frames that the reader keeps, all sources together. Reached:
  // `limit_reached`, counted.
  std::size_t max_events = 2'000'000;  // that are kept, all sources together
  // Limit (The Loom stream): bytes that the reader keeps. Reached: `limit_reached`, counted.
  std::size_t max_bytes = 1U << 30U;  // of their lines
  // Limit (The Loom stream): findings of the reader. Reached: counted only.
  std::size_t max_findings = 10'000;  // further ones are only counted
  // Limit (The Loom stream): sessions of the reader. Reached: `limit_reached`, counted.
  std::size_t max_sessions = 10'000;
};

struct ReaderCounts {
  std::uint64_t lines = 0;       // lines that are not empty
  std::uint64_t events = 0;      // that are kept, including replies
  std::uint64_t broken = 0;      // lines that could not be read
  std::uint64_t duplicates = 0;  // repeated frames
  std::uint64_t voided = 0;      // frames shown before a kill and not stored
  std::uint64_t gaps = 0;        // places with missing numbers, which is normal
  std::uint64_t findings_left_out = 0;
};

// Result of reading: sessions, findings and counts.
struct Reading {
  std::vector<SessionSummary> sessions;  // in order of appearance
  std::vector<Finding> findings;
  ReaderCounts counts;

  std::size_t count(Severity severity) const;
};

// Reads the stream of one or many runs: NDJSON in pieces split anywhere, from one or several
// sources, in either form. Orders frames by session and event_id; frames without a number keep
// their position in their source. A repeated frame counts once; an unreadable line is reported and
// skipped. If a source continues after a kill with a `resumed` frame in the place of another frame,
// that source's frames from this number on were never stored, and are void.
class RunReader {
 public:
  using Source = std::size_t;

  explicit RunReader(ReaderLimits limits = {}) : limits_(limits) {}

  // Adds a source; the order of sources decides the order of frames without numbers.
  Source open(std::string name);
  void feed(Source source, std::string_view piece);
  // Ends a source; the last line needs no line break.
  void close(Source source);

  // Orders, checks and summarises the frames so far; may be called again after more input.
  Reading read() const;
  // Visits every frame of all sources, in order.
  void each(
      const std::function<void(const std::string& session, const StreamLine& line)>& visit) const;

 private:
  // Orders numbered frames by number, and others after the last number of their source.
  struct FramePosition {
    std::uint64_t event_id = 0;
    bool unnumbered = false;
    Source source = 0;
    std::uint64_t line = 0;
    bool operator<(const FramePosition& other) const {
      return std::tie(event_id, unnumbered, source, line) <
             std::tie(other.event_id, other.unnumbered, other.source, other.line);
    }
  };
  struct Entry {
    StreamLine line;
    Source source = 0;
    std::uint64_t number = 0;  // of the line
  };
  using Frames = std::map<FramePosition, Entry>;

  struct Track {  // state of one session in one source
    std::optional<std::uint64_t> last_id;
  };
  struct Input {
    std::string name;
    std::string rest;  // incomplete line
    bool skipping = false;
    std::uint64_t line = 0;
    std::string session;  // of the last frame that named one
    std::map<std::string, Track> tracks;
  };

  void take_line(Source source, std::string_view line);
  void add(Source source, StreamLine line, std::size_t bytes);
  void insert(Source source, const std::string& session, FramePosition place, StreamLine line);
  void forget_from(Source source, const std::string& session, const FramePosition& place);
  void adopt_unnamed(Source source, const std::string& session);
  Frames* frames_of(const std::string& session);
  void tell(FindingCode code, Source source, std::uint64_t line, std::string message);
  void rejoin_replies(std::vector<std::pair<std::string, const Frames*>>& sessions,
                      std::map<std::string, Frames>& rejoined, Reading& out) const;
  void check(const std::string& session, const Frames& frames, Reading& out) const;

  ReaderLimits limits_;
  EventParser parser_;
  std::vector<Input> inputs_;
  std::vector<std::string> order_;  // of sessions
  std::map<std::string, Frames> sessions_;
  std::vector<Finding> findings_;
  ReaderCounts counts_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

}  // namespace parley::runtime
