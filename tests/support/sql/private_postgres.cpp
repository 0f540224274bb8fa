// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sql/private_postgres.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace parley::sql {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65'534;
constexpr std::chrono::seconds kPatience(60);

// The folder of PostgreSQL's programs, which Debian keeps out of PATH: the newest version's.
fs::path programs() {
  std::vector<fs::path> found;
  const fs::path root = "/usr/lib/postgresql";
  if (fs::is_directory(root)) {
    for (const auto& version : fs::directory_iterator(root)) {
      if (fs::exists(version.path() / "bin" / "initdb")) found.push_back(version.path() / "bin");
    }
  }
  if (found.empty()) throw std::runtime_error("no PostgreSQL server is installed");
  return *std::max_element(found.begin(), found.end());
}

// Starts a program as a user that PostgreSQL accepts; it is killed when this process ends.
pid_t spawn(std::vector<std::string> command) {
  std::vector<std::string> words = {"setpriv", "--pdeathsig", "QUIT"};
  if (::getuid() == 0) {
    words.insert(words.end(), {"--reuid", std::to_string(kNobody), "--regid",
                               std::to_string(kNobody), "--clear-groups"});
  }
  words.insert(words.end(), command.begin(), command.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
  }
  return child;
}

void must_run(const std::vector<std::string>& command) {
  int status = 0;
  ::waitpid(spawn(command), &status, 0);
  if (status != 0) throw std::runtime_error(command.front() + " failed");
}

void wait_until(const std::function<bool()>& holds, const char* failure) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) throw std::runtime_error(failure);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Makes the user of the server the owner of its folder.
void give_folder(const std::string& path) {
  if (::getuid() == 0 && ::chown(path.c_str(), kNobody, kNobody) != 0) {
    throw std::runtime_error("chown failed");
  }
}

}  // namespace

PrivatePostgres::PrivatePostgres(Sync sync) : sync_(sync) {
  give_folder(folder_.path());
  must_run({(programs() / "initdb").string(), "--pgdata", folder_.file("data"), "--username",
            "parley", "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync",
            "--no-instructions"});
  start();
}

PrivatePostgres::PrivatePostgres(StandbyOf of) : sync_(of.primary.sync_) {
  give_folder(folder_.path());
  must_run({(programs() / "pg_basebackup").string(), "--pgdata", folder_.file("data"), "--dbname",
            of.primary.url("postgres"), "--write-recovery-conf", "--checkpoint", "fast",
            "--no-sync"});
  start();
  of.primary.command("ALTER SYSTEM SET synchronous_standby_names = '*'");
  of.primary.command("SELECT pg_reload_conf()");
  wait_until(
      [&] { return of.primary.command("SELECT sync_state FROM pg_stat_replication") == "sync"; },
      "the standby is not synchronous");
}

PrivatePostgres::~PrivatePostgres() { kill(); }

PrivatePostgres& PrivatePostgres::shared() {
  static PrivatePostgres server;
  return server;
}

void PrivatePostgres::start() {
  const bool syncs = sync_ == Sync::on;
  server_ =
      spawn({(programs() / "postgres").string(), "-D", folder_.file("data"), "-k", folder_.path(),
             "-c", "listen_addresses=", "-c", syncs ? "fsync=on" : "fsync=off", "-c",
             syncs ? "shared_buffers=128MB" : "shared_buffers=16MB", "-c", "max_connections=60",
             "-c", "log_min_messages=panic"});
  wait_until([&] { return PQping(url("postgres").c_str()) == PQPING_OK; }, "no PostgreSQL started");
}

void PrivatePostgres::kill() {
  if (server_ == 0) return;
  ::kill(server_, SIGQUIT);
  ::waitpid(std::exchange(server_, 0), nullptr, 0);
}

void PrivatePostgres::promote() {
  if (command("SELECT pg_promote()") != "t") throw std::runtime_error("the standby stays one");
}

std::string PrivatePostgres::command(const std::string& sql) const {
  PGconn* const connection = PQconnectdb(url("postgres").c_str());
  PGresult* const result = PQexec(connection, sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  const bool has_value = PQntuples(result) > 0 && PQnfields(result) > 0;
  std::string value = has_value ? PQgetvalue(result, 0, 0) : "";
  PQclear(result);
  PQfinish(connection);
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
    throw std::runtime_error(sql + " failed");
  }
  return value;
}

std::string PrivatePostgres::host() const {
  std::string host;
  for (const char c : folder_.path()) host += c == '/' ? std::string("%2F") : std::string(1, c);
  return host;
}

std::string PrivatePostgres::url(const std::string& database) const {
  return "postgresql://parley@" + host() + "/" + database;
}

std::string PrivatePostgres::new_database() {
  const std::string name = "test_" + std::to_string(++databases_);
  command("CREATE DATABASE " + name + " TEMPLATE template0");
  return url(name);
}

}  // namespace parley::sql
