// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/host_client.h"

#include <poll.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <optional>
#include <utility>

#include "app/server/exit_code.h"
#include "app/server/logging.h"
#include "app/server/terminal.h"
#include "base/core/percent.h"

namespace parley::app {
namespace {

constexpr core::Millis kHostTurn{1'000};

}  // namespace

tl::expected<std::unique_ptr<HostClient>, int> HostClient::open(const Settings& settings) {
  set_up_command_logging(settings);
  // The constructor is private, so make_unique cannot reach it.
  std::unique_ptr<HostClient> client(new HostClient());
  auto host = RunHost::find_or_start(settings);
  if (!host) {
    complain(host.error().complaint);
    return tl::unexpected(static_cast<int>(host.error().code));
  }
  client->host_ = std::move(*host);
  client->client_ =
      std::make_unique<RunClient>(client->fetcher_, client->loop_, client->host_.url(),
                                  client->host_.token(), client->host_.ca_file());
  return client;
}

std::unique_ptr<HostClient> HostClient::of(const mcp::ServerAccess& access) {
  std::unique_ptr<HostClient> client(new HostClient());
  client->client_ = std::make_unique<RunClient>(client->fetcher_, client->loop_, access.base_url,
                                                access.token, access.ca_file);
  return client;
}

core::Result<boost::json::value> HostClient::call(std::string method, std::string path,
                                                  std::optional<core::Millis> limit) {
  // Shared: a call that was given up may end later.
  const auto answer = std::make_shared<std::optional<core::Result<std::string>>>();
  loop_.watch(signals_.fd(), POLLIN, [this, answer](short) {
    if (signals_.take() != 0) {
      *answer = core::fail(core::Code::cancelled, "The command was stopped by a signal.");
    }
  });
  client_->call(std::move(method), std::move(path), "",
                [answer](core::Result<std::string> came) { *answer = std::move(came); });
  std::optional<core::TimerId> timer;
  if (limit) {
    timer = loop_.after(*limit, [answer, &timer] {
      timer.reset();
      *answer = core::fail(core::Code::deadline_exceeded, "The server does not answer.");
    });
  }
  while (!*answer) loop_.run_once(kHostTurn);
  if (timer) loop_.cancel(*timer);
  loop_.unwatch(signals_.fd());
  if (!**answer) return core::fail(std::move((*answer)->error()));
  boost::system::error_code error;
  const boost::json::string_view text((*answer)->value());
  boost::json::value value = boost::json::parse(text, error);
  if (error) return core::fail(core::Code::data_loss, "The server's answer cannot be read.");
  return value;
}

std::string folder_or_here(const std::string& working_folder) {
  std::error_code error;
  if (working_folder.empty()) return std::filesystem::current_path(error).string();
  return std::filesystem::absolute(working_folder, error).string();
}

std::string folder_query(const std::string& working_folder) {
  return "working_folder=" + core::percent_encoded(folder_or_here(working_folder));
}

int complain_call(const std::string& what, const core::Error& error, const std::string& next) {
  complain({what, error.message,
            error.code == core::Code::unavailable ? "Is the server running?" : next});
  switch (error.code) {
    case core::Code::unavailable:
      return kExitUnreachable;
    case core::Code::cancelled:
      return kExitCancelled;
    case core::Code::invalid_argument:
      return kExitUsage;
    default:
      return kExitFailure;
  }
}

}  // namespace parley::app
