// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/decision.h"

#include <simdjson.h>

#include <utility>

#include "base/core/hashed_field.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/sha256.h"
#include "base/core/time_text.h"

namespace parley::event {
namespace {

namespace dom = simdjson::dom;

core::Error malformed(std::string_view member) {
  return {core::Code::invalid_argument,
          "The line is not that of a decision: " + std::string(member) +
              " is missing or has a wrong form.",
          std::string(member)};
}

core::Result<std::string> text_in(dom::object from, std::string_view name) {
  std::string_view text;
  if (from[name].get(text) != simdjson::SUCCESS) return core::fail(malformed(name));
  return std::string(text);
}

core::Result<std::string> digest_in(dom::object from, std::string_view name) {
  PARLEY_TRY(std::string digest, text_in(from, name));
  if (!core::is_sha256_hex(digest)) return core::fail(malformed(name));
  return digest;
}

core::Result<std::uint64_t> number_in(dom::object from, std::string_view name) {
  std::uint64_t number = 0;
  if (from[name].get(number) != simdjson::SUCCESS) return core::fail(malformed(name));
  return number;
}

core::Result<std::optional<std::string>> payload_in(dom::object from, std::string_view name) {
  dom::element member;
  if (from[name].get(member) != simdjson::SUCCESS) return core::fail(malformed(name));
  if (member.is_null()) return std::nullopt;
  PARLEY_TRY(std::string text, text_in(from, name));
  return text;
}

void write_payload(core::JsonWriter& json, std::string_view name,
                   const std::optional<std::string>& payload) {
  json.key(name);
  payload ? json.string(*payload) : json.null();
}

}  // namespace

std::string decision_hash(const Decision& decision, std::string_view previous) {
  std::string text;
  core::append_hashed_field(text, "previous", previous);
  core::append_hashed_field(text, "workspace", decision.workspace);
  core::append_hashed_field(text, "number", std::to_string(decision.number));
  core::append_hashed_field(text, "session", decision.session);
  core::append_hashed_field(text, "seq", std::to_string(decision.seq));
  core::append_hashed_field(text, "at", core::time_text_ms(decision.at));
  core::append_hashed_field(text, "closed", decision.closed);
  return core::sha256(text);
}

std::string decision_line(const RecordedDecision& recorded) {
  const Decision& decision = recorded.decision;
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  json.key("workspace").string(decision.workspace).key("number").number(decision.number);
  json.key("session").string(decision.session).key("seq").number(decision.seq);
  json.key("at").string(core::time_text_ms(decision.at));
  json.key("closed_sha256").string(decision.closed).key("hash").string(decision.hash);
  json.key("dropped").boolean(recorded.dropped);
  write_payload(json, "opened", recorded.opened_payload);
  write_payload(json, "closed", recorded.closed_payload);
  json.end_object();
  return out + "\n";
}

core::Result<RecordedDecision> read_decision_line(std::string_view line) {
  dom::parser parser;
  dom::object in;
  if (parser.parse(line).get(in) != simdjson::SUCCESS) {
    return core::fail(core::Code::invalid_argument, "The line is not a JSON object.");
  }
  RecordedDecision recorded;
  Decision& decision = recorded.decision;
  PARLEY_TRY(decision.workspace, text_in(in, "workspace"));
  PARLEY_TRY(decision.number, number_in(in, "number"));
  PARLEY_TRY(decision.session, text_in(in, "session"));
  PARLEY_TRY(decision.seq, number_in(in, "seq"));
  PARLEY_TRY(const std::string at, text_in(in, "at"));
  const auto time = core::parse_time_ms(at);
  if (!time) return core::fail(malformed("at"));
  decision.at = *time;
  PARLEY_TRY(decision.closed, digest_in(in, "closed_sha256"));
  PARLEY_TRY(decision.hash, digest_in(in, "hash"));
  if (in["dropped"].get(recorded.dropped) != simdjson::SUCCESS)
    return core::fail(malformed("dropped"));
  PARLEY_TRY(recorded.opened_payload, payload_in(in, "opened"));
  PARLEY_TRY(recorded.closed_payload, payload_in(in, "closed"));
  return recorded;
}

}  // namespace parley::event
