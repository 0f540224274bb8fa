// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/study/opened_record.h"

#include <simdjson.h>

#include "base/core/json_writer.h"

namespace parley::study {
namespace {

// The member `payload` of the object, or else the object itself.
simdjson::dom::element inner(simdjson::dom::parser& parser, std::string_view json) {
  simdjson::dom::element whole;
  if (parser.parse(json.data(), json.size()).get(whole) != simdjson::SUCCESS) return {};
  simdjson::dom::element payload;
  if (whole["payload"].get(payload) == simdjson::SUCCESS) return payload;
  return whole;
}

void take(const simdjson::dom::object& object, std::string_view name, std::string& out) {
  std::string_view text;
  if (object[name].get_string().get(text) == simdjson::SUCCESS) out = text;
}

}  // namespace

std::string opened_payload(const StudyStart& start) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("relaySession").string(start.relay_session);
  const auto text = [&json](std::string_view name, const std::string& value) {
    if (!value.empty()) json.key(name).string(value);
  };
  text("studyId", start.study_id);
  text("participantId", start.participant_id);
  text("condition", start.condition);
  text("scenario", start.scenario);
  json.key("implicit").boolean(start.implicit).end_object();
  return out;
}

void read_opened(std::string_view json, StudyStart& start) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (inner(parser, json).get_object().get(object) != simdjson::SUCCESS) return;
  take(object, "relaySession", start.relay_session);
  take(object, "studyId", start.study_id);
  take(object, "participantId", start.participant_id);
  take(object, "condition", start.condition);
  take(object, "scenario", start.scenario);
  bool implicit = false;
  if (object["implicit"].get_bool().get(implicit) == simdjson::SUCCESS) start.implicit = implicit;
}

std::string closed_payload(const StudyEnd& end, std::uint64_t records, std::uint64_t lost) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("reason").string(end.reason);
  json.key("stateReset").boolean(end.state_reset).key("records").number(records);
  if (lost > 0) json.key("lost").number(lost);
  json.end_object();
  return out;
}

StudyEnd read_closed(std::string_view json) {
  StudyEnd end;
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (inner(parser, json).get_object().get(object) != simdjson::SUCCESS) return end;
  take(object, "reason", end.reason);
  bool reset = false;
  if (object["stateReset"].get_bool().get(reset) == simdjson::SUCCESS) end.state_reset = reset;
  return end;
}

}  // namespace parley::study
