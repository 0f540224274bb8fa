// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/log_record.h"

#include <algorithm>
#include <array>

#include "base/core/time_text.h"

namespace parley::study {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 9> kFields = {"sessionId", "eventIndex", "timestamp",
                                                     "direction", "type",       "payload",
                                                     "id",        "replyTo",    "clientId"};
constexpr std::size_t kRequired = 6;

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

// Reads and checks the fields of one line.
class LineFields {
 public:
  LineFields(const dom::object& object, std::vector<LineFault>& faults) : faults_(faults) {
    for (const auto field : object) {
      const auto* known = std::find(kFields.begin(), kFields.end(), field.key);
      if (known == kFields.end()) {
        fault("unknown", quoted(field.key) + " is not a field of a study log.");
        continue;
      }
      auto& slot = values_.at(static_cast<std::size_t>(known - kFields.begin()));
      if (slot) fault("field", quoted(field.key) + " occurs twice in the line.");
      slot = field.value;
    }
    for (std::size_t i = 0; i < kRequired; ++i) {
      if (!values_.at(i)) fault("field", quoted(kFields.at(i)) + " is required and missing.");
    }
  }

  void text(std::size_t field, std::string& out) {
    if (!values_.at(field)) return;
    std::string_view value;
    if (values_.at(field)->get_string().get(value) == simdjson::SUCCESS) {
      out = value;
    } else {
      wrong_type(field, "a text");
    }
  }
  void index(std::size_t field, std::uint64_t& out) {
    if (!values_.at(field)) return;
    if (values_.at(field)->get_uint64().get(out) != simdjson::SUCCESS) {
      wrong_type(field, "a whole number from 0");
    }
  }
  void object(std::size_t field, dom::object& out) {
    if (!values_.at(field)) return;
    if (values_.at(field)->get_object().get(out) != simdjson::SUCCESS) {
      wrong_type(field, "an object");
    }
  }
  void raw(std::size_t field, std::string& out) {
    if (values_.at(field)) out = simdjson::minify(*values_.at(field));
  }
  void fault(std::string code, std::string message) {
    faults_.push_back({std::move(code), std::move(message)});
  }

 private:
  void wrong_type(std::size_t field, const std::string& wanted) {
    fault("type", quoted(kFields.at(field)) + " must be " + wanted + ".");
  }

  std::vector<LineFault>& faults_;
  std::array<std::optional<dom::element>, kFields.size()> values_;
};

}  // namespace

bool RecordReader::read(std::string_view line, LogRecord& record, std::vector<LineFault>& faults) {
  record = LogRecord();
  dom::object object;
  if (parser_.parse(line.data(), line.size()).get_object().get(object) != simdjson::SUCCESS) {
    faults.push_back({"json", "The line must be one JSON object."});
    return false;
  }
  LineFields fields(object, faults);
  fields.text(0, record.session_id);
  fields.index(1, record.index);
  fields.text(2, record.timestamp);
  fields.text(3, record.direction);
  fields.text(4, record.type);
  fields.object(5, record.payload);
  fields.raw(6, record.id);
  fields.raw(7, record.reply_to);
  fields.text(8, record.client_id);
  if (!record.timestamp.empty()) {
    const auto at = core::parse_time_ms(record.timestamp);
    if (at) {
      record.at = *at;
    } else {
      fields.fault("time", "\"timestamp\" must be a time in UTC like 2026-02-13T10:22:17.123Z.");
    }
  }
  if (!record.direction.empty() && record.direction != "in" && record.direction != "out" &&
      record.direction != "internal") {
    fields.fault("direction", "\"direction\" must be in, out or internal.");
  }
  return true;
}

std::optional<dom::object> object_member(const dom::object& object, std::string_view name) {
  dom::object out;
  if (object[name].get_object().get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

}  // namespace parley::study
