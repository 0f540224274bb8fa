// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "app/cli/commands.h"
#include "app/cli/doctor_database.h"
#include "app/cli/doctor_surroundings.h"
#include "app/cli/doctor_tls.h"
#include "app/cli/known_stores.h"
#include "app/cli/server_state.h"
#include "app/server/data_directory.h"
#include "app/server/exit_code.h"
#include "app/server/phone_token.h"
#include "app/server/terminal.h"
#include "base/certificate/authority.h"
#include "base/certificate/server_certificate.h"
#include "base/core/clock.h"
#include "base/sql/data_dir.h"
#include "base/sql/database.h"
#include "base/sql/migration.h"
#include "model/event/offline_store.h"
#include "services/notify/push_notifier.h"
#include "services/tailnet/tailnet_certificate.h"

namespace parley::app {
namespace {

using State = Finding::State;

constexpr std::size_t kMaxFaults = 10;  // per file

// The files of a data directory that contain a secret as text.
constexpr std::array<std::string_view, 8> kSecretFiles = {kTokenFile,
                                                          kEndpointFile,
                                                          kPhoneTokenFile,
                                                          notify::kVapidFile,
                                                          certificate::kAuthorityKeyFile,
                                                          certificate::kServerKeyFile,
                                                          tailnet::kTailnetKeyFile,
                                                          kMcpKeyFile};

Finding check_directory(const std::string& data) {
  struct stat info {};
  if (::stat(data.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return {State::warning, "data directory", data + " does not exist",
            "`parley serve` makes it; --data names another."};
  }
  if (info.st_uid != ::geteuid()) {
    return {State::warning, "data directory", data + " belongs to another user."};
  }
  if ((info.st_mode & 077U) != 0) {
    return {State::warning, "data directory", data + " can be read by other users",
            "`chmod 700 " + data + "`"};
  }
  return {State::good, "data directory", data};
}

// Checks the permissions of a file that contains a secret; a missing file is sound.
Finding check_private(const std::string& data, std::string_view name) {
  const std::string path = data + "/" + std::string(name);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {State::good, std::string(name), "does not exist"};
  if ((info.st_mode & 077U) != 0) {
    return {State::fault, std::string(name), "can be read by other users",
            "`chmod 600 " + path + "`"};
  }
  return {State::good, std::string(name), "readable by its owner only"};
}

// The text of a fault includes the advice.
Finding check_database(const std::string& data, const KnownStore& file) {
  const std::string name = file.file();
  const std::string advice =
      " Stop the server and restore the file from a backup, or move it away: "
      "the next start then " +
      std::string(file.without) + ".";
  auto database = sql::Database::open(data + "/" + name, sql::OpenMode::read_only);
  if (!database) {
    if (database.error().code != core::Code::not_found) {
      return {State::fault, name, database.error().message + advice};
    }
    return {file.made_at_start ? State::warning : State::good, name, "does not exist"};
  }
  if (const auto version = sql::file_version(*database, file.schema.kind()); !version) {
    const bool readable = version.error().code == core::Code::failed_precondition;
    return {State::fault, name, version.error().message + (readable ? "" : advice)};
  }
  const auto faults = database->integrity_faults(kMaxFaults);
  if (!faults) return {State::fault, name, faults.error().message + advice};
  if (!faults->empty()) {
    return {State::fault, name,
            "The file is damaged: " + absl::StrJoin(*faults, "; ") + "." + advice};
  }
  return {State::good, name, "integrity check: ok"};
}

// Finds SQLite files that no part of this program uses.
std::vector<Finding> check_strangers(const std::string& data,
                                     const std::vector<KnownStore>& known) {
  std::vector<Finding> out;
  std::error_code error;
  for (std::filesystem::directory_iterator it(data, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool is_known = name == "events.db" ||
                          std::any_of(known.begin(), known.end(), [&name](const KnownStore& file) {
                            return file.file() == name;
                          });
    if (!name.ends_with(".db") || is_known) continue;
    out.push_back({State::warning, name, "not a file of this version of Parley; it is ignored."});
  }
  return out;
}

Finding check_open_files(const std::string& data) {
  const std::vector<std::string> open = sql::files_open_to_others(data);
  if (open.empty()) return {State::good, "other users", "can read no file"};
  return {State::warning, "other users",
          "can read " + std::to_string(open.size()) + " files, for example " + open.front() +
              "; the next start of the server makes them private."};
}

std::vector<Finding> check_events(const sql::StorePlace& place) {
  const std::string name = place.url.empty() ? "events.db" : "parley_events";
  const auto store = event::open_offline_store(place);
  const auto report = store ? (*store)->examine() : core::fail(store.error());
  if (!report) {
    const bool missing = report.error().code == core::Code::not_found;
    return {{missing ? State::warning : State::fault, name, report.error().message}};
  }
  std::vector<Finding> out;
  for (const std::string& what : report->findings) {
    out.push_back({State::fault, name, what});
  }
  if (!out.empty() && !report->refused) {
    out.push_back({State::fault, name,
                   place.url.empty()
                       ? "Stop the server and restore the whole data directory from a backup."
                       : "Stop the server and restore the database from a backup."});
  }
  const char* const sound =
      place.url.empty() ? "integrity check: ok" : "sessions and interactions agree";
  if (out.empty()) out.push_back({State::good, name, sound});
  for (const std::string& note : report->notes) out.push_back({State::warning, "format", note});
  if (!report->findings.empty() || !report->counted) return out;
  out.push_back({State::good, "history",
                 std::to_string(report->sessions) + " sessions, " + std::to_string(report->events) +
                     " events in order, " + std::to_string(report->pending) +
                     " pending interactions"});
  return out;
}

void append(std::vector<Finding>& to, std::vector<Finding> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

// The checks of a data directory, and of the database of its stores. A new one lacks everything.
std::vector<Finding> check_data(const Settings& settings) {
  const std::string& data = settings.data;
  std::vector<Finding> findings = {check_directory(data)};
  std::error_code error;
  if (!std::filesystem::is_directory(data, error)) return findings;
  for (const std::string_view name : kSecretFiles) findings.push_back(check_private(data, name));
  findings.push_back(check_open_files(data));
  const sql::StorePlace place = settings.stores();
  std::vector<KnownStore> known = known_stores();
  if (place.url.empty()) {
    for (const KnownStore& file : known) findings.push_back(check_database(data, file));
    append(findings, check_strangers(data, known));
  } else {
    known.push_back(session_store());
    known.push_back(secret_store());
    known.push_back(cluster_store());
    append(findings, check_database_server(place, known));
  }
  append(findings, check_events(place));
  return findings;
}

}  // namespace

int doctor(const Settings& settings, const DoctorOptions& options) {
  // First: no thread may run before it.
  const ServerState server = look_at_server(settings.data);
  std::vector<Finding> findings = {check_server(server, settings.data)};
  append(findings, check_reach(server, settings));
  append(findings, check_tls(server, settings, core::SystemClock().wall()));
  append(findings, check_agents(agents_here()));
  if (options.ask) {
    std::cerr << "parley doctor: waiting up to " << kTestPromptSeconds
              << " s for an answer in the console or on a phone" << std::endl;
    findings.push_back(check_prompt(settings.data));
  }
  append(findings, check_data(settings));
  bool sound = true;
  for (const Finding& finding : findings) sound = sound && finding.state != State::fault;
  const bool printed =
      options.json ? print(findings_json(findings)) : print_text(findings_text(findings));
  if (!sound) return kExitDataBroken;
  return printed ? kExitOk : kExitFailure;
}

}  // namespace parley::app
