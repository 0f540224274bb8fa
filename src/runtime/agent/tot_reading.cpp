// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/tot_reading.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <set>
#include <string>
#include <utility>

#include "base/core/ascii.h"
#include "runtime/agent/json_reading.h"

namespace parley::agent {
namespace {

namespace json = boost::json;

std::string first_text(const json::object& object, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (std::string text = text_of(object, name); !text.empty()) return text;
  }
  return {};
}

std::optional<model::ToolCall> read_call(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  const json::object* object = &value.get_object();
  if (const json::value* inner = object->if_contains("function"); inner && inner->is_object()) {
    object = &inner->get_object();
  }
  model::ToolCall call;
  call.name = first_text(*object, {"name", "tool", "tool_name"});
  call.arguments = first_text(*object, {"arguments", "args", "parameters", "input"});
  if (call.name.empty()) return std::nullopt;
  if (call.arguments.empty()) call.arguments = "{}";
  return call;
}

std::vector<model::ToolCall> read_calls(const json::value& value) {
  std::vector<model::ToolCall> calls;
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) {
      if (auto call = read_call(item)) calls.push_back(*std::move(call));
    }
  } else if (auto call = read_call(value)) {
    calls.push_back(*std::move(call));
  }
  return calls;
}

std::vector<Candidate> from_json(const json::value& value) {
  std::vector<Candidate> candidates;
  const json::value* list = &value;
  if (value.is_object()) {
    list = value.get_object().if_contains("candidates");
    if (list == nullptr) return candidates;
  }
  if (!list->is_array()) return candidates;
  for (const json::value& item : list->get_array()) {
    Candidate candidate;
    if (item.is_string()) {
      candidate.thought.assign(item.get_string().data(), item.get_string().size());
    } else if (item.is_object()) {
      candidate.thought = first_text(item.get_object(), {"thought", "text", "answer", "content"});
      if (const json::value* calls = item.get_object().if_contains("tool_calls")) {
        candidate.tool_calls = read_calls(*calls);
      }
    }
    if (!candidate.thought.empty() || !candidate.tool_calls.empty()) {
      candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

// "CANDIDATE 1: THOUGHT: ... | TOOL_CALLS: [...]"
std::optional<Candidate> from_line(std::string_view line) {
  constexpr std::string_view kThought = "thought:";
  constexpr std::string_view kCalls = "tool_calls:";
  const std::string plain = core::lowered(line);
  const std::size_t thought = plain.find(kThought);
  if (thought == std::string::npos) return std::nullopt;
  const std::size_t calls = plain.find(kCalls, thought);
  if (calls == std::string::npos) return std::nullopt;
  Candidate candidate;
  std::string_view text =
      core::trimmed(line.substr(thought + kThought.size(), calls - thought - kThought.size()));
  if (text.ends_with('|')) text = core::trimmed(text.substr(0, text.size() - 1));
  candidate.thought = text;
  if (const auto value = find_json(line.substr(calls + kCalls.size()))) {
    candidate.tool_calls = read_calls(*value);
  }
  if (candidate.thought.empty() && candidate.tool_calls.empty()) return std::nullopt;
  return candidate;
}

std::optional<double> number_of(const json::value& value) {
  if (value.is_double()) return value.get_double();
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (const json::object* object = value.if_object()) {
    if (const json::value* score = object->if_contains("score")) return number_of(*score);
  }
  return std::nullopt;
}

std::vector<double> scores_from_json(const json::value& value) {
  std::vector<double> scores;
  const json::value* list = &value;
  if (value.is_object()) {
    if (const json::value* member = value.get_object().if_contains("scores")) list = member;
  }
  const auto take = [&](const json::value& item) {
    if (const auto score = number_of(item)) scores.push_back(*score);
  };
  if (list->is_array()) {
    for (const json::value& item : list->get_array()) take(item);
  } else if (list->is_object()) {
    for (const auto& member : list->get_object()) take(member.value());
  }
  return scores;
}

// The last number of a line, "Candidate 2: 0.7", "2) 8/10".
std::optional<double> last_number(std::string_view line) {
  if (const std::size_t slash = line.rfind('/'); slash != std::string_view::npos) {
    line = line.substr(0, slash);
  }
  const std::size_t end = line.find_last_of("0123456789");
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t from = end;
  while (from > 0 && line.find_first_of("0123456789.", from - 1) == from - 1) --from;
  double value = 0;
  const auto [stop, error] = std::from_chars(line.data() + from, line.data() + end + 1, value);
  if (error != std::errc() || stop != line.data() + end + 1) return std::nullopt;
  return value;
}

std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : core::lowered(text) + " ") {
    const bool ends = c == ' ' || c == '\n' || c == '\t' || c == '.' || c == ',' || c == '?' ||
                      c == '!' || c == ':' || c == ';' || c == '"' || c == '(' || c == ')';
    if (!ends) {
      word += c;
    } else if (word.size() > 3) {
      words.insert(std::exchange(word, {}));
    } else {
      word.clear();
    }
  }
  return words;
}

bool asks_for_search(std::string_view request) {
  constexpr std::array<std::string_view, 12> kWords = {"search",  "find", "look up",   "how to",
                                                       "what is", "why",  "latest",    "which",
                                                       "compare", "read", "recommend", "list"};
  const std::string plain = core::lowered(request);
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return plain.find(word) != std::string::npos; });
}

}  // namespace

std::vector<Candidate> read_candidates(const model::Message& reply, std::size_t most) {
  std::vector<Candidate> candidates;
  if (const auto value = find_json(reply.content)) candidates = from_json(*value);
  if (candidates.empty()) {
    for (const std::string_view line : lines_of(reply.content)) {
      if (auto candidate = from_line(line)) candidates.push_back(*std::move(candidate));
    }
  }
  if (candidates.empty()) candidates.push_back({std::string(core::trimmed(reply.content)), {}, {}});
  if (candidates.size() > most) candidates.resize(most);
  if (candidates.size() == 1 && candidates.front().tool_calls.empty()) {
    candidates.front().tool_calls = reply.tool_calls;
  }
  return candidates;
}

std::optional<std::vector<double>> read_scores(std::string_view text, std::size_t count) {
  std::vector<double> scores;
  if (const auto value = find_json(text)) scores = scores_from_json(*value);
  if (scores.size() != count) {
    scores.clear();
    for (const std::string_view line : lines_of(text)) {
      if (const auto score = last_number(line)) scores.push_back(*score);
    }
  }
  if (scores.size() != count || count == 0) return std::nullopt;
  const auto [low, high] = std::ranges::minmax(scores);
  if (low < 0 || high > 100) return std::nullopt;
  const double scale = high <= 1 ? 1 : high <= 10 ? 10 : 100;
  for (double& score : scores) score /= scale;
  return scores;
}

double heuristic_score(const Candidate& candidate, std::string_view request) {
  const std::size_t size = candidate.thought.size();
  const bool has_calls = !candidate.tool_calls.empty();
  double score = size >= 10 && size <= 2'000 ? 0.5 : 0.2;
  score += has_calls ? 0.5 : 0.3;
  if (!has_calls && asks_for_search(request)) score -= 0.25;
  const std::set<std::string> asked = words_of(request);
  if (!asked.empty()) {
    const std::set<std::string> words = words_of(candidate.thought);
    const auto shared =
        std::ranges::count_if(asked, [&](const std::string& word) { return words.contains(word); });
    score += 0.2 * static_cast<double>(shared) / static_cast<double>(asked.size());
  }
  return score / 1.2;
}

}  // namespace parley::agent
