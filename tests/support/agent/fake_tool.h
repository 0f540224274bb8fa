// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/agent/agent.h"
#include "runtime/tool/tool.h"

namespace parley::agent::testing {

// A scripted tool that records its calls.
class FakeTool final : public tool::Tool {
 public:
  using Work =
      std::function<tool::ToolResult(const tool::ToolContext&, const boost::json::object&)>;

  FakeTool(std::string name, std::string parameters, Work work)
      : spec_{std::move(name), "A tool of the test.", std::move(parameters)},
        work_(std::move(work)) {}

  const model::ToolSpec& spec() const override { return spec_; }
  tool::Approval default_approval() const override { return approval; }
  std::string source() const override { return shown_source_name; }
  std::string identity() const override {
    return identity_name.empty() ? shown_source_name : identity_name;
  }
  void run(tool::ToolContext context, boost::json::object arguments, Done done) override {
    calls.push_back(context.call_id);
    core::Scheduler& scheduler = *context.scheduler;
    if (holds) {
      held.push_back(
          [done = std::move(done)](tool::ToolResult result) mutable { done(std::move(result)); });
      on_cancel.push_back(context.cancel.on_cancel([this, &scheduler] {
        scheduler.post([this] { release(tool::ToolResult::error("Stopped.")); });
      }));
      return;
    }
    scheduler.post([this, context = std::move(context), arguments = std::move(arguments),
                    done = std::move(done)]() mutable { done(work_(context, arguments)); });
  }

  void release(tool::ToolResult result) {
    if (held.empty()) return;
    auto done = std::move(held.front());
    held.erase(held.begin());
    done(std::move(result));
  }

  tool::Approval approval = tool::Approval::automatic;
  // Drops the held calls, after their callers are gone.
  void drop_held() { const auto gone = std::exchange(held, {}); }
  std::string shown_source_name = "builtin";
  std::string identity_name;  // empty: shown_source_name
  bool holds = false;
  std::vector<std::string> calls;  // ids
  std::vector<absl::AnyInvocable<void(tool::ToolResult)>> held;
  std::vector<core::CancelToken::Registration> on_cancel;

 private:
  model::ToolSpec spec_;
  Work work_;
};

inline constexpr const char* kTextSchema =
    R"({"type":"object","properties":{"text":{"type":"string"}},"required":["text"]})";

// Returns its argument.
inline std::shared_ptr<FakeTool> echo_tool(std::string name = "echo") {
  return std::make_shared<FakeTool>(
      std::move(name), kTextSchema,
      [](const tool::ToolContext& context, const boost::json::object& arguments) {
        const auto& text = arguments.at("text").as_string();
        if (context.output) context.output(std::string_view(text.data(), text.size()));
        return tool::ToolResult::ok("echo: " + std::string(text.data(), text.size()));
      });
}

// Gives the verdict that the test sets.
class FakeApprover final : public Approver {
 public:
  void decide(const tool::Tool& tool, const model::ToolCall& call,
              const boost::json::object& /*arguments*/, const core::CancelToken& cancel,
              Asking asking, absl::AnyInvocable<void(core::Result<Verdict>)> done) override {
    asked.push_back(call.id);
    if (tool.default_approval() == tool::Approval::automatic) {
      done(Verdict{true, {}});
      return;
    }
    asking({});
    if (!answer) {
      waiting.push_back(std::move(done));
      registrations.push_back(cancel.on_cancel([this] {
        auto told = std::exchange(waiting, {});
        for (auto& one : told) one(core::fail(core::Code::cancelled, "Cancelled."));
      }));
      return;
    }
    done(*answer);
  }

  std::optional<core::Result<Verdict>> answer;
  std::vector<std::string> asked;
  std::vector<absl::AnyInvocable<void(core::Result<Verdict>)>> waiting;
  std::vector<core::CancelToken::Registration> registrations;
};

}  // namespace parley::agent::testing
