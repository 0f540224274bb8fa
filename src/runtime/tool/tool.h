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
#include "core/cancel.h"
#include "core/result.h"
#include "core/scheduler.h"
#include "runtime/model/model.h"
#include "runtime/stream/run_event.h"

namespace parley::tool {

// Whether a call may run. The order is that of strictness.
enum class Approval : std::uint8_t { automatic, ask, deny };
std::string_view approval_name(Approval approval);  // "auto", "ask", "deny"
std::optional<Approval> approval_from_name(std::string_view name);

// What a tool call came to. A failure is a result too: the model is told and may try again.
struct ToolResult {
  std::string content;
  bool is_error = false;
  // Of the model calls that were made for it: a part of what the run has used.
  std::optional<runtime::Usage> usage = {};
  static ToolResult ok(std::string content) { return {std::move(content), false, {}}; }
  static ToolResult error(std::string content) { return {std::move(content), true, {}}; }
};

class OutputStore;

// In which a call is made. Belongs to the run's scheduler and lives until the call's `done`.
struct ToolContext {
  std::string owner;       // the token that the run belongs to
  std::string session_id;  // the thread
  std::string run_id;
  std::string call_id;
  std::string agent;           // who calls, for the people that are asked
  std::string model;           // the same
  std::string working_folder;  // absolute, symlinks resolved; paths stay inside
  int depth = 0;               // of sub-agents: 0 in the run that a person began
  core::Scheduler* scheduler = nullptr;
  core::CancelToken cancel;
  // Where long results are kept (tool_output.h); null: they are cut.
  OutputStore* outputs = nullptr;
  // Shows a piece of output as it comes (tool_output). May be empty.
  std::function<void(std::string_view content)> output;
  // Emits an event of the run in this node's name, for example a sub-agent's (custom). May be
  // empty.
  std::function<void(runtime::RunEvent event)> emit;
  // Whether and how a tool that is called from within another one (batch) may run: asks a person
  // where its policy says so. Gives nothing if it may, or the result that takes its place. Never
  // empty in a run.
  using Gate = std::function<void(const std::string& tool, const boost::json::object& arguments,
                                  absl::AnyInvocable<void(std::optional<ToolResult>)> done)>;
  Gate gate;
};

class Tool {
 public:
  using Done = absl::AnyInvocable<void(ToolResult)>;

  Tool() = default;
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  virtual ~Tool() = default;

  virtual const model::ToolSpec& spec() const = 0;
  // Where no profile or flag says otherwise: writing, deleting and shell ask.
  virtual Approval default_approval() const { return Approval::automatic; }
  // The same for one call, where it depends on the arguments (a GET, a POST).
  virtual Approval approval_for(const boost::json::object& arguments) const {
    static_cast<void>(arguments);
    return default_approval();
  }
  // Of a tool whose calls are not all alike: how strict approval_for() may be, and when it is.
  struct ByCall {
    Approval up_to = Approval::ask;
    std::string when;  // "the method is not GET"
  };
  virtual std::optional<ByCall> approval_by_call() const { return std::nullopt; }
  // Where it comes from: "builtin", or "mcp:NAME".
  virtual std::string source() const { return "builtin"; }
  // May be called on any thread and many times at once. The arguments have been checked against the
  // schema's required members and types (schema_check.h). `done` is called once on the context's
  // scheduler, never inside this call; after a cancel within 200 ms, with what it left running
  // gone.
  virtual void run(ToolContext context, boost::json::object arguments, Done done) = 0;
};

using ToolPtr = std::shared_ptr<Tool>;

}  // namespace parley::tool
