// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/core/temp_folder.h"

namespace parley::sql {

// A PostgreSQL server in a temporary folder, on a Unix socket alone: no system service, no port. As
// root it runs as the user `nobody`, because PostgreSQL refuses root. It ends with its owner, or
// with the process if that is killed.
class PrivatePostgres {
 public:
  // With `on` a commit survives a loss of power: no test makes one, a benchmark waits for the disk.
  enum class Sync : bool { off, on };
  explicit PrivatePostgres(Sync sync = Sync::off);
  // A synchronous standby of `primary`.
  struct StandbyOf {
    const PrivatePostgres& primary;
  };
  explicit PrivatePostgres(StandbyOf of);
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;
  ~PrivatePostgres();

  // The server of this test program, started by the first call.
  static PrivatePostgres& shared();

  // URL of a new, empty database.
  std::string new_database();
  // Host of a URL: the folder of the socket, encoded.
  std::string host() const;
  // URL of a database of this name, which need not exist.
  std::string url(const std::string& database) const;

  void start();
  // Ends the server at once, as a crash does (SIGQUIT), and waits for it.
  void kill();
  // Makes a standby a primary; returns when it is one.
  void promote();

 private:
  // Runs a statement in the database `postgres`, outside of a transaction, and returns its first
  // value, if any; throws if it fails.
  std::string command(const std::string& sql) const;

  core::TempFolder folder_{"parley-postgres"};
  const Sync sync_;
  pid_t server_ = 0;
  int databases_ = 0;
};

}  // namespace parley::sql
