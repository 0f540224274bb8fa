// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/mcp_assembly.h"

#include <string>
#include <utility>

#include "mcp/asking_offer.h"
#include "server/hub_calls.h"
#include "server/version.h"

namespace parley::app {
namespace {

// The offer of one client with its questions.
class HubOffer final : public mcp::Offer {
 public:
  HubOffer(const McpGround& ground, const auth::Identity& caller, core::Scheduler& scheduler)
      : calls_(ground.hub, ground.gate, ground.entropy, scheduler, caller.workspace),
        asking_(scheduler, calls_, mcp::ToolChoice{}) {}

  void write_capabilities(core::JsonWriter& json, std::string_view revision) const override {
    asking_.write_capabilities(json, revision);
  }
  std::string_view instructions() const override { return asking_.instructions(); }
  bool handle(const mcp::ExchangePtr& exchange) override { return asking_.handle(exchange); }

 private:
  HubCalls calls_;
  mcp::AskingOffer asking_;
};

}  // namespace

std::unique_ptr<mcp_http::McpHttpContext> make_mcp(const McpGround& ground,
                                                   std::vector<core::Scheduler*> schedulers,
                                                   mcp_http::McpHttpOptions options) {
  return std::make_unique<mcp_http::McpHttpContext>(
      std::move(schedulers), ground.verifier, ground.entropy, ground.metrics,
      mcp::McpServer::Identity{mcp::kServerName, mcp::kServerTitle, std::string(kVersion)},
      [ground](const auth::Identity& caller, core::Scheduler& scheduler) {
        return std::make_unique<HubOffer>(ground, caller, scheduler);
      },
      options);
}

}  // namespace parley::app
