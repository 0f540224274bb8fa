// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/tot_state.h"

#include <algorithm>
#include <utility>

#include "base/core/result.h"
#include "runtime/agent/dup_state.h"
#include "runtime/agent/state_json.h"

namespace parley::agent {
namespace {

namespace dom = simdjson::dom;

void write_candidates(core::JsonWriter& json, const std::vector<Candidate>& candidates) {
  json.key("candidates").begin_array();
  for (const Candidate& candidate : candidates) {
    json.begin_object();
    json.key("thought").string(candidate.thought);
    json.key("tool_calls").begin_array();
    for (const model::ToolCall& call : candidate.tool_calls) {
      json.begin_object();
      json.key("id").string(call.id);
      json.key("name").string(call.name);
      json.key("arguments").string(call.arguments);
      json.end_object();
    }
    json.end_array();
    if (candidate.score) json.key("score").number(*candidate.score);
    json.end_object();
  }
  json.end_array();
}

void write_level(core::JsonWriter& json, const TotLevel& level) {
  write_candidates(json, level.candidates);
  if (!level.tried.empty()) json.key("chosen_index").number(level.tried.back());
  json.key("tried_indices").begin_array();
  for (const std::uint64_t index : level.tried) json.number(index);
  json.end_array();
}

core::Result<Candidate> read_candidate(const dom::element& element) {
  PARLEY_TRY(auto object, as_object(element, "candidates"));
  Candidate candidate;
  std::optional<dom::array> calls;
  auto read = first_failure(read_member(object, "thought", candidate.thought),
                            read_member(object, "tool_calls", calls));
  if (!read) return core::fail(std::move(read).error());
  double score = 0;
  if (object.at_key("score").get(score) == simdjson::SUCCESS) candidate.score = score;
  if (!calls) return candidate;
  for (const dom::element item : *calls) {
    PARLEY_TRY(auto call, as_object(item, "tool_calls"));
    model::ToolCall created;
    read =
        first_failure(read_member(call, "id", created.id), read_member(call, "name", created.name),
                      read_member(call, "arguments", created.arguments));
    if (!read) return core::fail(std::move(read).error());
    candidate.tool_calls.push_back(std::move(created));
  }
  return candidate;
}

core::Result<void> read_level(const dom::object& from, TotLevel& level) {
  std::optional<dom::array> candidates;
  std::optional<dom::array> tried;
  auto read = first_failure(
      read_member(from, "depth", level.depth), read_member(from, "messages", level.messages),
      read_member(from, "candidates", candidates), read_member(from, "tried_indices", tried));
  if (!read) return read;
  if (candidates) {
    for (const dom::element element : *candidates) {
      PARLEY_TRY(auto candidate, read_candidate(element));
      level.candidates.push_back(std::move(candidate));
    }
  }
  if (tried) {
    for (const dom::element element : *tried) {
      std::uint64_t index = 0;
      if (element.get(index) != simdjson::SUCCESS || index >= level.candidates.size()) {
        return core::fail(core::Code::data_loss, "A candidate of the tree is missing.",
                          "tried_indices");
      }
      level.tried.push_back(index);
    }
  }
  return {};
}

}  // namespace

bool TotLevel::was_tried(std::size_t index) const {
  return std::ranges::find(tried, index) != tried.end();
}

std::optional<std::size_t> TotLevel::best_untried(double least) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const double score = candidates[i].score.value_or(0);
    if (was_tried(i) || score < least) continue;
    if (!best || score > candidates[*best].score.value_or(0)) best = i;
  }
  return best;
}

namespace {

tl::unexpected<core::Error> no_path() {
  return core::fail(core::Code::data_loss, "A path of the tree is not a list of strings.",
                    "explored_paths");
}

// States of an earlier version have one text per path.
core::Result<void> read_paths(const dom::object& from, std::vector<std::vector<std::string>>& out) {
  std::optional<dom::array> list;
  if (auto read = read_member(from, "explored_paths", list); !read || !list) return read;
  for (const dom::element element : *list) {
    std::vector<std::string>& path = out.emplace_back();
    if (std::string_view text; element.get(text) == simdjson::SUCCESS) {
      path.emplace_back(text);
      continue;
    }
    dom::array texts;
    if (element.get(texts) != simdjson::SUCCESS) return no_path();
    for (const dom::element item : texts) {
      std::string_view text;
      if (item.get(text) != simdjson::SUCCESS) return no_path();
      path.emplace_back(text);
    }
  }
  return {};
}

}  // namespace

void TotState::write(core::JsonWriter& json, std::uint64_t log_from) const {
  json.begin_object();
  write_core(json, core, log_from);
  json.key("tot").begin_object();
  json.key("depth").number(depth);
  json.key("explored_paths").begin_array();
  for (const std::vector<std::string>& path : explored_paths) {
    json.strings(path);
  }
  json.end_array();
  json.key("suggest_backtrack").boolean(suggest_backtrack);
  if (!path_failed_reason.empty()) json.key("path_failed_reason").string(path_failed_reason);
  write_level(json, levels.empty() ? TotLevel{} : levels.back());
  json.key("levels").begin_array();
  for (const TotLevel& level : levels) {
    json.begin_object();
    json.key("depth").number(level.depth);
    json.key("messages").number(level.messages);
    write_level(json, level);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
}

core::Result<void> TotState::apply(const dom::object& written) {
  if (auto read = apply_core(written, core); !read) return read;
  depth = 0;
  levels.clear();
  explored_paths.clear();
  suggest_backtrack = false;
  path_failed_reason.clear();
  std::optional<dom::object> members;
  if (auto read = read_member(written, "tot", members); !read || !members) return read;
  std::optional<dom::array> list;
  auto read =
      first_failure(read_member(*members, "depth", depth), read_paths(*members, explored_paths),
                    read_member(*members, "suggest_backtrack", suggest_backtrack),
                    read_member(*members, "path_failed_reason", path_failed_reason),
                    read_member(*members, "levels", list));
  if (!read || !list) return read;
  for (const dom::element element : *list) {
    PARLEY_TRY(auto object, as_object(element, "levels"));
    TotLevel level;
    if (read = read_level(object, level); !read) return read;
    levels.push_back(std::move(level));
  }
  return {};
}

}  // namespace parley::agent
