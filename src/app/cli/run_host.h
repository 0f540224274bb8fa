// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "app/server/server_assembly.h"
#include "app/server/settings.h"

namespace parley::app {

// The server that a command uses: the one that is running on the data directory, else a server that
// this object starts on a free loopback port and stops on destruction.
class RunHost {
 public:
  static tl::expected<RunHost, StartFailure> find_or_start(const Settings& settings);

  const std::string& url() const { return url_; }
  const std::string& token() const { return token_; }
  // PEM certificates to trust for url(); empty: those of the system.
  const std::string& ca_file() const { return ca_file_; }
  bool own() const { return server_ != nullptr; }

 private:
  std::unique_ptr<ServerAssembly> server_;
  std::string url_;
  std::string token_;
  std::string ca_file_;
};

}  // namespace parley::app
