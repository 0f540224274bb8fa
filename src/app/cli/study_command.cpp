// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/output_file.h"
#include "app/server/exit_code.h"
#include "app/server/terminal.h"
#include "base/core/duration_text.h"
#include "base/core/json_writer.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
#include "model/event/offline_store.h"
#include "services/study/analysis.h"
#include "services/study/kit.h"
#include "services/study/log_source.h"
#include "services/study/study_index.h"
#include "services/study/study_service.h"
#include "services/study/verify.h"

namespace parley::app {
namespace {

using core::Code;
using study::Study;

// The studies of a data directory, opened for one command.
class Studies {
 public:
  explicit Studies(const Settings& settings) : data_(settings.data), stores_(settings.stores()) {}

  core::Result<void> open() {
    auto list = study::StudyIndex::open(stores_, study::StudyIndex::Access::read);
    if (!list && list.error().code != Code::not_found) return core::fail(std::move(list.error()));
    if (list) list_ = std::move(*list);
    PARLEY_TRY(reader_, event::open_offline_reader(stores_));
    return {};
  }

  core::Result<std::optional<Study>> find(const std::string& id) {
    return list_ ? list_->find(id) : core::Result<std::optional<Study>>(std::nullopt);
  }

  // All studies that match, newest first.
  core::Result<std::vector<Study>> search(study::StudyQuery query) {
    std::vector<Study> out;
    if (!list_) return out;
    query.all_owners = true;
    query.limit = study::kMaxStudiesPage;
    while (true) {
      PARLEY_TRY(auto page, list_->search(query));
      std::move(page.studies.begin(), page.studies.end(), std::back_inserter(out));
      if (page.next == 0) return out;
      query.before = page.next;
    }
  }

  core::Result<std::unique_ptr<study::LogSource>> log_of(const Study& study) const {
    using study::LogFiles;
    const LogFiles files = stores_.url.empty() ? LogFiles::whole : LogFiles::may_be_old;
    return study::open_study_log(data_, files, study, reader_.get());
  }
  // Null: the event store has no records of the study.
  core::Result<std::unique_ptr<study::LogSource>> stored_log_of(const Study& study) const {
    if (!reader_) return nullptr;
    auto stored = study::open_stored_log(*reader_, study.session);
    if (!stored && stored.error().code == Code::not_found) return nullptr;
    return stored;
  }
  core::Result<study::LogAnalysis> analyse(const Study& study, bool with_calls) const {
    PARLEY_TRY(const auto log, log_of(study));
    study::LogAnalysis analysis(with_calls);
    PARLEY_TRY_VOID(analysis.read(*log));
    return analysis;
  }

 private:
  const std::string data_;
  const sql::StorePlace stores_;
  std::unique_ptr<study::StudyIndex> list_;
  std::unique_ptr<event::SessionReader> reader_;
};

int complain_studies(const core::Error& error, const std::string& data) {
  complain({"The studies in " + data + " cannot be read.", error.message,
            "Name the server's data directory with --data or PARLEY_DATA."});
  return kExitDataBroken;
}

int complain_missing(const std::string& what, const std::string& data) {
  complain({"There is no study \"" + what + "\".", "It is not in the list of " + data + ".",
            "`parley study list` lists the studies."});
  return kExitFailure;
}

int run_with(const Settings& settings, const std::function<int(Studies&)>& use) {
  Studies studies(settings);
  const auto opened = studies.open();
  if (!opened) return complain_studies(opened.error(), settings.stores().name());
  return use(studies);
}

int printed(const std::string& text) { return print(text) ? kExitOk : kExitFailure; }
int printed_text(const std::string& text) { return print_text(text) ? kExitOk : kExitFailure; }

std::string_view state_name(const Study& study) {
  return study.state == study::StudyState::ended ? "ended" : "open";
}

void write_study(core::JsonWriter& json, const Study& study) {
  json.key("id").string(study.id).key("session").string(study.session);
  json.key("study_id").string(study.start.study_id);
  json.key("participant_id").string(study.start.participant_id);
  json.key("condition").string(study.start.condition);
  json.key("scenario").string(study.start.scenario);
  json.key("relay_session").string(study.start.relay_session);
  json.key("implicit").boolean(study.start.implicit).key("state").string(state_name(study));
  json.key("started_at").string(core::time_text_ms(study.started_at));
  json.key("ended_at");
  study.ended_at ? json.string(core::time_text_ms(*study.ended_at)) : json.null();
  json.key("end_reason").string(study.end_reason).key("log_file").string(study.log_file);
  json.key("record_count").number(study.record_count);
}

std::string list_as_json(const std::vector<Study>& studies) {
  std::string out;
  core::JsonWriter json(out);
  json.objects(studies, write_study);
  return out + "\n";
}

std::string list_as_table(const std::vector<Study>& studies) {
  using Row = std::vector<std::string>;
  std::vector<Row> rows = {{"ID", "STATE", "STARTED", "STUDY", "PARTICIPANT", "CONDITION"}};
  for (const Study& study : studies) {
    rows.push_back({study.id, std::string(state_name(study)), core::time_text_ms(study.started_at),
                    study.start.study_id, study.start.participant_id, study.start.condition});
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string study_as_text(const Study& study, const study::Summary& summary) {
  std::string out;
  const auto line = [&out](std::string name, const std::string& value) {
    name.resize(16, ' ');
    if (!value.empty()) out += name + value + "\n";
  };
  line("id", study.id);
  line("state", std::string(state_name(study)));
  line("study", study.start.study_id);
  line("participant", study.start.participant_id);
  line("condition", study.start.condition);
  line("scenario", study.start.scenario);
  line("started", core::time_text_ms(study.started_at));
  line("ended", study.ended_at ? core::time_text_ms(*study.ended_at) : "");
  line("end reason", study.end_reason);
  line("log", study.log_file);
  line("records", std::to_string(summary.records));
  line("duration", std::to_string(core::rounded_seconds(summary.duration())) + " s");
  line("steps", std::to_string(summary.steps));
  line("tool calls", std::to_string(summary.tool_calls));
  line("errors", std::to_string(summary.errors));
  line("agent messages", std::to_string(summary.agent_messages));
  line("user messages", std::to_string(summary.user_messages));
  line("undone", std::to_string(summary.undone));
  line("steps back", std::to_string(summary.backs));
  line("booked", summary.completed ? "yes" : "no");
  return out;
}

// --- export ---------------------------------------------------------------------------------

core::Result<std::vector<Study>> studies_named(Studies& studies, const std::string& name) {
  study::StudyQuery query;
  if (study::parse_study_id(name)) {
    PARLEY_TRY(auto one, studies.find(name));
    if (one) return std::vector<Study>{std::move(*one)};
  }
  query.study_id = name;
  auto found = studies.search(std::move(query));
  // Oldest first.
  if (found) std::reverse(found->begin(), found->end());
  return found;
}

core::Result<bool> write_lines(Studies& studies, const Study& study, OutputFile& out) {
  const auto log = studies.log_of(study);
  if (!log && log.error().code == Code::not_found) return true;
  if (!log) return core::fail(log.error());
  while (true) {
    std::string_view line;
    PARLEY_TRY(const auto got, (*log)->next(line));
    // Omits a line that a running server is still writing; the next export has it.
    if (!got || !(*log)->complete()) return true;
    if (!out.write(line) || !out.write("\n")) return false;
  }
}

core::Result<bool> write_rows(Studies& studies, const Study& study, bool calls, OutputFile& out) {
  const auto analysis = studies.analyse(study, calls);
  const bool missing = !analysis && analysis.error().code == Code::not_found;
  if (!analysis && !missing) return core::fail(analysis.error());
  std::string rows;
  if (calls && !missing) study::append_calls(rows, study, analysis->calls());
  if (!calls) study::append_summary(rows, study, missing ? study::Summary() : analysis->summary());
  return out.write(rows);
}

core::Result<bool> write_export(Studies& studies, const std::vector<Study>& list,
                                const std::string& format, OutputFile& out) {
  std::string header;
  if (format == "csv") study::append_calls_header(header);
  if (format == "summary") study::append_summary_header(header);
  if (!out.write(header)) return false;
  for (const Study& study : list) {
    auto written = format == "jsonl" ? write_lines(studies, study, out)
                                     : write_rows(studies, study, format == "csv", out);
    if (!written || !*written) return written;
  }
  return true;
}

// --- verify ---------------------------------------------------------------------------------

struct Checked {
  std::string target;
  study::VerifyReport report;
};

core::Result<Checked> check_study(Studies& studies, const Study& study) {
  PARLEY_TRY(const auto log, studies.log_of(study));
  PARLEY_TRY(const auto stored, studies.stored_log_of(study));
  PARLEY_TRY(auto report, study::verify({*log, stored.get(), &study}));
  return Checked{study.id, std::move(report)};
}

core::Result<Checked> check_file(const std::string& path) {
  PARLEY_TRY(const auto log, study::open_log_file(path));
  PARLEY_TRY(auto report, study::verify({*log, nullptr, nullptr}));
  return Checked{path, std::move(report)};
}

core::Result<Checked> check_target(Studies& studies, const std::string& target,
                                   const std::string& data) {
  if (!study::parse_study_id(target)) return check_file(target);
  const auto study = studies.find(target);
  if (!study) return core::fail(study.error());
  // The file of a study may exist even if the list has lost it.
  return *study ? check_study(studies, **study) : check_file(data + "/" + study::log_name(target));
}

std::string as_text(const Checked& checked) {
  const study::VerifyReport& report = checked.report;
  std::string out = checked.target + ": ";
  if (report.sound()) {
    return out + "sound, " + std::to_string(report.records) + " records" +
           (report.ended ? "" : ", not ended") + "\n";
  }
  out += std::to_string(report.findings.size()) + (report.more ? " or more" : "") + " faults in " +
         std::to_string(report.records) + " records\n";
  for (const study::Finding& finding : report.findings) {
    out += finding.line == 0 ? "  log: " : "  line " + std::to_string(finding.line) + ": ";
    out += finding.message + " (" + finding.code + ")\n";
  }
  return out;
}

std::string as_json(const std::vector<Checked>& all) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const Checked& checked : all) {
    json.begin_object().key("log").string(checked.target).key("report");
    study::write_report(json, checked.report);
    json.end_object();
  }
  json.end_array();
  return out + "\n";
}

int verify_all(Studies& studies, std::vector<std::string> targets, const std::string& data,
               bool json) {
  if (targets.empty()) {
    const auto list = studies.search({});
    if (!list) return complain_studies(list.error(), data);
    for (const Study& study : *list) targets.push_back(study.id);
  }
  std::vector<Checked> all;
  bool sound = true;
  for (const std::string& target : targets) {
    auto checked = check_target(studies, target, data);
    if (!checked) {
      complain({"The log " + target + " cannot be checked.", checked.error().message,
                "Give the id of a study, or a file."});
      return kExitFailure;
    }
    sound = sound && checked->report.sound();
    all.push_back(std::move(*checked));
  }
  std::string text;
  if (json) text = as_json(all);
  for (const Checked& checked : all) text += json ? "" : as_text(checked);
  return (json ? print(text) : print_text(text)) && sound ? kExitOk : kExitFailure;
}

}  // namespace

int list_studies(const Settings& settings, const StudyListOptions& options) {
  return run_with(settings, [&](Studies& studies) {
    study::StudyQuery query;
    if (options.state == "open") query.state = study::StudyState::open;
    if (options.state == "ended") query.state = study::StudyState::ended;
    query.study_id = options.study;
    query.participant_id = options.participant;
    const auto list = studies.search(std::move(query));
    if (!list) return complain_studies(list.error(), settings.stores().name());
    return options.json ? printed(list_as_json(*list)) : printed_text(list_as_table(*list));
  });
}

int show_study(const Settings& settings, const std::string& id, bool json) {
  return run_with(settings, [&](Studies& studies) {
    const auto study = studies.find(id);
    if (!study) return complain_studies(study.error(), settings.stores().name());
    if (!*study) return complain_missing(id, settings.data);
    const auto analysis = studies.analyse(**study, false);
    if (!analysis) return complain_studies(analysis.error(), settings.stores().name());
    if (!json) return printed_text(study_as_text(**study, analysis->summary()));
    std::string out;
    core::JsonWriter writer(out);
    writer.begin_object();
    write_study(writer, **study);
    writer.key("summary").begin_object();
    study::write_summary(writer, analysis->summary());
    writer.end_object().end_object();
    return printed(out + "\n");
  });
}

int export_studies(const Settings& settings, const StudyExportOptions& options) {
  return run_with(settings, [&](Studies& studies) -> int {
    const auto list = studies_named(studies, options.study);
    if (!list) return complain_studies(list.error(), settings.stores().name());
    if (list->empty() && !options.study.empty()) {
      return complain_missing(options.study, settings.data);
    }
    OutputFile out(options.out);
    if (!out.good()) return complain_output(options.out);
    const auto written = write_export(studies, *list, options.format, out);
    if (!written) return complain_studies(written.error(), settings.stores().name());
    return *written && out.finish() ? static_cast<int>(kExitOk) : complain_output(options.out);
  });
}

int verify_studies(const Settings& settings, const std::vector<std::string>& targets, bool json) {
  const bool only_files =
      !targets.empty() && std::none_of(targets.begin(), targets.end(), [](const std::string& one) {
        return study::parse_study_id(one).has_value();
      });
  Studies studies(settings);
  // Files need no data directory.
  const auto opened = only_files ? core::Result<void>() : studies.open();
  if (!opened) return complain_studies(opened.error(), settings.stores().name());
  return verify_all(studies, targets, settings.data, json);
}

int check_study_kit(const std::string& file, bool json) {
  const auto kit = study::Kit::load(file);
  std::size_t conditions = 0;
  std::size_t scenarios = 0;
  if (kit) {
    for (const study::KitStudy& study : kit->studies()) {
      conditions += study.conditions.size();
      scenarios += study.scenarios.size();
    }
  }
  if (json) {
    const auto faults = kit ? std::vector<study::KitFault>() : kit.error();
    const std::string out = core::json_object([&](core::JsonWriter& to) {
      to.key("file").string(file).key("sound").boolean(kit.has_value());
      to.key("studies").number(kit ? kit->studies().size() : 0);
      to.key("conditions").number(conditions).key("scenarios").number(scenarios);
      to.key("faults").objects(faults, [](core::JsonWriter& one, const study::KitFault& fault) {
        one.key("line").number(fault.line).key("message").string(fault.message);
      });
    });
    if (!print(out + "\n")) return kExitFailure;
    return kit ? kExitOk : kExitUsage;
  }
  if (kit) {
    return printed_text(file + ": sound, " + std::to_string(kit->studies().size()) + " studies, " +
                        std::to_string(conditions) + " conditions, " + std::to_string(scenarios) +
                        " scenarios\n");
  }
  for (const study::KitFault& fault : kit.error()) {
    complain({file + (fault.line == 0 ? "" : ", line " + std::to_string(fault.line)) + ": " +
                  fault.message,
              "", ""});
  }
  return kExitUsage;
}

}  // namespace parley::app
