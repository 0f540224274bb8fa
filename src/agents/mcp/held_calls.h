// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agents/mcp/assistant_call.h"
#include "base/core/scheduler.h"

namespace parley::mcp {

// Calls for a client that gives each tool call a fixed, short time: after `longest` a call ends
// with the sentence that the question still waits and has an id, and a call of the kind
// await_answer with that id goes on waiting. Meanwhile the question stays open. It is withdrawn if
// no call waits for it for kHeldFor; an answer that nobody has fetched by then is dropped.
//
// With `longest` 0 every call is passed on as it is.
class HeldCalls final : public AssistantCalls {
 public:
  // The references must outlive this object. Used on the scheduler's thread.
  HeldCalls(core::Scheduler& scheduler, AssistantCalls& calls, core::Millis longest)
      : scheduler_(scheduler), calls_(calls), longest_(longest) {}
  ~HeldCalls() override { close("The agent's MCP server has ended."); }
  HeldCalls(const HeldCalls&) = delete;
  HeldCalls& operator=(const HeldCalls&) = delete;

  CallId start(AssistantCall call, Done done) override;
  void cancel(CallId call, std::string_view reason) override;
  std::string status(CallId call) const override;
  bool answer_in_window(CallId call, std::string text, std::string by) override;
  std::string key_of(CallId call) const override;
  LastingCalls* lasting() override { return calls_.lasting(); }

  // Withdraws all questions. Call when the client has gone.
  void close(std::string_view reason);

  std::size_t questions() const { return questions_.size(); }

  // Limit (agentassistant-mcp and parley ask): a question that no call waits for, with
  // `--max-call`. Reached: withdrawn.
  static constexpr core::Millis kHeldFor = std::chrono::seconds(120);
  // Limit (agentassistant-mcp and parley ask): open questions, with `--max-call`. Reached: an error
  // as the tool's result.
  static constexpr std::size_t kMaxQuestions = 256;

 private:
  using QuestionId = std::uint64_t;

  struct Question {
    CallId inner = 0;                        // 0: answered
    CallId outer = 0;                        // the call that waits; 0: none
    Done done;                               // of the outer call
    core::TimerId timer = 0;                 // the end of the outer call, or of the question
    std::optional<AssistantOutcome> answer;  // not fetched yet
  };

  CallId await(std::string_view id, Done done);
  void wait(QuestionId id, CallId outer, Done done);
  void hold(QuestionId id);
  void on_answer(QuestionId id, AssistantOutcome outcome);
  void give_up(QuestionId id, std::string_view reason);
  CallId end_at_once(Done done, AssistantOutcome outcome);
  std::map<QuestionId, Question>::const_iterator find_outer(CallId call) const;
  // The id below of a call; 0: none.
  CallId inner_of(CallId call) const;

  core::Scheduler& scheduler_;
  AssistantCalls& calls_;
  const core::Millis longest_;
  std::map<QuestionId, Question> questions_;
  QuestionId last_question_ = 0;
  CallId last_call_ = 0;
};

}  // namespace parley::mcp
