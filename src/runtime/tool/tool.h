// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/core/cancel.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "model/session/session.h"
#include "runtime/model/model.h"
#include "runtime/stream/run_event.h"

namespace parley::tool {

// Permission of a call, in the order of strictness.
enum class Approval : std::uint8_t { automatic, ask, deny };
std::string_view approval_name(Approval approval);  // "auto", "ask", "deny"
std::optional<Approval> approval_from_name(std::string_view name);

// Result of a tool call. A failure is a result too: the model sees it and may try again.
struct ToolResult {
  std::string content;
  bool is_error = false;
  // Usage of the model calls that the tool made; counts towards the run's usage.
  std::optional<runtime::Usage> usage = {};
  static ToolResult ok(std::string content) { return {std::move(content), false, {}}; }
  static ToolResult error(std::string content) { return {std::move(content), true, {}}; }
};

class OutputStore;

// Context of a call. Belongs to the run's scheduler and lives until the call's `done`.
struct ToolContext {
  std::string owner;       // the token that the run belongs to
  std::string session_id;  // the thread
  std::string run_id;
  std::string call_id;
  std::string agent;           // calling agent, shown to people who are asked
  std::string model;           // its model, shown likewise
  std::string working_folder;  // absolute, symlinks resolved; paths stay inside
  int depth = 0;               // nesting of sub-agents: 0 in the run that a person started
  core::Scheduler* scheduler = nullptr;
  core::CancelToken cancel;
  // Store for long results (tool_output.h); null: they are cut.
  OutputStore* outputs = nullptr;
  // Shows a piece of output as it arrives (tool_output). May be empty.
  std::function<void(std::string_view content)> output;
  // Emits an event of the run in this node's name, for example a sub-agent's (custom). May be
  // empty.
  std::function<void(runtime::RunEvent event)> emit;
  // Checks a call that another tool makes (batch), and asks a person if the policy requires it.
  // Calls `done` with std::nullopt if the call may run, or with the result that replaces it. Never
  // empty in a run.
  using Gate = std::function<void(const std::string& tool, const boost::json::object& arguments,
                                  absl::AnyInvocable<void(std::optional<ToolResult>)> done)>;
  Gate gate;
  // Asks the owner in the run's own session and in the inbox: in a chat, whose clients show the
  // question and may answer it. Empty: questions are asked in the inbox alone.
  using AskOwner =
      std::function<void(session::AskRequest request, const core::CancelToken& cancel,
                         absl::AnyInvocable<void(core::Result<session::Answer>)> done)>;
  AskOwner ask_owner;
};

class Tool {
 public:
  using Done = absl::AnyInvocable<void(ToolResult)>;

  Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  virtual ~Tool() = default;

  virtual const model::ToolSpec& spec() const = 0;
  // Approval if no profile or flag sets one: writing, deleting and shell ask.
  virtual Approval default_approval() const { return Approval::automatic; }
  // Approval of one call, if it depends on the arguments (a GET, a POST).
  virtual Approval approval_for(const boost::json::object& arguments) const {
    static_cast<void>(arguments);
    return default_approval();
  }
  // For a tool whose calls differ: the strictest value of approval_for(), and when it applies.
  struct ByCall {
    Approval up_to = Approval::ask;
    std::string when;  // "the method is not GET"
  };
  virtual std::optional<ByCall> approval_by_call() const { return std::nullopt; }
  // Origin of the tool: "builtin", or "mcp:NAME".
  virtual std::string source() const { return "builtin"; }
  // The source with a digest of the program or address behind it, "mcp:NAME@DIGEST": a permission
  // that people give for later calls is kept under it, and does not pass to another program that
  // takes the name.
  virtual std::string identity() const { return source(); }
  // May be called on any thread, many times at once. The arguments have been checked against the
  // schema's required members and types (schema_check.h). `done` is called once on the context's
  // scheduler, never inside this call; within 200 ms after a cancellation, with all work of the
  // call stopped.
  virtual void run(ToolContext context, boost::json::object arguments, Done done) = 0;
};

using ToolPtr = std::shared_ptr<Tool>;

}  // namespace parley::tool
