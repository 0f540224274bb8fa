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
#include "app/cli/doctor_surroundings.h"
#include "app/cli/doctor_tls.h"
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
#include "dialects/chat/chat_session_store.h"
#include "dialects/loom/workspace_store.h"
#include "identity/accounts/account_file.h"
#include "identity/auth/token_file.h"
#include "identity/oauth/grant_file.h"
#include "model/event/offline_store.h"
#include "runtime/comfyui/server/server_registry.h"
#include "runtime/run/run_index.h"
#include "runtime/tool/memory/memory_store.h"
#include "services/booking/booking_schema.h"
#include "services/front_end/front_end_store.h"
#include "services/notify/notify_store.h"
#include "services/search/search_index.h"
#include "services/study/study_index.h"
#include "services/tailnet/tailnet_certificate.h"

namespace parley::app {
namespace {

using State = Finding::State;

constexpr std::size_t kMaxFaults = 10;  // per file

// The files of a data directory that contain a secret as text.
constexpr std::array<std::string_view, 8> kSecretFiles = {kTokenFile,
                                                          kEndpointFile,
                                                          kPhoneTokenFile,
                                                          "vapid.pem",
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

// A SQLite file of a data directory, beside events.db.
struct KnownFile {
  std::string_view name;
  sql::FileKind kind;
  std::string_view without;  // behaviour of a server that does not find it
  bool made_at_start = true;
};

std::vector<KnownFile> known_files() {
  return {
      {"tokens.db", auth::TokenFile::file_kind(),
       "creates a new first token; all other tokens are lost"},
      {"notify.db", notify::NotifyStore::file_kind(),
       "sends notices of open questions again; devices must enable notifications again"},
      {"accounts.db", accounts::AccountFile::file_kind(),
       "starts without users; create them again with `parley user add`"},
      {"oauth.db", oauth::GrantFile::file_kind(), "starts without the logins of agents", false},
      {"runs.db", run::RunIndex::file_kind(),
       "starts a new list of runs; their events stay in events.db"},
      {"loom.db", loom::WorkspaceStore::file_kind(), "starts without workspaces and thread names"},
      {"chat.db", chat::ChatSessionStore::file_kind(), "starts without the list of chats"},
      {"front_end.db", front_end::FrontEndStore::file_kind(),
       "starts without workflows, files and agent settings; DATA/files is emptied"},
      {"comfyui.db", comfyui::ServerRegistry::file_kind(),
       "starts without the registered ComfyUI servers"},
      {"search.db", search::SearchIndex::file_kind(), "rebuilds it from events.db"},
      {"studies.db", study::StudyIndex::file_kind(), "rebuilds it from events.db"},
      {"booking.db", booking::file_kind(), "generates new sample data; bookings are lost"},
      {"memory.db", tool::MemoryStore::file_kind(), "starts without the memories of agents", false},
  };
}

// The text of a fault includes the advice.
Finding check_database(const std::string& data, const KnownFile& file) {
  const std::string name(file.name);
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
  if (const auto version = sql::file_version(*database, file.kind); !version) {
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
std::vector<Finding> check_strangers(const std::string& data, const std::vector<KnownFile>& known) {
  std::vector<Finding> out;
  std::error_code error;
  for (std::filesystem::directory_iterator it(data, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool is_known = name == "events.db" ||
                          std::any_of(known.begin(), known.end(),
                                      [&name](const KnownFile& file) { return file.name == name; });
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

std::vector<Finding> check_events(const std::string& data) {
  const auto store = event::open_offline_store(data);
  const auto report = store ? (*store)->examine() : core::fail(store.error());
  if (!report) {
    const bool missing = report.error().code == core::Code::not_found;
    return {{missing ? State::warning : State::fault, "events.db", report.error().message}};
  }
  std::vector<Finding> out;
  for (const std::string& what : report->findings) {
    out.push_back({State::fault, "events.db", what});
  }
  if (!out.empty() && !report->refused) {
    out.push_back({State::fault, "events.db",
                   "Stop the server and restore the whole data directory from a backup."});
  }
  if (out.empty()) out.push_back({State::good, "events.db", "integrity check: ok"});
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

// The checks of a data directory. A new one lacks everything.
std::vector<Finding> check_data(const std::string& data) {
  std::vector<Finding> findings = {check_directory(data)};
  std::error_code error;
  if (!std::filesystem::is_directory(data, error)) return findings;
  for (const std::string_view name : kSecretFiles) findings.push_back(check_private(data, name));
  findings.push_back(check_open_files(data));
  const std::vector<KnownFile> known = known_files();
  for (const KnownFile& file : known) findings.push_back(check_database(data, file));
  append(findings, check_strangers(data, known));
  append(findings, check_events(data));
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
  append(findings, check_data(settings.data));
  bool sound = true;
  for (const Finding& finding : findings) sound = sound && finding.state != State::fault;
  const bool printed =
      options.json ? print(findings_json(findings)) : print_text(findings_text(findings));
  if (!sound) return kExitDataBroken;
  return printed ? kExitOk : kExitFailure;
}

}  // namespace parley::app
