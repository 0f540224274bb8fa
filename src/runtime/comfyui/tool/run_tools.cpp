// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Validating a workflow, and running it to its end.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/core/duration_text.h"
#include "base/core/json_member.h"
#include "runtime/comfyui/json_access.h"
#include "runtime/comfyui/prompt_watch.h"
#include "runtime/comfyui/tool/answer_text.h"
#include "runtime/comfyui/tool/server_call.h"
#include "runtime/comfyui/tool/server_tools.h"
#include "runtime/comfyui/workflow/convert.h"
#include "runtime/comfyui/workflow/validate.h"
#include "runtime/tool/arguments.h"

namespace parley::comfyui {
namespace {

using core::Result;
using tool::ToolResult;

// A server that loads many node packages answers slowly at first.
// Limit (ComfyUI servers and their tools): wait for classes before a check or a run. Reached: an
// error.
constexpr core::Millis kClassPatience{60'000};
// Limit of the front end's form that is sent along, so that pictures contain it, in bytes.
constexpr std::size_t kMaxKeptWorkflowBytes = 1U << 20U;
// Pause before a withdrawal is retried: the server may accept the workflow after the first attempt.
constexpr core::Millis kWithdrawPause{500};
// Limit (ComfyUI servers and their tools): attempts to withdraw a workflow. Reached: the ComfyUI
// server keeps it.
constexpr int kWithdrawTries = 3;

// The workflow of the arguments, else the open one; null if there is neither.
OpenWorkflowPtr workflow_of(const ServerCall& call) {
  const boost::json::value* given = call.arguments.if_contains("workflow");
  if (given == nullptr || given->is_null()) return call.workflow;
  if (const auto* text = given->if_string()) {
    return std::make_shared<OpenWorkflow>(std::string(*text));
  }
  return std::make_shared<OpenWorkflow>(boost::json::serialize(*given));
}

// As with_classes(), for a workflow whose text is present.
void work_with_classes(const ServerCallPtr& call, const OpenWorkflowPtr& workflow, bool again,
                       std::function<ToolResult(OpenWorkflow& workflow)> work,
                       std::function<void(ToolResult result)> use) {
  SchemaRequest request;
  request.again = again;
  request.patience = kClassPatience;
  fetch_schemas(
      workflow, std::move(request), call->link, call->workers, call->context,
      [call, workflow, work = std::move(work), use = std::move(use)](const Result<void>& fetched) {
        if (!fetched) return call->fail(fetched.error());
        tool::run_blocking(
            call->workers, call->context,
            [workflow, work](const tool::StopFlag& /*stop*/) {
              const std::scoped_lock lock(workflow->mutex);
              if (Result<void> open = workflow->open(); !open) {
                return ToolResult::error(open.error().message);
              }
              return work(*workflow);
            },
            [call, use](ToolResult result) {
              if (result.is_error) return call->finish(std::move(result));
              use(std::move(result));
            });
      });
}

// Runs `work` on the workflow of the call, with the server's classes, on a worker; then calls
// `use`.
void with_classes(const ServerCallPtr& call, bool again,
                  std::function<ToolResult(OpenWorkflow& workflow)> work,
                  std::function<void(ToolResult result)> use) {
  const OpenWorkflowPtr workflow = workflow_of(*call);
  if (workflow == nullptr) {
    return call->finish(ToolResult::error("No workflow is open: give one as \"workflow\"."));
  }
  with_text(workflow, call->context,
            [call, workflow, again, work = std::move(work),
             use = std::move(use)](const Result<void>& ready) {
              if (!ready) return call->fail(ready.error());
              work_with_classes(call, workflow, again, work, use);
            });
}

boost::json::object parsed(std::string_view text) {
  boost::system::error_code problem;
  boost::json::value value = boost::json::parse(text, problem, {}, json_options());
  return problem || !value.is_object() ? boost::json::object() : std::move(value.get_object());
}

// The workflow in API form, ready to be queued.
Result<PromptRequest> request_of(const OpenWorkflow& workflow) {
  const Result<Workflow> api = to_api(*workflow.current, workflow.schemas);
  if (!api) return core::fail(api.error());
  PromptRequest request;
  request.prompt = parsed(api->text());
  if (request.prompt.empty()) {
    return core::fail(core::Code::invalid_argument, "The workflow has no node that can run.");
  }
  const std::string text = workflow.current->text();
  if (workflow.current->form() == Form::ui && text.size() <= kMaxKeptWorkflowBytes) {
    request.extra_data["extra_pnginfo"] = boost::json::object{{"workflow", parsed(text)}};
  }
  return request;
}

// --- one run -------------------------------------------------------------------------------------

// Withdraws an abandoned workflow, within kWithdrawPatience.
struct Withdrawal : std::enable_shared_from_this<Withdrawal> {
  Withdrawal(ServerLinkPtr on, core::Scheduler& home, std::string id)
      : link(std::move(on)), scheduler(home), prompt_id(std::move(id)) {}

  void begin() {
    timer = scheduler.after(kWithdrawPatience, [self = shared_from_this()] {
      self->timer = 0;
      self->source.cancel("The ComfyUI server did not remove the workflow in time.");
    });
    attempt();
  }
  void attempt() {
    link->client(scheduler).withdraw(
        prompt_id, source.token(), [self = shared_from_this()](const Result<void>& done) {
          const bool may_come = !done && done.error().code == core::Code::not_found;
          if (may_come && --self->tries > 0) {
            self->scheduler.after(kWithdrawPause, [self] { self->attempt(); });
            return;
          }
          self->scheduler.cancel(self->timer);
        });
  }

  const ServerLinkPtr link;
  core::Scheduler& scheduler;
  const std::string prompt_id;
  core::CancelSource source;
  core::TimerId timer = 0;
  int tries = kWithdrawTries;
};

void withdraw(const ServerCall& call, const std::string& prompt_id) {
  if (prompt_id.empty()) return;
  std::make_shared<Withdrawal>(call.link, call.scheduler(), prompt_id)->begin();
}

// Formats the progress of one run as lines, one per change; steps of a node kProgressPause apart.
class ProgressLines {
 public:
  ProgressLines(const ServerCall& call, const boost::json::object& prompt) : call_(call) {
    for (const auto& [id, value] : prompt) {
      const boost::json::object* node = value.if_object();
      if (node != nullptr) classes_[id] = core::string_member(*node, "class_type");
    }
  }

  void on_queued(const QueuedPrompt& queued) { say("queued " + one_line(queued.prompt_id)); }

  void on_event(const ProgressEvent& event) {
    using Kind = ProgressEvent::Kind;
    switch (event.kind) {
      case Kind::status:
        if (!started_ && event.queue_remaining && *event.queue_remaining > 1) {
          say("waiting, " + std::to_string(*event.queue_remaining) + " in the queue");
        }
        return;
      case Kind::execution_start:
        started_ = true;
        return say("started");
      case Kind::execution_cached:
        if (!event.cached.empty()) {
          say(std::to_string(event.cached.size()) + " nodes are cached");
        }
        return;
      case Kind::executing:
        executing_ = event.node_id;
        if (!event.node_id.empty()) say(name_of(event.node_id));
        return;
      case Kind::progress:
        // Servers of 2023 do not name the node.
        return step(event.node_id.empty() ? executing_ : event.node_id, event.value, event.max);
      case Kind::progress_state:
        for (const NodeProgress& node : event.nodes) {
          if (node.state == "running" && node.max > 1) step(node.node_id, node.value, node.max);
        }
        return;
      default:
        return;
    }
  }

 private:
  std::string name_of(const std::string& id) const {
    const auto found = classes_.find(id);
    return found == classes_.end() || found->second.empty() ? "node " + one_line(id)
                                                            : one_line(found->second);
  }

  void step(const std::string& id, double value, double max) {
    if (!(max > 0) || !(value >= 0) || value > max || max > 1e9) return;
    const core::MonoTime now = call_.scheduler().clock().mono();
    const bool soon = node_ == id && now - said_at_ < kProgressPause;
    if (soon && value < max) return;
    node_ = id;
    said_at_ = now;
    say(name_of(id) + " " + std::to_string(static_cast<std::int64_t>(value)) + "/" +
        std::to_string(static_cast<std::int64_t>(max)));
  }

  void say(std::string text) {
    if (!call_.context.output || text == last_ || lines_ >= kMaxProgressLines) return;
    ++lines_;
    last_ = std::move(text);
    call_.context.output("progress: " + last_ + "\n");
  }

  const ServerCall& call_;
  core::StringMap<std::string> classes_;
  bool started_ = false;
  std::string executing_;
  std::string node_;
  core::MonoTime said_at_;
  std::string last_;
  std::size_t lines_ = 0;
};

struct RunCall : std::enable_shared_from_this<RunCall> {
  RunCall(ServerCallPtr with, PromptRequest given, core::Millis deadline)
      : call(std::move(with)), lines(*call, given.prompt), request(std::move(given)) {
    options.deadline = deadline;
  }

  void begin() {
    watch = std::make_unique<PromptWatch>(call->client(), call->link->sockets(), options);
    WatchEvents events;
    // `this` is safe: the watch is a member and makes no call after its destruction.
    events.on_queued = [this](const QueuedPrompt& queued) { lines.on_queued(queued); };
    events.on_event = [this](const ProgressEvent& event) { lines.on_event(event); };
    watch->start(std::move(request), call->context.cancel, std::move(events),
                 [self = shared_from_this()](PromptOutcome outcome) {
                   self->on_end(outcome);
                   // Ends the cycle of references after this callback has returned.
                   self->call->scheduler().post([self] { self->watch.reset(); });
                 });
  }

  void on_end(const PromptOutcome& outcome) {
    using Kind = PromptOutcome::Kind;
    const auto error = [this](std::string text) {
      call->finish(ToolResult::error(std::move(text)));
    };
    switch (outcome.kind) {
      case Kind::success: {
        RunFacts facts{"success", outcome.prompt_id, outcome.outputs};
        if (!outcome.faults.empty()) facts.left_out = outcome.faults.text();
        return call->ok(run_json(facts, *call->link));
      }
      case Kind::refused:
        return error("The ComfyUI server refused the workflow. " + outcome.faults.text());
      case Kind::failed:
        return error(fault_text(outcome.fault.value_or(ExecutionFault{})));
      case Kind::interrupted:
        return error("The workflow was interrupted on the ComfyUI server.");
      case Kind::not_queued:
        return error("The workflow was not queued. " + outcome.error.message);
      case Kind::cancelled:
        withdraw(*call, outcome.prompt_id);
        return call->finish(tool::cancelled_result());
      case Kind::lost:
        break;
    }
    if (outcome.error.code != core::Code::deadline_exceeded) return error(outcome.error.message);
    withdraw(*call, outcome.prompt_id);
    error(outcome.error.message + " It is being removed from the server.");
  }

  const ServerCallPtr call;
  ProgressLines lines;
  PromptRequest request;
  WatchOptions options;
  std::unique_ptr<PromptWatch> watch;
};

}  // namespace

void validate_workflow(const ServerCallPtr& call) {
  with_classes(
      call, true,
      [](OpenWorkflow& workflow) {
        const auto findings = validate(*workflow.current, workflow.schemas);
        if (!findings) return ToolResult::error(findings.error().message);
        return ToolResult::ok(findings_text(*findings, workflow.current->node_count()));
      },
      [call](ToolResult result) { call->finish(std::move(result)); });
}

void run_workflow(const ServerCallPtr& call) {
  const core::Millis deadline(
      1'000 * std::clamp<std::int64_t>(
                  tool::integer_argument(call->arguments, "timeout_seconds", kDefaultRunSeconds), 1,
                  kMaxRunSeconds));
  const auto request = std::make_shared<PromptRequest>();
  with_classes(
      call, false,
      [request](OpenWorkflow& workflow) {
        Result<PromptRequest> created = request_of(workflow);
        if (!created) return ToolResult::error(created.error().message);
        *request = std::move(*created);
        return ToolResult::ok("");
      },
      [call, request, deadline](const ToolResult& /*made*/) {
        std::make_shared<RunCall>(call, std::move(*request), deadline)->begin();
      });
}

}  // namespace parley::comfyui
