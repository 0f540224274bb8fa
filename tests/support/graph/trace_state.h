// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/json_writer.h"
#include "runtime/graph/state.h"

namespace parley::graph {

// A state with a log of words and a number. For tests.
class TraceState : public State {
 public:
  std::vector<std::string> log;
  std::int64_t number = 0;
  std::uint64_t revision = 0;

  std::unique_ptr<State> clone() const override { return std::make_unique<TraceState>(*this); }
  std::uint64_t log_size() const override { return log.size(); }
  std::uint64_t log_revision() const override { return revision; }

  void write(core::JsonWriter& json, std::uint64_t log_from) const override {
    json.begin_object();
    json.key("number").number(number);
    json.key("log").begin_array();
    for (std::uint64_t i = log_from; i < log.size(); ++i) json.string(log[i]);
    json.end_array();
    if (log_from > 0) json.key("log_from").number(log_from);
    json.end_object();
  }

  core::Result<void> apply(const simdjson::dom::object& written) override {
    std::uint64_t from = 0;
    if (written["log_from"].get(from) != simdjson::SUCCESS) from = 0;
    if (from > log.size()) return core::fail(core::Code::data_loss, "The log has a gap.", "log");
    simdjson::dom::array entries;
    if (written["number"].get(number) != simdjson::SUCCESS ||
        written["log"].get(entries) != simdjson::SUCCESS) {
      return core::fail(core::Code::data_loss, "A member is missing.", "log");
    }
    log.resize(from);
    for (const simdjson::dom::element entry : entries) {
      std::string_view word;
      if (entry.get(word) != simdjson::SUCCESS) {
        return core::fail(core::Code::data_loss, "An entry is no word.", "log");
      }
      log.emplace_back(word);
    }
    return {};
  }

  std::string whole() const {
    std::string out;
    core::JsonWriter json(out);
    write(json, 0);
    return out;
  }
  std::string words() const {
    std::string out;
    for (const std::string& word : log) out += (out.empty() ? "" : " ") + word;
    return out;
  }
};

inline TraceState& trace(State& state) { return static_cast<TraceState&>(state); }

// Applies a written state, as a reader of the stream does.
inline core::Result<void> fold(TraceState& state, const std::string& written) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(written).get(object) != simdjson::SUCCESS) {
    return core::fail(core::Code::data_loss, "What was written is no JSON object.");
  }
  return state.apply(object);
}

}  // namespace parley::graph
