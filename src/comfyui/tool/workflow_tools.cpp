// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "comfyui/tool/workflow_tools.h"

#include <boost/json/serialize.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "comfyui/workflow/diff.h"
#include "comfyui/workflow/workflow.h"
#include "runtime/tool/arguments.h"

namespace parley::comfyui {
namespace {

using core::Result;
using tool::text_argument;
using tool::ToolResult;

// The workflow that the tools of a run share, on the threads of the workers.
struct Desk {
  explicit Desk(std::string given) : text(std::move(given)) {}

  // Reads the text once. Under the lock.
  Result<void> open() {
    if (current) return {};
    Result<Workflow> read = Workflow::parse(text);
    if (!read) return core::fail(read.error());
    before = *read;
    current = std::move(*read);
    std::string().swap(text);
    return {};
  }

  std::mutex mutex;
  std::string text;  // until it was read
  std::optional<Workflow> before;
  std::optional<Workflow> current;
  const NodeSchemas schemas;  // none yet: edits are not checked against the classes of nodes
};

using Arguments = boost::json::object;
using Work = Result<std::string> (*)(Desk& desk, const Arguments& arguments);

struct ToolForm {
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

Result<std::string> get(Desk& desk, const Arguments& arguments) {
  if (text_argument(arguments, "form") == "json") return desk.current->text();
  return desk.current->outline(desk.schemas);
}

Result<std::string> node_get(Desk& desk, const Arguments& arguments) {
  return desk.current->node(text_argument(arguments, "node"), desk.schemas);
}

Result<std::string> node_set(Desk& desk, const Arguments& arguments) {
  return desk.current->set_input(text_argument(arguments, "node"),
                                 text_argument(arguments, "input"),
                                 json_argument(arguments, "value"), desk.schemas);
}

Result<std::string> connect(Desk& desk, const Arguments& arguments) {
  return desk.current->connect(text_argument(arguments, "from"), text_argument(arguments, "output"),
                               text_argument(arguments, "to"), text_argument(arguments, "input"),
                               desk.schemas);
}

Result<std::string> node_add(Desk& desk, const Arguments& arguments) {
  Result<Workflow::Added> added =
      desk.current->add_node(text_argument(arguments, "type"), text_argument(arguments, "title"),
                             json_argument(arguments, "inputs"), desk.schemas);
  if (!added) return core::fail(std::move(added.error()));
  return std::move(added->summary);
}

Result<std::string> node_remove(Desk& desk, const Arguments& arguments) {
  return desk.current->remove_node(text_argument(arguments, "node"));
}

Result<std::string> differences(Desk& desk, const Arguments& /*arguments*/) {
  return diff(*desk.before, *desk.current, desk.schemas).lines();
}

constexpr ToolForm kForms[] = {
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

class WorkflowTool final : public tool::Tool {
 public:
  WorkflowTool(const ToolForm& form, std::shared_ptr<Desk> desk, tool::WorkerPool& workers,
               ShowWorkflow show)
      : spec_{std::string(form.name), std::string(form.description), std::string(form.parameters)},
        form_(form),
        desk_(std::move(desk)),
        workers_(workers),
        show_(std::move(show)) {}

  const model::ToolSpec& spec() const override { return spec_; }
  std::string source() const override { return "comfyui"; }

  void run(tool::ToolContext context, boost::json::object arguments, Done done) override {
    const auto changed = std::make_shared<std::string>();  // the text that is to be shown
    auto work = [desk = desk_, form = form_, changed, wanted = form_.edits && show_ != nullptr,
                 arguments = std::move(arguments)](const tool::StopFlag& /*stop*/) {
      const std::scoped_lock lock(desk->mutex);
      if (Result<void> open = desk->open(); !open) return ToolResult::error(open.error().message);
      Result<std::string> out = form.work(*desk, arguments);
      if (!out) return ToolResult::error(std::move(out.error().message));
      if (wanted) *changed = desk->current->text();
      return ToolResult::ok(std::move(*out));
    };
    tool::ToolContext again = context;
    tool::run_blocking(workers_, std::move(context), std::move(work),
                       [show = show_, changed, again = std::move(again),
                        done = std::move(done)](ToolResult result) mutable {
                         if (result.is_error || changed->empty()) return done(std::move(result));
                         show_change(show, std::move(*changed), std::move(again), std::move(result),
                                     std::move(done));
                       });
  }

 private:
  // The edit is made, whatever comes of showing it; the model learns both.
  static void show_change(const ShowWorkflow& show, std::string text, tool::ToolContext context,
                          ToolResult edited, Done done) {
    show(std::move(text), std::move(context),
         [edited = std::move(edited), done = std::move(done)](const ToolResult& shown) mutable {
           edited.content += shown.is_error
                                 ? "\nThe change could not be shown to the person: " + shown.content
                                 : "\nThe person's workflow was changed.";
           done(std::move(edited));
         });
  }

  const model::ToolSpec spec_;
  const ToolForm form_;
  const std::shared_ptr<Desk> desk_;
  tool::WorkerPool& workers_;
  const ShowWorkflow show_;
};

}  // namespace

std::vector<tool::ToolPtr> workflow_tools(std::string text, tool::WorkerPool& workers,
                                          ShowWorkflow show) {
  const auto desk = std::make_shared<Desk>(std::move(text));
  std::vector<tool::ToolPtr> out;
  for (const ToolForm& form : kForms) {
    out.push_back(std::make_shared<WorkflowTool>(form, desk, workers, show));
  }
  return out;
}

}  // namespace parley::comfyui
