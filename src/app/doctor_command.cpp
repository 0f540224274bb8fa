// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "app/commands.h"
#include "app/data_directory.h"
#include "app/exit_code.h"
#include "app/terminal.h"
#include "core/json_writer.h"
#include "event/data_dir_lock.h"
#include "event/doctor.h"
#include "event/schema.h"
#include "event/sqlite.h"

namespace parley::app {
namespace {

struct Finding {
  enum class State : std::uint8_t { good, warning, fault };
  State state = State::good;
  std::string check;
  std::string detail;
};

using State = Finding::State;

std::string_view state_name(State state) {
  if (state == State::good) return "ok";
  return state == State::warning ? "warning" : "FAULT";
}

Finding check_directory(const std::string& data) {
  struct stat info {};
  if (::stat(data.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return {State::fault, "data directory", data + " is not there; `parley serve` makes it."};
  }
  if (info.st_uid != ::geteuid()) {
    return {State::warning, "data directory", data + " belongs to another user."};
  }
  if ((info.st_mode & 077U) != 0) {
    return {State::warning, "data directory",
            data + " can be read by others; chmod 700 makes it private."};
  }
  return {State::good, "data directory", data};
}

// A file with a secret in it; missing is fine.
Finding check_private(const std::string& data, std::string_view name) {
  const std::string path = data + "/" + std::string(name);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {State::good, std::string(name), "not there"};
  if ((info.st_mode & 077U) != 0) {
    return {State::fault, std::string(name), "can be read by others; chmod 600 " + path + "."};
  }
  return {State::good, std::string(name), "readable by its owner only"};
}

Finding check_running(const std::string& data) {
  auto lock = event::DataDirLock::acquire(data);
  if (!lock) return {State::good, "server", lock.error().message};
  return {State::good, "server", "none is running"};
}

core::Result<std::string> integrity(event::Database& database) {
  auto query = database.prepare("PRAGMA integrity_check(10)");
  if (!query) return core::fail(query.error());
  std::string out;
  while (true) {
    const auto row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return out;
    out += (out.empty() ? "" : "; ") + std::string(query->text(0));
  }
}

Finding check_database(const std::string& path, const std::string& name) {
  auto database = event::Database::open(path, event::OpenMode::read_only);
  if (!database) {
    const bool missing = database.error().code == core::Code::not_found;
    return {missing ? State::warning : State::fault, name, database.error().message};
  }
  const auto result = integrity(*database);
  if (!result) return {State::fault, name, result.error().message};
  return {*result == "ok" ? State::good : State::fault, name, "integrity check: " + *result};
}

std::vector<Finding> check_events(const std::string& data) {
  const auto report = event::examine_store(data);
  if (!report) {
    const bool missing = report.error().code == core::Code::not_found;
    return {{missing ? State::warning : State::fault, "events.db", report.error().message}};
  }
  std::vector<Finding> out;
  for (const std::string& what : report->findings) {
    out.push_back({State::fault, "events.db", what});
  }
  if (out.empty()) out.push_back({State::good, "events.db", "integrity check: ok"});
  for (const std::string& note : report->notes) out.push_back({State::warning, "format", note});
  const bool counted = report->schema_version == event::kSchemaVersion;
  if (!report->findings.empty() || !counted) return out;
  out.push_back({State::good, "history",
                 std::to_string(report->sessions) + " sessions, " + std::to_string(report->events) +
                     " events in order, " + std::to_string(report->pending) + " pending"});
  return out;
}

std::string as_json(const std::vector<Finding>& findings) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const Finding& finding : findings) {
    json.begin_object().key("check").string(finding.check);
    json.key("state").string(finding.state == State::fault ? "fault" : state_name(finding.state));
    json.key("detail").string(finding.detail).end_object();
  }
  json.end_array();
  return out + "\n";
}

std::string as_text(const std::vector<Finding>& findings) {
  std::string out;
  for (const Finding& finding : findings) {
    std::string line(state_name(finding.state));
    line.append(9 - line.size(), ' ');
    line += finding.check;
    line.append(line.size() < 26 ? 26 - line.size() : 1, ' ');
    out += line + finding.detail + "\n";
  }
  return out;
}

}  // namespace

int doctor(const Settings& settings, bool json) {
  std::vector<Finding> findings = {check_directory(settings.data)};
  if (findings.back().state != State::fault) {
    findings.push_back(check_running(settings.data));
    findings.push_back(check_private(settings.data, kTokenFile));
    findings.push_back(check_private(settings.data, kEndpointFile));
    findings.push_back(check_database(settings.data + "/tokens.db", "tokens.db"));
    // Made by the first start of a server that has them.
    findings.push_back(check_database(settings.data + "/studies.db", "studies.db"));
    findings.push_back(check_database(settings.data + "/booking.db", "booking.db"));
    for (Finding& finding : check_events(settings.data)) findings.push_back(std::move(finding));
  }
  bool sound = true;
  for (const Finding& finding : findings) sound = sound && finding.state != State::fault;
  const bool printed = print(json ? as_json(findings) : as_text(findings));
  if (!sound) return kExitDataBroken;
  return printed ? kExitOk : kExitFailure;
}

}  // namespace parley::app
