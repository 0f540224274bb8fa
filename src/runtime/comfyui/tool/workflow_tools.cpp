// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/tool/workflow_tools.h"

#include <boost/json/serialize.hpp>
#include <memory>
#include <mutex>
#include <utility>

#include "runtime/comfyui/workflow/diff.h"
#include "runtime/comfyui/workflow/workflow.h"
#include "runtime/tool/arguments.h"

namespace parley::comfyui {
namespace {

using core::Result;
using tool::text_argument;
using tool::ToolResult;

using Arguments = boost::json::object;
using Work = Result<std::string> (*)(OpenWorkflow& workflow, const Arguments& arguments);

struct WorkflowForm {
  std::string_view name;
  std::string_view description;
  std::string_view parameters;
  bool edits = false;
  Work work = nullptr;
};

std::string json_argument(const Arguments& arguments, std::string_view name) {
  const boost::json::value* value = arguments.if_contains(name);
  return value == nullptr ? std::string() : boost::json::serialize(*value);
}

Result<std::string> get(OpenWorkflow& workflow, const Arguments& arguments) {
  if (text_argument(arguments, "form") == "json") return workflow.current->text();
  return workflow.current->outline(workflow.schemas);
}

Result<std::string> node_get(OpenWorkflow& workflow, const Arguments& arguments) {
  return workflow.current->node(text_argument(arguments, "node"), workflow.schemas);
}

Result<std::string> node_set(OpenWorkflow& workflow, const Arguments& arguments) {
  return workflow.current->set_input(text_argument(arguments, "node"),
                                     text_argument(arguments, "input"),
                                     json_argument(arguments, "value"), workflow.schemas);
}

Result<std::string> connect(OpenWorkflow& workflow, const Arguments& arguments) {
  return workflow.current->connect(
      text_argument(arguments, "from"), text_argument(arguments, "output"),
      text_argument(arguments, "to"), text_argument(arguments, "input"), workflow.schemas);
}

Result<std::string> node_add(OpenWorkflow& workflow, const Arguments& arguments) {
  Result<Workflow::Added> added = workflow.current->add_node(
      text_argument(arguments, "type"), text_argument(arguments, "title"),
      json_argument(arguments, "inputs"), workflow.schemas);
  if (!added) return core::fail(std::move(added.error()));
  return std::move(added->summary);
}

Result<std::string> node_remove(OpenWorkflow& workflow, const Arguments& arguments) {
  return workflow.current->remove_node(text_argument(arguments, "node"));
}

Result<std::string> differences(OpenWorkflow& workflow, const Arguments& /*arguments*/) {
  return diff(*workflow.before, *workflow.current, workflow.schemas).lines();
}

constexpr WorkflowForm kWorkflowForms[] = {
    {"workflow_get", "Shows the ComfyUI workflow that is open: one line a node, or the whole JSON.",
     R"({"type":"object","properties":{"form":{"type":"string","enum":["outline","json"],)"
     R"("description":"outline if absent"}},"additionalProperties":false})",
     false, get},
    {"workflow_node_get", "Shows one node of the workflow with all inputs and outputs.",
     R"({"type":"object","properties":{"node":{"type":"string","description":"its id"}},)"
     R"("required":["node"],"additionalProperties":false})",
     false, node_get},
    {"workflow_node_set", "Sets an input of a node of the workflow to a value.",
     R"({"type":"object","properties":{"node":{"type":"string","description":"its id"},)"
     R"("input":{"type":"string","description":"its name: steps, text, ckpt_name"},)"
     R"("value":{"description":"a number, a text, true or false"}},)"
     R"("required":["node","input","value"],"additionalProperties":false})",
     true, node_set},
    {"workflow_connect", "Connects an output of a node to an input of another; an old link goes.",
     R"({"type":"object","properties":{"from":{"type":"string","description":"id of the node"},)"
     R"("output":{"type":"string","description":"its name, or its number from 0"},)"
     R"("to":{"type":"string","description":"id of the node"},"input":{"type":"string"}},)"
     R"("required":["from","output","to","input"],"additionalProperties":false})",
     true, connect},
    {"workflow_node_add", "Adds a node to the workflow.",
     R"({"type":"object","properties":{"type":{"type":"string","description":"class of the node"},)"
     R"("title":{"type":"string"},"inputs":{"type":"object","description":"values by input"}},)"
     R"("required":["type"],"additionalProperties":false})",
     true, node_add},
    {"workflow_node_remove", "Removes a node of the workflow with its links.",
     R"({"type":"object","properties":{"node":{"type":"string","description":"its id"}},)"
     R"("required":["node"],"additionalProperties":false})",
     true, node_remove},
    {"workflow_diff", "Lists what was changed in the workflow since the message came.",
     R"({"type":"object","properties":{},"additionalProperties":false})", false, differences},
};

// One call. Used on the scheduler of its context, except for the work.
struct Call {
  const WorkflowForm form;
  const OpenWorkflowPtr workflow;
  const ServerLinkPtr link;
  tool::WorkerPool& workers;
  const ShowWorkflow show;
  tool::ToolContext context;
  Arguments arguments;
  tool::Tool::Done done;
  std::string unchecked = {};  // the reason why the server's classes are unknown
  std::string changed = {};    // the text to be shown
};
using CallPtr = std::shared_ptr<Call>;

// The edit is kept even if showing it fails; the result reports both.
void show_change(const CallPtr& call, ToolResult edited) {
  call->show(std::move(call->changed), call->context,
             [call, edited = std::move(edited)](const ToolResult& shown) mutable {
               edited.content +=
                   shown.is_error
                       ? "\nThe change could not be shown to the person: " + shown.content
                       : "\nWorkflow updated.";
               call->done(std::move(edited));
             });
}

void work(const CallPtr& call) {
  auto blocking = [call](const tool::StopFlag& /*stop*/) {
    OpenWorkflow& workflow = *call->workflow;
    const std::scoped_lock lock(workflow.mutex);
    if (Result<void> open = workflow.open(); !open) return ToolResult::error(open.error().message);
    Result<std::string> out = call->form.work(workflow, call->arguments);
    if (!out) return ToolResult::error(std::move(out.error().message));
    if (call->form.edits && !call->unchecked.empty()) {
      *out += "\nNot checked against the ComfyUI server: " + call->unchecked;
    }
    if (call->form.edits && call->show) call->changed = workflow.current->text();
    return ToolResult::ok(std::move(*out));
  };
  tool::run_blocking(call->workers, call->context, std::move(blocking), [call](ToolResult result) {
    if (result.is_error || call->changed.empty()) {
      return call->done(std::move(result));
    }
    show_change(call, std::move(result));
  });
}

// Fetches the node classes first, if there is a server. The call continues without them.
void look_up_classes(const CallPtr& call) {
  if (!call->link) return work(call);
  if (const auto failure = call->link->recent_failure(*call->context.scheduler)) {
    call->unchecked = failure->message;
    return work(call);
  }
  SchemaRequest request;
  if (call->form.work == node_add) {
    request.more.emplace_back(text_argument(call->arguments, "type"));
  }
  fetch_schemas(call->workflow, std::move(request), call->link, call->workers, call->context,
                [call](const Result<void>& fetched) {
                  if (!fetched) call->unchecked = fetched.error().message;
                  work(call);
                });
}

void begin(const CallPtr& call) {
  with_text(call->workflow, call->context, [call](const Result<void>& ready) {
    if (!ready) return call->done(ToolResult::error(ready.error().message));
    look_up_classes(call);
  });
}

class WorkflowTool final : public tool::Tool {
 public:
  WorkflowTool(const WorkflowForm& form, OpenWorkflowPtr workflow, ServerLinkPtr link,
               tool::WorkerPool& workers, ShowWorkflow show)
      : spec_{std::string(form.name), std::string(form.description), std::string(form.parameters)},
        form_(form),
        workflow_(std::move(workflow)),
        link_(std::move(link)),
        workers_(workers),
        show_(std::move(show)) {}

  const model::ToolSpec& spec() const override { return spec_; }
  std::string source() const override { return "comfyui"; }

  void run(tool::ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    const CallPtr call(new Call{form_, workflow_, link_, workers_, show_, std::move(context),
                                std::move(arguments), std::move(done)});
    scheduler.post([call] { begin(call); });
  }

 private:
  const model::ToolSpec spec_;
  const WorkflowForm form_;
  const OpenWorkflowPtr workflow_;
  const ServerLinkPtr link_;
  tool::WorkerPool& workers_;
  const ShowWorkflow show_;
};

}  // namespace

std::vector<tool::ToolPtr> workflow_tools(const OpenWorkflowPtr& workflow,
                                          const ServerLinkPtr& link, tool::WorkerPool& workers,
                                          const ShowWorkflow& show) {
  std::vector<tool::ToolPtr> out;
  for (const WorkflowForm& form : kWorkflowForms) {
    out.push_back(std::make_shared<WorkflowTool>(form, workflow, link, workers, show));
  }
  return out;
}

}  // namespace parley::comfyui
