// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "server/server_assembly.h"
#include "server/settings.h"

namespace parley::app {

// The server that a command works with: the one that has the data directory, or else one of its
// own, on a free port of this computer, that ends with the object.
class RunHost {
 public:
  static tl::expected<RunHost, StartFailure> find_or_start(const Settings& settings);

  const std::string& url() const { return url_; }
  const std::string& token() const { return token_; }
  bool own() const { return server_ != nullptr; }

 private:
  std::unique_ptr<ServerAssembly> server_;
  std::string url_;
  std::string token_;
};

}  // namespace parley::app
