// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "cli/run_client.h"
#include "cli/run_host.h"
#include "core/clock.h"
#include "core/result.h"
#include "http_client/curl_fetcher.h"
#include "http_client/curl_loop.h"
#include "mcp/signal_watch.h"

namespace parley::app {

// Calls of the server that a command works with (RunHost), one at a time, each waited for. To be
// made before any thread.
class HostClient {
 public:
  // Complains, and gives the exit code, if there is no server and none can be started.
  static tl::expected<std::unique_ptr<HostClient>, int> open(const Settings& settings);

  // What the server answers, as JSON. Errors: as RunClient::call(); `cancelled` (a signal came),
  // `data_loss` (it is no JSON).
  core::Result<boost::json::value> call(std::string method, std::string path);

 private:
  HostClient() = default;

  const mcp::SignalWatch signals_;
  const core::SystemClock clock_{};
  http_client::CurlLoop loop_{clock_};
  http_client::CurlFetcher fetcher_{clock_};
  RunHost host_;
  std::unique_ptr<RunClient> client_;
};

// The folder that was named, or this one; absolute.
std::string folder_or_here(const std::string& working_folder);
// "working_folder=DIR" for the query of a request.
std::string folder_query(const std::string& working_folder);

// Says why a command got nothing from its server; `next` is what to do about what is not there.
// Returns the exit code.
int complain_call(const std::string& what, const core::Error& error, const std::string& next = {});

}  // namespace parley::app
