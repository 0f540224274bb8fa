// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/scheduler.h"
#include "mcp/assistant_call.h"
#include "mcp/offer.h"
#include "mcp/tool_catalog.h"

namespace parley::mcp {

// The name of the server for its clients.
inline constexpr std::string_view kServerName = "Agent-Assistant";
inline constexpr std::string_view kServerTitle = "Agent Assistant";

// Parley's tools, which ask a person, and its prompts. A call is held until the person answers; if
// the client gave a progress token, it is told every kProgressEvery that the call still waits. A
// cancelled call cancels its question.
class AskingOffer final : public Offer {
 public:
  // All references must outlive the offer. Used on the scheduler's thread.
  AskingOffer(core::Scheduler& scheduler, AssistantCalls& assistant, ToolChoice tools);
  ~AskingOffer() override;

  void write_capabilities(core::JsonWriter& json, std::string_view revision) const override;
  std::string_view instructions() const override;
  bool handle(const ExchangePtr& exchange) override;

  std::size_t calls() const { return calls_.size(); }

  static constexpr std::size_t kMaxCalls = 256;
  static constexpr core::Millis kProgressEvery = std::chrono::seconds(25);

 private:
  struct Call;

  void list_tools(const ExchangePtr& exchange) const;
  void call_tool(const ExchangePtr& exchange);
  void start_call(const ExchangePtr& exchange, ToolArguments arguments);
  void on_outcome(const std::string& key, const AssistantOutcome& outcome);
  void send_progress(const std::string& key);

  core::Scheduler& scheduler_;
  AssistantCalls& assistant_;
  const ToolChoice tools_;
  std::map<std::string, std::unique_ptr<Call>> calls_;  // waiting calls, by key of the exchange
};

}  // namespace parley::mcp
