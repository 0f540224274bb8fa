// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "study/log_record.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace parley::study {
namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::string_view, 9> kFields = {"sessionId", "eventIndex", "timestamp",
                                                     "direction", "type",       "payload",
                                                     "id",        "replyTo",    "clientId"};
constexpr std::size_t kRequired = 6;

std::string quoted(std::string_view name) { return "\"" + std::string(name) + "\""; }

// Takes the fields of one line apart.
class LineFields {
 public:
  LineFields(const dom::object& object, std::vector<LineFault>& faults) : faults_(faults) {
    for (const auto field : object) {
      const auto* known = std::find(kFields.begin(), kFields.end(), field.key);
      if (known == kFields.end()) {
        fault("unknown", quoted(field.key) + " is no field of a study log.");
        continue;
      }
      auto& slot = values_.at(static_cast<std::size_t>(known - kFields.begin()));
      if (slot) fault("field", quoted(field.key) + " stands twice in the line.");
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

bool read_digits(std::string_view text, std::size_t at, std::size_t count, int& out) {
  const char* begin = text.data() + at;
  if (!std::all_of(begin, begin + count, [](char c) { return c >= '0' && c <= '9'; })) return false;
  std::from_chars(begin, begin + count, out);
  return true;
}

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
    const auto at = parse_iso_time(record.timestamp);
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

std::optional<core::WallTime> parse_iso_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    if (kForm[i] != '0' && text[i] != kForm[i]) return std::nullopt;
  }
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int ms = 0;
  const bool digits = read_digits(text, 0, 4, year) && read_digits(text, 5, 2, month) &&
                      read_digits(text, 8, 2, day) && read_digits(text, 11, 2, hour) &&
                      read_digits(text, 14, 2, minute) && read_digits(text, 17, 2, second) &&
                      read_digits(text, 20, 3, ms);
  if (!digits || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  return core::WallTime(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second) + core::Millis(ms);
}

std::string_view text_member(const dom::object& object, std::string_view name) {
  std::string_view text;
  return object[name].get_string().get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::optional<dom::object> object_member(const dom::object& object, std::string_view name) {
  dom::object out;
  if (object[name].get_object().get(out) != simdjson::SUCCESS) return std::nullopt;
  return out;
}

}  // namespace parley::study
