// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/mcp_assembly.h"

#include <optional>
#include <utility>

#include "agents/mcp/resource_catalog.h"
#include "app/server/version.h"
#include "dialects/mcp_http/routes.h"
#include "identity/access/authority.h"

namespace parley::app {
namespace {

constexpr std::string_view kQuestionPage = "/#/inbox/item/";

// The offer of one client: its questions and, if its token has the right to read, its resources.
class HubOffer final : public mcp::Offer {
 public:
  HubOffer(const McpDependencies& dependencies, OrphanedQuestions& orphans,
           const mcp::RequestState& state, QuestionLeases& leases, const auth::Identity& caller,
           core::Scheduler& scheduler)
      : calls_({dependencies.hub, dependencies.store, dependencies.gate, dependencies.entropy,
                orphans},
               leases, scheduler, HubCaller{caller.workspace, access::window_of(caller)}),
        asking_(scheduler, calls_, dependencies.entropy,
                {.tools = {},
                 .shape = dependencies.shape,
                 .slice = dependencies.slice,
                 .state = &state,
                 .sender = caller.workspace + '\0' + access::asker_id(caller),
                 .page = dependencies.console_url.empty()
                             ? std::string()
                             : dependencies.console_url + std::string(kQuestionPage)}) {
    if (caller.rights.has(auth::Right::read))
      reader_.emplace(Reader{dependencies, scheduler, caller});
  }

  void write_capabilities(core::JsonWriter& json, std::string_view revision) const override {
    asking_.write_capabilities(json, revision);
    if (reader_) mcp::ResourceCatalog::write_capabilities(json);
  }
  std::string_view instructions() const override { return asking_.instructions(); }
  bool handle(const mcp::ExchangePtr& exchange) override {
    return asking_.handle(exchange) || (reader_ && resources().handle(exchange));
  }
  void watch(const mcp::Interests& interests,
             std::function<void(const mcp::Change&)> changed) override {
    if (reader_) resources().watch(interests, changed);
    asking_.watch(interests, std::move(changed));
  }

 private:
  // What the resources are made from, at their first use: most clients only ask.
  struct Reader {
    const McpDependencies& dependencies;
    core::Scheduler& scheduler;
    auth::Identity caller;
  };

  mcp::ResourceCatalog& resources() {
    if (!resources_) {
      const McpDependencies& dependencies = reader_->dependencies;
      library_.emplace(
          McpLibraryDependencies{dependencies.hub, dependencies.store, dependencies.entropy,
                                 dependencies.runs, dependencies.run_changes},
          reader_->scheduler, reader_->caller.workspace, reader_->caller.name);
      resources_.emplace(reader_->scheduler, *library_);
    }
    return *resources_;
  }

  HubCalls calls_;
  mcp::AskingOffer asking_;
  std::optional<Reader> reader_;  // none: the token may not read
  std::optional<McpLibrary> library_;
  std::optional<mcp::ResourceCatalog> resources_;  // reads the library
};

}  // namespace

mcp::AskShape ask_shape_of(std::string_view word) {
  if (word == "held") return mcp::AskShape::held;
  return word == "elicit" ? mcp::AskShape::elicit : mcp::AskShape::automatic;
}

McpAssembly::McpAssembly(const McpDependencies& dependencies,
                         std::vector<core::Scheduler*> schedulers,
                         const mcp_http::McpHttpOptions& options)
    : dependencies_(dependencies), schedulers_(std::move(schedulers)), state_(dependencies.key) {
  for (core::Scheduler* scheduler : schedulers_) {
    leases_.push_back(std::make_unique<QuestionLeases>(dependencies_.hub, *scheduler));
  }
  orphans_.load(dependencies_.store, *schedulers_.front());
  context_ = std::make_unique<mcp_http::McpHttpContext>(
      schedulers_, dependencies_.verifier, dependencies_.entropy, dependencies_.metrics,
      mcp::McpServer::Identity{mcp::kServerName, mcp::kServerTitle, std::string(kVersion)},
      [this](const auth::Identity& caller, core::Scheduler& scheduler) {
        return std::make_unique<HubOffer>(dependencies_, orphans_, state_,
                                          *leases_[context_->index_of(scheduler)], caller,
                                          scheduler);
      },
      options);
}

McpAssembly::~McpAssembly() = default;

void McpAssembly::install(net::Router& router) { mcp_http::install(router, *context_); }

void McpAssembly::shut_down() {
  context_->shut_down();
  for (std::size_t i = 0; i < schedulers_.size(); ++i) {
    schedulers_[i]->post([this, i] { leases_[i]->clear(); });
  }
}

}  // namespace parley::app
