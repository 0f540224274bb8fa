// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Books seats through Parley's relay; see README.md.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/visible_text.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "base/net/loop/tls.h"
#include "booking_agent.h"
#include "programs/agent_client/server_url.h"

namespace parley::booking_agent {
namespace {

constexpr int kExitNotBooked = 1;
constexpr int kExitUsage = 2;
constexpr std::size_t kMostSeats = 10;

struct Options {
  std::string server = "http://127.0.0.1:22080";
  std::string ca_file;
  double patience_s = 20;
  bool no_study = false;
  AgentSettings settings;
};

void declare(CLI::App& app, Options& options) {
  AgentSettings& settings = options.settings;
  app.add_option("--server", options.server, "URL of the server")->capture_default_str();
  app.add_option("--session", settings.client.link.session, "relay session of the host page")
      ->capture_default_str();
  app.add_option("--token", settings.client.link.token, "token, where the server wants one")
      ->envname("PARLEY_TOKEN");
  app.add_option("--ca-file", options.ca_file, "certificates that an https server is checked with");
  app.add_option("--seats", settings.wishes.seats, "how many seats")
      ->check(CLI::Range(std::size_t{1}, kMostSeats))
      ->capture_default_str();
  app.add_option("--movie", settings.wishes.movie, "a part of the movie's title");
  app.add_option("--study", settings.study, "id of the study")->capture_default_str();
  app.add_option("--participant", settings.participant, "id of the participant")
      ->capture_default_str();
  app.add_flag("--no-study", options.no_study, "open no study session");
  app.add_option("--patience", options.patience_s, "seconds to wait for a host and its answers")
      ->check(CLI::Range(1.0, 3600.0))
      ->capture_default_str();
}

// The network to the server; TLS for https.
core::Result<std::unique_ptr<net::Network>> secure_network(net::SystemNetwork& tcp,
                                                           const Options& options) {
  auto context = net::TlsContext::client(options.ca_file);
  if (!context) return core::fail(context.error());
  return std::make_unique<net::TlsNetwork>(tcp, nullptr, std::move(*context));
}

int book(Options& options) {
  auto url = agent_client::ServerUrl::parse(options.server);
  if (!url) {
    std::cerr << "parley-booking-agent: " << url.error().message << "\n";
    return kExitUsage;
  }
  const core::SystemClock clock;
  core::SystemEntropy entropy;
  net::Loop loop(clock);
  net::SystemNetwork tcp;
  std::unique_ptr<net::Network> tls;
  if (url->secure) {
    auto created = secure_network(tcp, options);
    if (!created) {
      std::cerr << "parley-booking-agent: " << created.error().message << "\n";
      return kExitUsage;
    }
    tls = std::move(*created);
  }
  AgentSettings settings = options.settings;
  settings.client.link.server = std::move(*url);
  settings.client.link.name = "booking-agent-cpp";
  settings.open_study = !options.no_study;
  settings.wishes.spread = std::hash<std::string>()(settings.participant);
  settings.patience = core::Millis(static_cast<std::int64_t>(options.patience_s * 1000));
  settings.client.request_timeout = settings.patience;
  int exit_code = 0;
  BookingAgent agent(
      loop, entropy, tls ? *tls : static_cast<net::Network&>(tcp), settings,
      [](const std::string& line) { std::cout << core::visible_text(line) << std::endl; },
      [&](const std::optional<std::string>& why) {
        if (why) std::cerr << "parley-booking-agent: " << core::visible_text(*why) << "\n";
        if (!why) std::cout << "booked" << std::endl;
        exit_code = why ? kExitNotBooked : 0;
        loop.stop();
      });
  agent.start();
  loop.run();
  return exit_code;
}

}  // namespace
}  // namespace parley::booking_agent

int main(int argc, char** argv) {
  using namespace parley::booking_agent;
  CLI::App app("Books movie seats by the tools of a Parley host page.", "parley-booking-agent");
  Options options;
  declare(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  return book(options);
}
