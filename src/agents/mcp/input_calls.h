// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agents/mcp/assistant_call.h"
#include "agents/mcp/offer.h"
#include "agents/mcp/request_state.h"
#include "agents/mcp/tool_catalog.h"
#include "base/core/entropy.h"
#include "base/core/scheduler.h"

namespace parley::mcp {

// How a call is answered before its person has answered.
struct InputShape {
  bool forms = false;    // with a form, if the client shows forms
  core::Millis slice{};  // with nothing but a state after this time; 0: never
};

// Calls of tools in the form of revision 2026-07-28 in which the client sends its request again:
// the first one is answered with a form ("input_required") for the agent's own window, and the next
// one has the person's answer. Without a form a call is held for a slice of time, and the next
// request goes on with it. The question is in the inbox meanwhile, and the first answer counts.
// Used on one thread.
class InputCalls {
 public:
  // All references must outlive the object. `sender`: who may send a state back. `page`: the
  // address of a question's page, before its key; empty: no links.
  InputCalls(core::Scheduler& scheduler, LastingCalls& calls, core::Entropy& entropy,
             const RequestState& state, InputShape shape, std::string sender, std::string page);

  // True if the call of a client takes one of these forms.
  bool wants(const Exchange& exchange) const;
  void start(const ExchangePtr& exchange, ToolArguments arguments);

  // A client that declines sooner than this declines by itself, without a person.
  // Limit (MCP over HTTP): time before which a decline does not count as a person's. Reached: the
  // question leaves the inbox.
  static constexpr core::Millis kFastestPerson{2'000};

 private:
  using Wait = std::shared_ptr<std::shared_ptr<void>>;

  bool shows(const ClientFacts& client) const;
  // How a call that its client leaves treats its question.
  enum class Leaving : std::uint8_t {
    withdraws,  // nothing has been sent with which the client could come back
    keeps,      // the client has a state of the question
  };

  void resume_asking(const ExchangePtr& exchange, const LastingQuestion& question, Leaving leaving);
  std::string state_of(const Exchange& exchange, const LastingQuestion& question) const;
  void hold_slice(const ExchangePtr& exchange, const LastingQuestion& question, Leaving leaving);
  void ask(const ExchangePtr& exchange, const LastingQuestion& question);
  void resume(const ExchangePtr& exchange, const std::string& key,
              const boost::json::object& responses);
  void on_response(const ExchangePtr& exchange, const LastingQuestion& question,
                   const boost::json::object& response);
  Wait hold(const ExchangePtr& exchange, const std::string& key, Leaving leaving);
  void withdraw(const std::string& key, std::string_view reason);

  core::Scheduler& scheduler_;
  LastingCalls& calls_;
  core::Entropy& entropy_;
  const RequestState& state_;
  const InputShape shape_;
  const std::string sender_;
  const std::string page_;
};

}  // namespace parley::mcp
