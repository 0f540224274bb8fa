// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/log_line.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "base/core/time_text.h"

namespace parley::study {
namespace {

constexpr std::string_view kWrapped = "{\"payload\":";

bool has_line_end(std::string_view text) {
  // Two passes are faster: a search for either character would go byte by byte.
  return text.find('\n') != std::string_view::npos || text.find('\r') != std::string_view::npos;
}

void append_on_one_line(std::string& out, std::string_view json) {
  if (!has_line_end(json)) {
    out += json;
    return;
  }
  std::string compact(json.size() + simdjson::SIMDJSON_PADDING, '\0');
  std::size_t size = 0;
  const auto error = simdjson::minify(json.data(), json.size(), compact.data(), size);
  compact.resize(error == simdjson::SUCCESS ? size : 0);
  // Keeps a payload that is not JSON text, on one line.
  if (compact.empty() || has_line_end(compact)) {
    compact = json;
    std::replace_if(
        compact.begin(), compact.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  }
  out += compact;
}

void append_member(std::string& out, std::string_view key, std::string_view json) {
  if (json.empty()) return;
  out += key;
  append_on_one_line(out, json);
}

void append_number(std::string& out, std::uint64_t value) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  out.append(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
}

}  // namespace

std::string event_payload(const Record& record, bool& truncated) {
  const std::size_t size = record.payload.size() + record.id.size() + record.reply_to.size() +
                           record.client_id.size() + 64;
  truncated = size > core::limits::kMaxPayloadBytes;
  std::string out(kWrapped);
  if (truncated) {
    out += "{\"truncated\":true,\"bytes\":" + std::to_string(record.payload.size()) + "}}";
    return out;
  }
  out.reserve(size);
  append_on_one_line(out, record.payload.empty() ? "{}" : record.payload);
  append_member(out, ",\"id\":", record.id);
  append_member(out, ",\"replyTo\":", record.reply_to);
  if (!record.client_id.empty()) {
    out += ",\"clientId\":";
    core::append_json_string(out, record.client_id);
  }
  out.push_back('}');
  return out;
}

std::string line_head(std::string_view study_id) {
  std::string head = "{\"sessionId\":";
  core::append_json_string(head, study_id);
  head += ",\"eventIndex\":";
  return head;
}

LineWriter::LineWriter(std::string study_id) : head_(line_head(study_id)) {}

void LineWriter::append(std::string& out, const event::Event& event) {
  out.reserve(out.size() + head_.size() + event.payload.size() + event.type.size() + 128);
  out += head_;
  append_number(out, event.seq - 1);
  out += ",\"timestamp\":\"";
  append_time(out, event.at);
  out += "\",\"direction\":";
  core::append_json_string(out, event.direction);
  out += ",\"type\":";
  core::append_json_string(out, event.type);
  out.push_back(',');
  if (event.payload.starts_with(kWrapped)) {
    out.append(event.payload, 1);
  } else {
    out.append(kWrapped.substr(1));
    append_on_one_line(out, event.payload.empty() ? "{}" : event.payload);
    out.push_back('}');
  }
  out.push_back('\n');
}

void LineWriter::append_time(std::string& out, core::WallTime at) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(at);
  const std::int64_t second = whole.time_since_epoch().count();
  if (std::exchange(second_, second) != second) {
    second_text_ = core::time_text_ms(whole);
    second_text_.resize(second_text_.size() - std::string_view("000Z").size());
  }
  const auto ms = static_cast<unsigned>((at - whole).count());
  out += second_text_;
  out.push_back(static_cast<char>('0' + ms / 100));
  out.push_back(static_cast<char>('0' + ms / 10 % 10));
  out.push_back(static_cast<char>('0' + ms % 10));
  out.push_back('Z');
}

}  // namespace parley::study
