// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// parley-mcp-fixture [PORT]   serves the conformance suite's tools by MCP over HTTP on 127.0.0.1,
// without tokens, until SIGTERM. Prints the URL. For tests only: it uses the same protocol room as
// `parley serve`.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/net/http/metrics.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "base/net/server/server.h"
#include "dialects/mcp_http/routes.h"
#include "tests/support/mcp_fixture/fixture_offer.h"

namespace parley::mcp_fixture {
namespace {

// Lets everybody in.
class OpenVerifier final : public auth::Verifier {
 public:
  core::Result<auth::Identity> verify(std::string_view, std::string_view) override {
    auth::Identity identity;
    identity.workspace = "fixture";
    identity.rights = auth::Rights::all();
    return identity;
  }
  auth::TokenWatchers& watchers() override { return watchers_; }

 private:
  auth::TokenWatchers watchers_;
};

int serve(std::uint16_t port) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  const core::SystemClock clock;
  core::SystemEntropy entropy;
  net::Metrics metrics;
  net::Loop loop(clock);
  net::SystemNetwork network;
  OpenVerifier verifier;
  Bulletin bulletin;
  const mcp::RequestState state(entropy);
  mcp_http::McpHttpContext context(
      {&loop}, verifier, entropy, metrics, {"parley-mcp-fixture", "Fixture", "1"},
      [&](const auth::Identity&, core::Scheduler& scheduler) {
        return std::make_unique<FixtureOffer>(FixtureDependencies{scheduler, bulletin, state});
      });
  net::Router router;
  mcp_http::install(router, context);
  net::Server server(network, std::move(router), {}, metrics, entropy);
  std::thread thread([&loop] { loop.run(); });
  const auto listening = server.listen({&loop}, {"127.0.0.1", port});
  if (listening) {
    std::cout << "http://localhost:" << listening->port << "/mcp" << std::endl;
    int signal = 0;
    sigwait(&ends, &signal);
    context.shut_down();
  } else {
    std::cerr << listening.error().message << std::endl;
  }
  loop.post([&loop] { loop.stop(); });
  thread.join();
  return listening ? 0 : 1;
}

}  // namespace
}  // namespace parley::mcp_fixture

int main(int argc, char** argv) {
  const int port = argc > 1 ? std::atoi(argv[1]) : 0;
  return parley::mcp_fixture::serve(static_cast<std::uint16_t>(port));
}
