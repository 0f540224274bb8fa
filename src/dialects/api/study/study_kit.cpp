// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_writer.h"
#include "dialects/api/handlers.h"
#include "dialects/api/json_input.h"
#include "dialects/api/study/study_json.h"

namespace parley::api {
namespace {

constexpr std::size_t kMadeUpCharacters = 4;

// The study in the path; null, after sending 404, if there is none.
const study::KitStudy* find_study(const Context& context, Call& call) {
  const study::KitStudy* study =
      context.kit == nullptr ? nullptr : context.kit->find(call.request.path_param("study"));
  if (study == nullptr) {
    send_error(call,
               {core::Code::not_found, "The study kit has no study with this name.", "study"});
  }
  return study;
}

// "P-7K3M": without characters that are easily confused.
std::string make_participant_id(core::Entropy& entropy) {
  constexpr std::string_view kCharacters = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
  std::string id = "P-";
  for (std::size_t i = 0; i < kMadeUpCharacters; ++i) {
    id.push_back(kCharacters[entropy.next_u64() % kCharacters.size()]);
  }
  return id;
}

void write_condition(core::JsonWriter& json, const study::KitCondition& condition) {
  json.begin_object().key("id").string(condition.id).key("title").string(condition.title);
  json.key("agent").boolean(condition.agent);
  json.key("guiAdaptation").boolean(condition.gui_adaptation);
  json.key("tools").strings(condition.tools).end_object();
}

void write_scenario(core::JsonWriter& json, const study::KitScenario& scenario) {
  json.begin_object().key("id").string(scenario.id).key("title").string(scenario.title);
  json.key("instructions").string(scenario.instructions);
  json.key("data").begin_object().key("seed").number(scenario.seed);
  json.key("days").number(scenario.days).end_object().end_object();
}

std::string assigned_json(const study::KitStudy& study,
                          const study::AssignedParticipant& participant) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("studyId").string(study.id);
    json.key("participantId").string(participant.participant_id).key("condition");
    write_condition(json, *study.condition(participant.assignment.condition));
    json.key("scenario");
    write_scenario(json, *study.scenario(participant.assignment.scenario));
    json.key("endText").string(study.end_text);
  });
}

}  // namespace

void list_kit(const Context& context, Call call) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("studies").begin_array();
  if (context.kit != nullptr) {
    for (const study::KitStudy& study : context.kit->studies()) {
      json.begin_object().key("id").string(study.id);
      json.key("title").string(study.title).end_object();
    }
  }
  json.end_array().end_object();
  send_json(call, 200, std::move(out));
}

// Conditions are omitted: a participant must not learn those of others.
void get_kit_study(const Context& context, Call call) {
  const study::KitStudy* study = find_study(context, call);
  if (study == nullptr) return;
  send_object(call, 200, [&](core::JsonWriter& json) {
    json.key("id").string(study->id).key("title").string(study->title);
    json.key("consent").string(study->consent);
    json.key("endText").string(study->end_text);
  });
}

void assign_participant(const Context& context, Call call) {
  if (!has_studies(context, call)) return;
  const study::KitStudy* study = find_study(context, call);
  if (study == nullptr) return;
  study::AssignmentRequest request;
  const auto read = read_object(call.request.body, [&request](ObjectReader& body) {
    body.text("participantId", request.participant_id);
    body.finish();
  });
  if (!read) return send_error(call, read.error());
  request.owner = call.identity.workspace;
  request.study = study;
  request.make_id = [&entropy = context.entropy] { return make_participant_id(entropy); };
  core::Scheduler& scheduler = call.responder.scheduler();
  context.studies->assign(std::move(request), scheduler,
                          [call = std::move(call),
                           study](core::Result<study::AssignedParticipant> participant) mutable {
                            if (!participant) return send_error(call, participant.error());
                            send_json(call, 200, assigned_json(*study, *participant));
                          });
}

}  // namespace parley::api
