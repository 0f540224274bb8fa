// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/batch.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "runtime/tool/output_text.h"
#include "runtime/tool/schema_check.h"

namespace parley::tool {
namespace {

constexpr std::string_view kName = "batch";

constexpr std::string_view kBatchParameters = R"json({
  "type": "object",
  "properties": {
    "calls": {
      "type": "array",
      "minItems": 1,
      "maxItems": 25,
      "items": {
        "type": "object",
        "properties": {
          "tool": {"type": "string", "description": "Name of the tool."},
          "parameters": {"type": "object", "description": "Its arguments."}
        },
        "required": ["tool"]
      }
    }
  },
  "required": ["calls"]
})json";

struct Call {
  std::string tool;
  boost::json::object arguments;
  ToolResult fault;  // set if the call cannot be made
};

Call read_call(const boost::json::value& item) {
  Call call;
  const boost::json::object* object = item.if_object();
  const boost::json::value* name = object == nullptr ? nullptr : object->if_contains("tool");
  if (name == nullptr || !name->is_string()) {
    call.fault = ToolResult::error("tool: must be the name of a tool.");
    return call;
  }
  call.tool = std::string(name->get_string());
  const boost::json::value* given = object->if_contains("parameters");
  if (given != nullptr && given->is_object()) {
    call.arguments = given->get_object();
  } else if (given != nullptr && !given->is_null()) {
    call.fault = ToolResult::error("parameters: must be an object.");
  }
  return call;
}

// One batch. Lives on the context's scheduler.
class BatchRun : public std::enable_shared_from_this<BatchRun> {
 public:
  BatchRun(const Toolbox& tools, ToolContext context, Tool::Done done)
      : tools_(tools), context_(std::move(context)), done_(std::move(done)) {}

  void begin(const boost::json::object& arguments) {
    const boost::json::value* calls = arguments.if_contains("calls");
    const std::size_t count = calls != nullptr && calls->is_array() ? calls->get_array().size() : 0;
    if (count < 1 || count > kMaxBatchCalls) {
      return done_(ToolResult::error("calls: must be a list of 1 to 25 calls."));
    }
    for (const boost::json::value& item : calls->get_array()) calls_.push_back(read_call(item));
    results_.resize(count);
    left_ = count;
    for (std::size_t i = 0; i < count; ++i) start(i);
  }

 private:
  void start(std::size_t index) {
    Call& call = calls_[index];
    if (call.fault.is_error) return finish(index, std::move(call.fault));
    if (call.tool == kName) {
      return finish(index, ToolResult::error("A batch must not contain a batch."));
    }
    const ToolPtr tool = tools_.find(call.tool);
    if (!tool) return finish(index, ToolResult::error("There is no tool \"" + call.tool + "\"."));
    auto fitted = fit_arguments(tool->spec().parameters, std::move(call.arguments));
    if (!fitted) return finish(index, ToolResult::error(fitted.error().message));
    call.arguments = std::move(*fitted);
    if (!context_.gate) return run(index, tool);
    context_.gate(call.tool, call.arguments,
                  [self = shared_from_this(), index, tool](std::optional<ToolResult> refusal) {
                    if (refusal) return self->finish(index, std::move(*refusal));
                    self->run(index, tool);
                  });
  }

  void run(std::size_t index, const ToolPtr& tool) {
    if (context_.cancel.cancelled()) {
      return finish(index, ToolResult::error("The call was cancelled before it began."));
    }
    ToolContext context = context_;
    context.call_id += "/" + std::to_string(index + 1);
    tool->run(std::move(context), std::move(calls_[index].arguments),
              [self = shared_from_this(), index](ToolResult result) {
                self->finish(index, std::move(result));
              });
  }

  void finish(std::size_t index, ToolResult result) {
    results_[index] = std::move(result);
    if (--left_ > 0) return;
    std::string text;
    bool all_failed = true;
    std::optional<runtime::Usage> usage;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const ToolResult& one = results_[i];
      all_failed = all_failed && one.is_error;
      if (one.usage) add_usage(usage, *one.usage);
      if (!text.empty()) text += "\n\n";
      text += "[" + std::to_string(i + 1) + "] " + calls_[i].tool + ": ";
      if (one.is_error) text += "error: ";
      text += cut_text(one.content, kMaxBatchResult);
    }
    // The last call may end inside begin(), or inside a caller's function.
    core::reply(*context_.scheduler, std::move(done_),
                ToolResult{std::move(text), all_failed, usage});
  }

  const Toolbox tools_;
  const ToolContext context_;
  Tool::Done done_;
  std::vector<Call> calls_;
  std::vector<ToolResult> results_;
  std::size_t left_ = 0;
};

class Batch final : public Tool {
 public:
  explicit Batch(Toolbox tools) : tools_(std::move(tools)) {
    spec_.name = kName;
    spec_.description =
        "Makes 1 to 25 tool calls at the same time and gives all their results, each cut to 4000 "
        "bytes. For calls that do not depend on each other.";
    spec_.parameters = kBatchParameters;
  }

  const model::ToolSpec& spec() const override { return spec_; }
  void run(ToolContext context, boost::json::object arguments, Done done) override {
    core::Scheduler& scheduler = *context.scheduler;
    auto batch = std::make_shared<BatchRun>(tools_, std::move(context), std::move(done));
    scheduler.post([batch, arguments = std::move(arguments)] { batch->begin(arguments); });
  }

 private:
  Toolbox tools_;
  model::ToolSpec spec_;
};

}  // namespace

ToolPtr make_batch(Toolbox tools) { return std::make_shared<Batch>(std::move(tools)); }

}  // namespace parley::tool
