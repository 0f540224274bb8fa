// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "dialects/api/handlers.h"
#include "dialects/api/study/study_json.h"

namespace parley::api {
namespace {

constexpr std::uint64_t kDefaultStudies = 100;

core::Result<study::StudyQuery> read_study_query(const Call& call) {
  study::StudyQuery query;
  query.owner = call.identity.workspace;
  const std::string state = call.request.query_param("state").value_or("");
  if (state == "open") {
    query.state = study::StudyState::open;
  } else if (state == "ended") {
    query.state = study::StudyState::ended;
  } else if (!state.empty()) {
    return core::fail(core::Code::invalid_argument, "\"state\" must be open or ended.", "state");
  }
  query.study_id = call.request.query_param("study_id").value_or("");
  query.participant_id = call.request.query_param("participant_id").value_or("");
  PARLEY_TRY(const auto limit,
             query_number(call.request, "limit", kDefaultStudies, 1, study::kMaxStudiesPage));
  query.limit = limit;
  PARLEY_TRY(const auto cursor, query_number(call.request, "cursor", 0, 0, INT64_MAX));
  query.before = cursor;
  return query;
}

void write_next(core::JsonWriter& json, std::uint64_t next) {
  json.key("next");
  next == 0 ? json.null() : json.string(std::to_string(next));
}

void send_csv(Call& call, const std::string& name, std::string csv) {
  net::Response response;
  response.headers.set("Content-Type", "text/csv; charset=utf-8");
  response.headers.set("Content-Disposition", "attachment; filename=\"" + name + "\"");
  response.headers.set("Cache-Control", "no-store");
  response.body = std::move(csv);
  call.responder.send(std::move(response));
}

std::string summaries_csv(const study::SummaryPage& page) {
  std::string csv;
  study::append_summary_header(csv);
  for (const study::SummarizedStudy& one : page.studies) {
    study::append_summary(csv, one.study, one.summary);
  }
  return csv;
}

std::string summaries_json(const study::SummaryPage& page) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object().key("studies").begin_array();
  for (const study::SummarizedStudy& one : page.studies) {
    json.begin_object();
    write_study(json, one.study);
    json.key("summary").begin_object();
    study::write_summary(json, one.summary);
    json.end_object().end_object();
  }
  json.end_array();
  write_next(json, page.next);
  json.end_object();
  return out;
}

}  // namespace

bool has_studies(const Context& context, Call& call) {
  if (context.studies != nullptr) return true;
  send_error(call, {core::Code::not_found, "This server keeps no studies.", {}});
  return false;
}

void write_study(core::JsonWriter& json, const study::Study& study) {
  json.key("id").string(study.id).key("session").string(study.session);
  json.key("study_id").string(study.start.study_id);
  json.key("participant_id").string(study.start.participant_id);
  json.key("condition").string(study.start.condition);
  json.key("scenario").string(study.start.scenario);
  json.key("relay_session").string(study.start.relay_session);
  json.key("implicit").boolean(study.start.implicit);
  const bool ended = study.state == study::StudyState::ended;
  json.key("state").string(ended ? "ended" : "open");
  json.key("started_at").number(core::to_unix_ms(study.started_at)).key("ended_at");
  study.ended_at ? json.number(core::to_unix_ms(*study.ended_at)) : json.null();
  json.key("end_reason").string(study.end_reason).key("log_file");
  study.log_file.empty() ? json.null() : json.string(study.log_file);
  json.key("record_count");
  ended ? json.number(study.record_count) : json.null();
}

void list_studies(const Context& context, Call call) {
  if (!has_studies(context, call)) return;
  auto query = read_study_query(call);
  if (!query) return send_error(call, query.error());
  core::Scheduler& scheduler = call.responder.scheduler();
  context.studies->search(std::move(*query), scheduler,
                          [call = std::move(call)](core::Result<study::StudyPage> page) mutable {
                            if (!page) return send_error(call, page.error());
                            send_object(call, 200, [&](core::JsonWriter& json) {
                              json.key("studies").objects(page->studies, write_study);
                              write_next(json, page->next);
                            });
                          });
}

void summarize_studies(const Context& context, Call call) {
  if (!has_studies(context, call)) return;
  auto query = read_study_query(call);
  if (!query) return send_error(call, query.error());
  const std::string format = call.request.query_param("format").value_or("");
  if (!format.empty() && format != "json" && format != "csv") {
    return send_error(call,
                      {core::Code::invalid_argument, "\"format\" must be json or csv.", "format"});
  }
  const bool csv =
      format == "csv" || (format.empty() && call.request.headers.lists("Accept", "text/csv"));
  core::Scheduler& scheduler = call.responder.scheduler();
  context.studies->summarize(
      std::move(*query), scheduler,
      [call = std::move(call), csv](core::Result<study::SummaryPage> page) mutable {
        if (!page) return send_error(call, page.error());
        if (csv) return send_csv(call, "studies.csv", summaries_csv(*page));
        send_json(call, 200, summaries_json(*page));
      });
}

void get_study(const Context& context, Call call) {
  if (!has_studies(context, call)) return;
  std::string id(call.request.path_param("id"));
  std::string owner = call.identity.workspace;
  core::Scheduler& scheduler = call.responder.scheduler();
  context.studies->find(std::move(owner), std::move(id), scheduler,
                        [call = std::move(call)](core::Result<study::Study> study) mutable {
                          if (!study) return send_error(call, study.error());
                          send_object(call, 200,
                                      [&](core::JsonWriter& json) { write_study(json, *study); });
                        });
}

void get_study_calls(const Context& context, Call call) {
  if (!has_studies(context, call)) return;
  const std::string id(call.request.path_param("id"));
  std::string owner = call.identity.workspace;
  core::Scheduler& scheduler = call.responder.scheduler();
  context.studies->tool_calls(std::move(owner), id, scheduler,
                              [call = std::move(call), id](core::Result<std::string> csv) mutable {
                                if (!csv) return send_error(call, csv.error());
                                send_csv(call, id + "-calls.csv", std::move(*csv));
                              });
}

void verify_study(const Context& context, Call call) {
  if (!has_studies(context, call)) return;
  std::string id(call.request.path_param("id"));
  std::string owner = call.identity.workspace;
  core::Scheduler& scheduler = call.responder.scheduler();
  context.studies->verify(
      std::move(owner), std::move(id), scheduler,
      [call = std::move(call)](core::Result<study::VerifyReport> report) mutable {
        if (!report) return send_error(call, report.error());
        std::string out;
        core::JsonWriter json(out);
        study::write_report(json, *report);
        send_json(call, 200, std::move(out));
      });
}

}  // namespace parley::api
