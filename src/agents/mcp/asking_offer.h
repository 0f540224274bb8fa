// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/mcp/assistant_call.h"
#include "agents/mcp/input_calls.h"
#include "agents/mcp/offer.h"
#include "agents/mcp/request_state.h"
#include "agents/mcp/task_calls.h"
#include "agents/mcp/tool_catalog.h"
#include "base/core/entropy.h"
#include "base/core/scheduler.h"

namespace parley::mcp {

// The name of the server for its clients.
inline constexpr std::string_view kServerName = "Agent-Assistant";
inline constexpr std::string_view kServerTitle = "Agent Assistant";

// The window in which a person is asked, beside the inbox.
enum class AskShape : std::uint8_t {
  automatic,  // the inbox alone; as a task where the client takes tasks
  held,       // the inbox alone; each call is held
  elicit,     // also in the agent's own window, where the client declares elicitation
};

// The choices and services of an offer, beside the questions themselves.
struct AskingOptions {
  ToolChoice tools = {};
  AskShape shape = AskShape::automatic;
  core::Millis slice{};                 // see InputShape
  const RequestState* state = nullptr;  // null: no form in the way of revision 2026-07-28
  std::string sender = {};              // of all requests: see InputCalls
  std::string page = {};                // the same
};

// Parley's tools, which ask a person, and its prompts. A call is held until the person answers,
// unless it becomes a task or asks in the agent's window (AskShape). If the client gave a progress
// token, it is told every kProgressEvery that a held call still waits. A cancelled call cancels its
// question.
class AskingOffer final : public Offer {
 public:
  // All references must outlive the offer. Used on the scheduler's thread.
  AskingOffer(core::Scheduler& scheduler, AssistantCalls& assistant, core::Entropy& entropy,
              AskingOptions options);
  ~AskingOffer() override;

  void write_capabilities(core::JsonWriter& json, std::string_view revision) const override;
  std::string_view instructions() const override;
  bool handle(const ExchangePtr& exchange) override;
  void watch(const Interests& interests, std::function<void(const Change&)> changed) override;

  std::size_t calls() const { return calls_.size(); }

  // Limit (MCP over HTTP): tool calls that wait, of a session or of `agentassistant-mcp`. Reached:
  // an error as the tool's result.
  static constexpr std::size_t kMaxCalls = 256;
  static constexpr core::Millis kProgressEvery = std::chrono::seconds(25);

 private:
  struct Call;

  void list_tools(const ExchangePtr& exchange) const;
  void call_tool(const ExchangePtr& exchange);
  void start_call(const ExchangePtr& exchange, ToolArguments arguments);
  void on_outcome(const std::string& key, const AssistantOutcome& outcome);
  void send_progress(const std::string& key);
  void ask_in_window(Call& call);
  void on_window(const std::string& key, const core::Result<boost::json::object>& answer);
  void end(const std::string& key, std::string_view reason, const AssistantOutcome& outcome);

  core::Scheduler& scheduler_;
  AssistantCalls& assistant_;
  const AskingOptions options_;
  std::optional<TaskCalls> tasks_;
  std::optional<InputCalls> inputs_;
  std::map<std::string, std::unique_ptr<Call>> calls_;  // waiting calls, by key of the exchange
};

}  // namespace parley::mcp
