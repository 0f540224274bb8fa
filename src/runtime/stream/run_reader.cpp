// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream/run_reader.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "runtime/stream/run_checker.h"

namespace parley::runtime {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

void add_finding(std::vector<Finding>& findings, ReaderCounts& counts, std::size_t limit,
                 Finding finding) {
  if (findings.size() < limit) {
    findings.push_back(std::move(finding));
  } else {
    ++counts.findings_left_out;
  }
}

std::uint64_t gaps_in(const std::vector<std::uint64_t>& ids) {
  std::uint64_t gaps = 0;
  for (std::size_t i = 1; i < ids.size(); ++i) gaps += ids[i] > ids[i - 1] + 1 ? 1U : 0U;
  return gaps;
}

bool tells_of_resuming(const StreamLine& line) {
  const runtime::RunEvent* event = line.event();
  const auto* custom = event == nullptr ? nullptr : std::get_if<runtime::Custom>(event);
  return custom != nullptr && custom->value.starts_with(R"({"resumed":)");
}

}  // namespace

std::size_t Reading::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& it) { return severity_of(it.code) == severity; }));
}

// --- lines ---------------------------------------------------------------------------------------

RunReader::Source RunReader::open(std::string name) {
  inputs_.emplace_back().name = std::move(name);
  return inputs_.size() - 1;
}

void RunReader::feed(Source source, std::string_view piece) {
  Input& input = inputs_.at(source);
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view part = piece.substr(0, end);
    if (!input.skipping && input.rest.size() + part.size() > limits_.max_line_bytes) {
      input.skipping = true;
      input.rest.clear();
      input.rest.shrink_to_fit();
      ++counts_.broken;
      tell(FindingCode::line_too_long, source, input.line + 1,
           "The line is longer than " + std::to_string(limits_.max_line_bytes) + " bytes.");
    }
    if (end == std::string_view::npos) {
      if (!input.skipping) input.rest += part;
      return;
    }
    ++input.line;
    if (input.skipping) {
      input.skipping = false;
    } else if (input.rest.empty()) {
      take_line(source, part);
    } else {
      input.rest += part;
      const std::string line = std::exchange(input.rest, {});
      take_line(source, line);
    }
    piece.remove_prefix(end + 1);
  }
}

void RunReader::close(Source source) {
  Input& input = inputs_.at(source);
  if (input.skipping || input.rest.empty()) return;
  ++input.line;
  const std::string line = std::exchange(input.rest, {});
  take_line(source, line);
}

void RunReader::take_line(Source source, std::string_view line) {
  const std::uint64_t number = inputs_[source].line;
  if (number == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;  // keep-alive
  ++counts_.lines;
  auto read = parser_.parse(line);
  if (!read) {
    ++counts_.broken;
    tell(read.error().code, source, number, std::move(read.error().message));
    return;
  }
  if (const auto* unknown = std::get_if<UnknownEvent>(&read->body)) {
    tell(FindingCode::unknown_type, source, number,
         "The type \"" + unknown->type + "\" is not known.");
  }
  add(source, std::move(*read), line.size());
}

void RunReader::tell(FindingCode code, Source source, std::uint64_t line, std::string message) {
  add_finding(findings_, counts_, limits_.max_findings,
              {code, inputs_.at(source).name, line, std::move(message)});
}

// --- merging -------------------------------------------------------------------------------------

RunReader::Frames* RunReader::frames_of(const std::string& session) {
  const auto found = sessions_.find(session);
  if (found != sessions_.end()) return &found->second;
  if (sessions_.size() >= limits_.max_sessions) return nullptr;
  order_.push_back(session);
  return &sessions_[session];
}

void RunReader::add(Source source, StreamLine line, std::size_t bytes) {
  Input& input = inputs_[source];
  if (counts_.events >= limits_.max_events || bytes_ + bytes > limits_.max_bytes) {
    if (!std::exchange(full_, true)) {
      tell(FindingCode::limit_reached, source, input.line, "What follows is more than is kept.");
    }
    return;
  }
  bytes_ += bytes;
  if (line.session_id && *line.session_id != input.session) {
    if (input.session.empty()) adopt_unnamed(source, *line.session_id);
    input.session = *line.session_id;
  }
  Track& track = input.tracks[input.session];
  FramePosition place;
  if (line.event_id) {
    place.event_id = *line.event_id;
  } else {
    place = {track.last_id.value_or(0), true, source, input.line};
  }
  insert(source, input.session, place, std::move(line));
}

void RunReader::insert(Source source, const std::string& session, FramePosition place,
                       StreamLine line) {
  Input& input = inputs_[source];
  Frames* frames = frames_of(session);
  if (frames == nullptr) {
    if (!std::exchange(full_, true)) {
      tell(FindingCode::limit_reached, source, input.line, "There are too many sessions.");
    }
    return;
  }
  auto there = frames->find(place);
  if (there != frames->end() && there->second.source == source && tells_of_resuming(line) &&
      !(there->second.line.body == line.body)) {
    forget_from(source, session, place);
    there = frames->end();
  }
  if (there != frames->end()) {
    ++counts_.duplicates;
    const StreamLine& other = there->second.line;
    if (other.body == line.body) return;
    tell(FindingCode::event_conflict, source, input.line,
         "Another frame has the event_id " + std::to_string(place.event_id) +
             " already; the first one counts.");
    return;
  }
  Track& track = input.tracks[session];
  if (!place.unnumbered) {
    if (track.last_id && place.event_id <= *track.last_id) {
      tell(FindingCode::event_id_not_increasing, source, input.line,
           "The event_id " + std::to_string(place.event_id) + " follows " +
               std::to_string(*track.last_id) + '.');
    }
    track.last_id = std::max(track.last_id.value_or(0), place.event_id);
  }
  ++counts_.events;
  frames->emplace(place, Entry{std::move(line), source, input.line});
}

void RunReader::forget_from(Source source, const std::string& session, const FramePosition& place) {
  Frames& frames = sessions_.at(session);
  for (auto it = frames.lower_bound(place); it != frames.end();) {
    const bool is_void = it->second.source == source;
    counts_.voided += is_void ? 1U : 0U;
    counts_.events -= is_void ? 1U : 0U;
    it = is_void ? frames.erase(it) : std::next(it);
  }
  inputs_[source].tracks[session].last_id.reset();
}

// Frames before the first one that names a session belong to that session.
void RunReader::adopt_unnamed(Source source, const std::string& session) {
  const auto unnamed = sessions_.find("");
  if (unnamed == sessions_.end() || session.empty()) return;
  Frames others;
  Frames moved;
  for (auto& [place, entry] : unnamed->second) {
    (entry.source == source ? moved : others).emplace(place, std::move(entry));
  }
  unnamed->second = std::move(others);
  if (moved.empty()) return;
  inputs_[source].tracks[session] = inputs_[source].tracks[""];
  Frames* frames = frames_of(session);
  if (frames == nullptr) return;
  frames->merge(moved);
}

// --- reading -------------------------------------------------------------------------------------

// Earlier senders give the reply another session_id than its events: it belongs to the frames
// before it.
void RunReader::rejoin_replies(std::vector<std::pair<std::string, const Frames*>>& sessions,
                               std::map<std::string, Frames>& rejoined, Reading& out) const {
  for (std::size_t i = 1; i < sessions.size(); ++i) {
    const Frames& frames = *sessions[i].second;
    if (frames.size() != 1 || frames.begin()->second.line.reply() == nullptr) continue;
    const Entry& reply = frames.begin()->second;
    const auto [name, before] = sessions[i - 1];
    if (before->empty()) continue;
    const Entry& last = before->rbegin()->second;
    if (last.source != reply.source || last.line.reply() != nullptr) continue;
    Frames together = *before;
    FramePosition place = before->rbegin()->first;
    place.unnumbered = true;
    place.source = reply.source;
    place.line = reply.number;
    together.emplace(place, reply);
    add_finding(out.findings, out.counts, limits_.max_findings,
                {FindingCode::reply_of_other_session, inputs_[reply.source].name, reply.number,
                 "The reply names the session \"" + sessions[i].first + "\", its events \"" + name +
                     "\"."});
    sessions[i - 1].second = &(rejoined[name] = std::move(together));
    sessions.erase(sessions.begin() + static_cast<std::ptrdiff_t>(i));
    --i;
  }
}

Reading RunReader::read() const {
  Reading out;
  out.findings = findings_;
  out.counts = counts_;
  std::vector<std::pair<std::string, const Frames*>> sessions;
  for (const std::string& name : order_) {
    const Frames& frames = sessions_.at(name);
    if (!frames.empty()) sessions.emplace_back(name, &frames);
  }
  std::map<std::string, Frames> rejoined;
  rejoin_replies(sessions, rejoined, out);
  for (const auto& [name, frames] : sessions) check(name, *frames, out);
  return out;
}

void RunReader::check(const std::string& session, const Frames& frames, Reading& out) const {
  SessionSummary summary;
  summary.id = session;
  const Entry* current = nullptr;
  const auto tell_current = [&](FindingCode code, std::string message) {
    add_finding(out.findings, out.counts, limits_.max_findings,
                {code, current == nullptr ? std::string() : inputs_[current->source].name,
                 current == nullptr ? 0 : current->number, std::move(message)});
  };
  const auto new_run = [&] { return std::make_unique<RunChecker>(0, tell_current); };
  std::unique_ptr<RunChecker> checker = new_run();
  std::vector<std::uint64_t> ids;
  for (const auto& [place, entry] : frames) {
    if (!checker->continues(entry.line)) {
      summary.runs.push_back(checker->finish());
      checker = new_run();
    }
    current = &entry;
    checker->take(entry.line);
    if (!place.unnumbered) ids.push_back(place.event_id);
  }
  summary.runs.push_back(checker->finish());
  out.counts.gaps += gaps_in(ids);
  out.sessions.push_back(std::move(summary));
}

void RunReader::each(
    const std::function<void(const std::string& session, const StreamLine& line)>& visit) const {
  for (const std::string& session : order_) {
    for (const auto& [place, entry] : sessions_.at(session)) visit(session, entry.line);
  }
}

}  // namespace parley::runtime
