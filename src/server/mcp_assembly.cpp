// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "server/mcp_assembly.h"

#include <utility>

#include "protocol/mcp_http/routes.h"
#include "server/version.h"

namespace parley::app {
namespace {

constexpr std::string_view kQuestionPage = "/#/inbox/item/";

// The offer of one client with its questions.
class HubOffer final : public mcp::Offer {
 public:
  HubOffer(const McpGround& ground, OrphanShelf& orphans, const mcp::RequestState& state,
           QuestionKeeper& keeper, const auth::Identity& caller, core::Scheduler& scheduler)
      : calls_({ground.hub, ground.store, ground.gate, ground.entropy, orphans}, keeper, scheduler,
               caller.workspace),
        asking_(scheduler, calls_, ground.entropy,
                {.tools = {},
                 .shape = ground.shape,
                 .state = &state,
                 .sender = caller.workspace + '\0' + caller.token_id,
                 .page = ground.console_url.empty()
                             ? std::string()
                             : ground.console_url + std::string(kQuestionPage)}) {}

  void write_capabilities(core::JsonWriter& json, std::string_view revision) const override {
    asking_.write_capabilities(json, revision);
  }
  std::string_view instructions() const override { return asking_.instructions(); }
  bool handle(const mcp::ExchangePtr& exchange) override { return asking_.handle(exchange); }
  void watch(const mcp::Interests& interests,
             std::function<void(const mcp::Change&)> changed) override {
    asking_.watch(interests, std::move(changed));
  }

 private:
  HubCalls calls_;
  mcp::AskingOffer asking_;
};

}  // namespace

mcp::AskShape ask_shape_of(std::string_view word) {
  if (word == "held") return mcp::AskShape::held;
  return word == "elicit" ? mcp::AskShape::elicit : mcp::AskShape::automatic;
}

McpAssembly::McpAssembly(const McpGround& ground, std::vector<core::Scheduler*> schedulers,
                         const mcp_http::McpHttpOptions& options)
    : ground_(ground), schedulers_(std::move(schedulers)), state_(ground.key) {
  for (core::Scheduler* scheduler : schedulers_) {
    keepers_.push_back(std::make_unique<QuestionKeeper>(ground_.hub, *scheduler));
  }
  orphans_.load(ground_.store, *schedulers_.front());
  context_ = std::make_unique<mcp_http::McpHttpContext>(
      schedulers_, ground_.verifier, ground_.entropy, ground_.metrics,
      mcp::McpServer::Identity{mcp::kServerName, mcp::kServerTitle, std::string(kVersion)},
      [this](const auth::Identity& caller, core::Scheduler& scheduler) {
        return std::make_unique<HubOffer>(
            ground_, orphans_, state_, *keepers_[context_->index_of(scheduler)], caller, scheduler);
      },
      options);
}

McpAssembly::~McpAssembly() = default;

void McpAssembly::install(net::Router& router) { mcp_http::install(router, *context_); }

void McpAssembly::shut_down() {
  context_->shut_down();
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    schedulers_[i]->post([this, i] { keepers_[i]->clear(); });
  }
}

}  // namespace parley::app
