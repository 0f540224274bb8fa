// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/server/config.h"

// The subcommands of `parley` that work on a data directory or a configuration. Each returns its
// exit code, writes its result to stdout and errors to stderr.
namespace parley::app {

struct TokenCreateOptions {
  std::vector<std::string> names;  // one token each
  std::string expires;             // empty: never
  std::string rights;              // "ask,read"; empty: the default rights of a new token
  std::string shares;              // name or id of a token, whose workspace it shares; empty: none
};
int create_token(const Settings& settings, const TokenCreateOptions& options, bool json);
int list_tokens(const Settings& settings, bool json);
int rename_token(const Settings& settings, const std::string& name_or_id, const std::string& name,
                 bool json);
int revoke_token(const Settings& settings, const std::string& name_or_id, bool json);

// Logins of agents (mcp.oauth). The server may be running.
int list_logins(const Settings& settings, bool json);
// Ends all logins of a client.
int end_logins(const Settings& settings, const std::string& client_id, bool json);

// The nodes of a cluster, whether they run or not, and their slots.
int show_cluster(const Settings& settings, bool json);
// Lets a node give its slots to the others until its next start. `undo`: it takes them again.
int drain_node(const Settings& settings, const std::string& name, bool undo);

struct ExportOptions {
  std::string session;  // empty: all
  std::string out;      // a file; empty or "-": stdout
};
// Writes one event per line, ordered by session and seq. The server may be running.
int export_events(const Settings& settings, const ExportOptions& options);

struct ImportOptions {
  std::string from;  // a folder or the URL of a database; empty: the data directory
  bool json = false;
};
// Copies all stores from another place to that of the settings, and compares them. No server may be
// running on either.
int import_stores(const Settings& settings, const ImportOptions& options);

struct MigrateOptions {
  bool check = false;  // changes nothing
  bool json = false;
};
// Brings stores of older versions to that of this program. Servers may use a database meanwhile.
// With `check`, 0 means that nothing is to be done, and kExitFailure that something is.
int migrate_stores(const Settings& settings, const MigrateOptions& options);

struct VerifyOptions {
  std::string file;                // an export of decisions; empty: the data directory
  std::vector<std::string> heads;  // hashes that must occur
  std::string out;                 // a file for the export; empty: none
  bool json = false;
};
// Checks that the decisions of people are as they were recorded. The server may be running. Returns
// 0 if they are.
int verify_decisions(const Settings& settings, const VerifyOptions& options);

// Studies. The server may be running.
struct StudyListOptions {
  std::string state;  // "open", "ended"; empty: both
  std::string study;  // name given by the agent or the page; empty: all
  std::string participant;
  bool json = false;
};
int list_studies(const Settings& settings, const StudyListOptions& options);
int show_study(const Settings& settings, const std::string& id, bool json);
struct StudyExportOptions {
  std::string format = "jsonl";  // "jsonl": logs; "csv": tool calls; "summary": a row per study
  std::string study;             // an id, or a name as in StudyListOptions; empty: all
  std::string out;               // a file; empty or "-": stdout
};
int export_studies(const Settings& settings, const StudyExportOptions& options);
// Verifies logs. `targets`: ids of studies of the data directory, or files; empty: all studies of
// the data directory. Returns 0 if all logs are sound.
int verify_studies(const Settings& settings, const std::vector<std::string>& targets, bool json);
int check_study_kit(const std::string& file, bool json);

// Lists the models for runs; queries the providers whose models are not configured. An error of a
// provider is printed; only show_provider() returns a failure for it.
int list_models(const Settings& settings, bool json);
int show_provider(const Settings& settings, const std::string& provider, bool json);

struct DoctorOptions {
  bool ask = false;  // asks a test question and waits for its answer
  bool json = false;
};
// Checks the server, the ways to a person, the agents and the data directory. Returns 0 without a
// fault; warnings do not count.
int doctor(const Settings& settings, const DoctorOptions& options);

struct BookingSeedOptions {
  std::optional<std::uint32_t> seed;  // std::nullopt: as the settings say
  std::optional<std::uint32_t> days;
  std::string from;    // "2026-11-22"; empty: today
  bool force = false;  // replaces the data set even if bookings are lost
};
// Replaces the default data set of the booking backend. The server must not be running.
int seed_booking(const Settings& settings, const BookingSeedOptions& options, bool json);
// Lists the data sets. The server may be running.
int show_booking(const Settings& settings, bool json);

// Checks the sources; with `file_only` only the file.
int check_config(const ConfigSources& sources, bool file_only, bool json);
int print_config(const ConfigSources& sources, bool json);

}  // namespace parley::app
