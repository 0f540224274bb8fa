// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_tool.h"

#include <utility>

#include "runtime/tool/mcp/mcp_result.h"

namespace parley::tool {
namespace {

// One call. `done` and the cancellation belong to the context's scheduler, `call_` to the home.
class McpToolCall : public std::enable_shared_from_this<McpToolCall> {
 public:
  McpToolCall(std::shared_ptr<McpServer> server, core::Scheduler& home, ToolContext context,
              Tool::Done done)
      : server_(std::move(server)),
        home_(home),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void begin(std::string tool, boost::json::object arguments) {
    if (context_.cancel.cancelled()) {
      return finish(ToolResult::error("The call was cancelled before it began."));
    }
    cancelled_ = context_.cancel.on_cancel([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->on_cancel();
    });
    home_.post([self = shared_from_this(), tool = std::move(tool),
                arguments = std::move(arguments)]() mutable {
      self->start(std::move(tool), std::move(arguments));
    });
  }

 private:
  // --- on the home ---

  void start(std::string tool, boost::json::object arguments) {
    if (withdrawn_) return;
    call_ = server_->call(
        std::move(tool), std::move(arguments),
        [self = shared_from_this()](std::string_view text) { self->on_progress(text); },
        [self = shared_from_this()](core::Result<boost::json::object> result) {
          self->pass_on(result ? read_mcp_result(*result)
                               : ToolResult::error(result.error().message));
        });
  }

  void on_progress(std::string_view text) {
    if (!context_.output) return;
    context_.scheduler->post([self = shared_from_this(), said = std::string(text)] {
      if (self->done_) self->context_.output(said);
    });
  }

  void pass_on(ToolResult result) {
    context_.scheduler->post([self = shared_from_this(), result = std::move(result)]() mutable {
      self->finish(std::move(result));
    });
  }

  // --- on the context's scheduler ---

  void on_cancel() {
    home_.post([self = shared_from_this(), why = context_.cancel.reason()] {
      self->withdrawn_ = true;
      if (const auto call = std::exchange(self->call_, nullptr)) call->cancel(why);
    });
    pass_on(ToolResult::error("The call was cancelled."));
  }

  void finish(ToolResult result) {
    if (!done_) return;
    cancelled_.reset();
    Tool::Done done = std::move(done_);
    done_ = nullptr;
    done(std::move(result));
  }

  const std::shared_ptr<McpServer> server_;
  core::Scheduler& home_;
  const ToolContext context_;
  Tool::Done done_;
  core::CancelToken::Registration cancelled_;
  std::shared_ptr<McpServer::Call> call_;
  bool withdrawn_ = false;
};

class McpTool final : public Tool {
 public:
  McpTool(std::shared_ptr<McpServer> server, McpToolInfo info, std::string name,
          core::Scheduler& home)
      : server_(std::move(server)), info_(std::move(info)), home_(home) {
    spec_.name = std::move(name);
    spec_.description = info_.description;
    spec_.parameters = info_.input_schema;
  }

  const model::ToolSpec& spec() const override { return spec_; }
  Approval default_approval() const override {
    return info_.read_only ? Approval::automatic : Approval::ask;
  }
  std::string source() const override { return "mcp:" + server_->name(); }
  std::string identity() const override { return source() + "@" + server_->digest(); }
  void run(ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    auto call = std::make_shared<McpToolCall>(server_, home_, std::move(context), std::move(done));
    scheduler.post([call, tool = info_.name, arguments = std::move(arguments)]() mutable {
      call->begin(std::move(tool), std::move(arguments));
    });
  }

 private:
  const std::shared_ptr<McpServer> server_;
  const McpToolInfo info_;
  core::Scheduler& home_;
  model::ToolSpec spec_;
};

}  // namespace

ToolPtr make_mcp_tool(std::shared_ptr<McpServer> server, McpToolInfo info, std::string name,
                      core::Scheduler& home) {
  return std::make_shared<McpTool>(std::move(server), std::move(info), std::move(name), home);
}

}  // namespace parley::tool
