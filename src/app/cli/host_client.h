// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>

#include "agents/mcp/assistant_client.h"
#include "agents/mcp/signal_watch.h"
#include "app/cli/run_client.h"
#include "app/cli/run_host.h"
#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/http_client/curl_fetcher.h"
#include "base/http_client/curl_loop.h"

namespace parley::app {

// Blocking calls to the server of a command (RunHost), one at a time. Must be created before any
// thread.
class HostClient {
 public:
  // Error: the exit code, after a complaint, if no server is running and none can be started.
  static tl::expected<std::unique_ptr<HostClient>, int> open(const Settings& settings);

  // Calls a server that runs already.
  static std::unique_ptr<HostClient> of(const mcp::ServerAccess& access);

  // The answer of the server, as JSON. Errors: those of RunClient::call(); `cancelled` (by a
  // signal), `data_loss` (not JSON), `deadline_exceeded` (no answer within `limit`).
  core::Result<boost::json::value> call(std::string method, std::string path,
                                        std::optional<core::Millis> limit = std::nullopt);

 private:
  HostClient() = default;

  const mcp::SignalWatch signals_;
  const core::SystemClock clock_{};
  http_client::CurlLoop loop_{clock_};
  http_client::CurlFetcher fetcher_{clock_};
  RunHost host_;
  std::unique_ptr<RunClient> client_;
};

// The named folder, or the current one; absolute.
std::string folder_or_here(const std::string& working_folder);
// "working_folder=DIR" for the query of a request.
std::string folder_query(const std::string& working_folder);

// Prints why a call failed; `next` is the advice for `not_found`. Returns the exit code.
int complain_call(const std::string& what, const core::Error& error, const std::string& next = {});

}  // namespace parley::app
