// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/mcp/resource_provider.h"
#include "base/core/entropy.h"
#include "base/core/scheduler.h"
#include "model/event/session_store.h"
#include "model/session/hub.h"
#include "model/session/subscription.h"
#include "runtime/run/run_service.h"
#include "runtime/run/run_watchers.h"

namespace parley::app {

// Services below the resources of MCP clients. They must outlive them.
struct McpLibraryDependencies {
  session::Hub& hub;
  event::SessionStore& store;
  core::Entropy& entropy;
  run::RunService& runs;
  run::RunWatchers& run_changes;
};

// The resources of one workspace: the questions of its inbox, its runs, and its sessions of these
// kinds. Used on the thread of `scheduler`.
//
// An observer of the inbox reports changes of questions. If the inbox moves to another node, the
// observer joins again after kFollowAgainAfter and reports what has changed meanwhile.
class McpLibrary final : public mcp::ResourceProvider {
 public:
  // `nickname`: of the observer.
  McpLibrary(const McpLibraryDependencies& dependencies, core::Scheduler& scheduler,
             std::string workspace, std::string nickname);
  ~McpLibrary() override;

  void list(mcp::ResourceKind kind, std::string place, std::size_t limit,
            Done<mcp::ResourcePage> done) override;
  void read(mcp::ResourceName name, Done<mcp::ResourceContent> done) override;
  void count_attachments(std::string key, Done<std::size_t> done) override;
  void watch(OnChange changed) override;

  // The transcript of an inbox holds this many of its newest questions.
  // Limit (MCP over HTTP): newest questions in the transcript of an inbox. Reached: left out; the
  // transcript says so.
  static constexpr std::size_t kTranscriptQuestions = 200;
  // The sessions with the newest events that are listed.
  // Limit (MCP over HTTP): sessions in `resources/list`: those with the newest events. Reached: not
  // listed; can be read.
  static constexpr std::size_t kListedSessions = 1'000;
  static constexpr core::Millis kFollowAgainAfter = std::chrono::seconds(5);

 private:
  using Stored = event::StoredInteraction;

  void list_questions(std::string place, std::size_t limit, Done<mcp::ResourcePage> done);
  void list_runs(std::string place, std::size_t limit, Done<mcp::ResourcePage> done);
  void list_sessions(std::string place, std::size_t limit, Done<mcp::ResourcePage> done);
  void find_question(std::string key, Done<Stored> done);
  void read_question(std::string key, Done<mcp::ResourceContent> done);
  void read_attachment(mcp::ResourceName name, Done<mcp::ResourceContent> done);
  void read_run(std::string id, Done<mcp::ResourceContent> done);
  void read_session(std::string id, Done<mcp::ResourceContent> done);
  void read_inbox(Done<mcp::ResourceContent> done);
  void read_conversation(std::string id, Done<mcp::ResourceContent> done);

  void follow();
  void follow_later();
  void catch_up();
  void catch_up_with(const session::Interaction& interaction);
  void on_question(const std::string& key, bool begins);
  void on_run(const run::Run& run);

  const McpLibraryDependencies dependencies_;
  core::Scheduler& scheduler_;
  const session::SessionKey inbox_;
  const std::string nickname_;
  OnChange changed_;
  session::Subscription inbox_watch_;
  core::WallTime joined_at_;  // questions of the inbox that were opened later are new
  core::WallTime since_;      // time from which changes are reported
  std::unique_ptr<run::RunWatchers::Watch> run_watch_;
  core::TimerId follow_timer_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace parley::app
