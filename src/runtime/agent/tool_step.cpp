// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/tool_step.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/sha256.h"
#include "base/core/utf8.h"
#include "base/core/utf8_repair.h"
#include "runtime/agent/model_turn.h"
#include "runtime/tool/file/tool_output.h"
#include "runtime/tool/schema_check.h"

namespace parley::agent {
namespace {

using tool::ToolResult;

std::string tool_names(const tool::Toolbox& tools) {
  std::string names;
  for (const tool::ToolPtr& tool : tools.all()) {
    if (!names.empty()) names += ", ";
    names += tool->spec().name;
  }
  return names.empty() ? "There are no tools." : "There are: " + names + ".";
}

ToolResult unknown_tool(const std::string& name, const tool::Toolbox& tools) {
  return ToolResult::error("There is no tool '" + name + "'. " + tool_names(tools));
}

ToolResult unfit_arguments(const std::string& name, const core::Error& error) {
  std::string text = "The call of '" + name + "' was not made: " + error.message;
  if (!error.field.empty()) text += " (at '" + error.field + "')";
  return ToolResult::error(text + " Please correct the arguments and try again.");
}

ToolResult refused(const std::string& reason) {
  return ToolResult::error("User rejected." + (reason.empty() ? "" : " " + reason));
}

ToolResult changed_arguments(const std::string& name) {
  return ToolResult::error("The call of '" + name +
                           "' was not made: its arguments changed since a person allowed it. Make "
                           "the call again.");
}

ToolResult too_many(std::size_t limit) {
  return ToolResult::error(
      "The call was not made: at most " + std::to_string(limit) +
      " calls of one reply are executed. Make it again in the next reply if it is still needed.");
}

ToolResult was_in_flight() {
  return ToolResult::error(
      "The run was interrupted while this call was under way. It was not made again: it may have "
      "happened in full, in part, or not at all. Look at what is there before you repeat it.");
}

ToolResult missing_tool(const std::string& name) {
  return ToolResult::error(
      "The tool '" + name +
      "' belonged to the client that began this run. It is not available since the run was "
      "interrupted; it is available again after the next message from that client. Go on without "
      "it, or say that it is missing.");
}

// State of one call.
struct Slot {
  tool::ToolPtr tool;
  boost::json::object arguments;
  std::optional<ToolResult> instead;         // result of a call that is not made
  std::optional<tool::FittedOutput> output;  // result of a call that was made
  bool decided = false;                      // the approver has decided
  std::string allowed_sha256;                // of the arguments that a person allowed
  bool begun = false;
  std::size_t gated = 0;  // number of nested calls (batch)
};

// The calls of one entry of an act node, as run_tools() describes.
class ToolStep : public std::enable_shared_from_this<ToolStep> {
 public:
  ToolStep(graph::NodeContext& context, ReactState& state, std::shared_ptr<const AgentParts> parts,
           Progressed progressed, graph::NodeDone done)
      : context_(context),
        state_(state),
        parts_(std::move(parts)),
        progressed_(std::move(progressed)),
        done_(std::move(done)),
        slots_(state_.tool_calls.size()) {}

  void start() {
    for (std::size_t i = state_.tool_results.size(); i < slots_.size(); ++i) {
      if (finished_ || context_.cancel().cancelled()) break;
      slots_[i].instead = check(i);
      if (!slots_[i].instead) approve(i);
    }
    started_ = true;
    next();
  }

 private:
  const model::ToolCall& call(std::size_t index) const { return state_.tool_calls[index]; }

  // Continues with the first call that has no result.
  void next() {
    while (!finished_) {
      if (context_.cancel().cancelled()) {
        finish(core::fail(core::Code::cancelled, context_.cancel().reason()));
        return;
      }
      const std::size_t index = state_.tool_results.size();
      if (index >= slots_.size()) {
        finish(graph::Next::edges());
        return;
      }
      Slot& slot = slots_[index];
      if (slot.instead) {
        answer(*std::exchange(slot.instead, std::nullopt));
      } else if (slot.output) {
        keep(*std::exchange(slot.output, std::nullopt));
      } else {
        begin_from(index);
        return;
      }
    }
  }

  // Begins the first call that has no result, once it is decided, and the client calls that
  // directly follow it.
  void begin_from(std::size_t first) {
    for (std::size_t i = first; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.instead || slot.output) continue;
      if (!slot.decided) return;
      const bool in_client = slot.tool->source() == kClientSource;
      if (i != first && !in_client) return;
      if (!std::exchange(slot.begun, true)) begin(i);
      if (!in_client) return;
    }
  }

  // Returns the result of a call that must not be made; otherwise sets its tool and arguments.
  std::optional<ToolResult> check(std::size_t index) {
    const model::ToolCall& created = call(index);
    Slot& slot = slots_[index];
    if (index >= parts_->limits.max_tool_calls) return too_many(parts_->limits.max_tool_calls);
    if (std::ranges::find(parts_->in_flight_calls, created.id) != parts_->in_flight_calls.end()) {
      return was_in_flight();
    }
    slot.tool = parts_->tools.find(created.name);
    if (!slot.tool) return no_tool(created.name);
    auto arguments = tool::read_arguments(slot.tool->spec().parameters, created.arguments);
    if (!arguments) return unfit_arguments(created.name, arguments.error());
    slot.arguments = std::move(*arguments);
    return std::nullopt;
  }

  ToolResult no_tool(const std::string& name) const {
    return parts_->missing_tools.contains(name) ? missing_tool(name)
                                                : unknown_tool(name, parts_->tools);
  }

  void approve(std::size_t index) {
    const Slot& slot = slots_[index];
    decide(*slot.tool, call(index), slot.arguments,
           [self = shared_from_this(), index](std::optional<ToolResult> instead,
                                              std::string allowed_sha256) {
             if (self->finished_) return;
             self->slots_[index].allowed_sha256 = std::move(allowed_sha256);
             self->slots_[index].decided = true;
             self->slots_[index].instead = std::move(instead);
             if (self->started_) self->next();
           });
  }

  // Asks the approver; `done` gets std::nullopt, or the result of a refused call, and the hash of
  // the arguments that a person allowed. An error of the approver ends the step.
  void decide(const tool::Tool& tool, const model::ToolCall& call,
              const boost::json::object& arguments,
              absl::AnyInvocable<void(std::optional<ToolResult>, std::string)> done) {
    if (parts_->approver == nullptr) {
      done(std::nullopt, {});
      return;
    }
    const auto self = shared_from_this();
    parts_->approver->decide(
        tool, call, arguments, context_.cancel(),
        [self, call](std::string explanation) { self->ask_for(call, std::move(explanation)); },
        [self, done = std::move(done)](core::Result<Approver::Verdict> verdict) mutable {
          if (!verdict) {
            self->finish(core::fail(std::move(verdict).error()));
          } else if (verdict->allowed) {
            done(std::nullopt, std::move(verdict->arguments_sha256));
          } else {
            done(refused(verdict->reason), {});
          }
        });
  }

  void ask_for(const model::ToolCall& call, std::string explanation) {
    if (finished_) return;
    context_.emit(runtime::ToolApproval{call.id, call.name, arguments_json(call.arguments),
                                        std::move(explanation)});
  }

  void begin(std::size_t index) {
    context_.emit(runtime::ToolStart{call(index).id, call(index).name});
    context_.when_durable([self = shared_from_this(), index](core::Result<void> durable) {
      if (self->finished_) return;
      if (!durable) {
        self->finish(core::fail(std::move(durable).error()));
        return;
      }
      self->run(index);
    });
  }

  void run(std::size_t index) {
    if (context_.cancel().cancelled()) {
      next();
      return;
    }
    if (!is_as_allowed(index)) {
      slots_[index].output.reset();
      slots_[index].instead = changed_arguments(call(index).name);
      return next();
    }
    const tool::ToolPtr tool = slots_[index].tool;
    const auto self = shared_from_this();
    const auto context = std::make_shared<tool::ToolContext>(tool_context(index));
    tool->run(*context, std::exchange(slots_[index].arguments, {}),
              [self, context, index](ToolResult result) {
                if (!self->goes_on()) return;
                if (result.usage) add_usage(self->state_.total_usage, *result.usage);
                const std::string& name = self->call(index).name;
                tool::fit_output(*context, name, std::move(result), tool::inline_limit_of(name),
                                 [self, context, index](tool::FittedOutput fitted) {
                                   if (!self->goes_on()) return;
                                   self->slots_[index].output = std::move(fitted);
                                   self->next();
                                 });
              });
  }

  // True if the tool would run with the arguments that a person allowed, or nobody was asked.
  bool is_as_allowed(std::size_t index) const {
    const Slot& slot = slots_[index];
    if (slot.allowed_sha256.empty()) return true;
    if (core::sha256_hex(call(index).arguments) != slot.allowed_sha256) return false;
    const auto arguments =
        tool::read_arguments(slot.tool->spec().parameters, call(index).arguments);
    return arguments && *arguments == slot.arguments;
  }

  // True if the step continues; ends it after a cancellation.
  bool goes_on() {
    if (!finished_ && context_.cancel().cancelled()) next();
    return !finished_;
  }

  tool::ToolContext tool_context(std::size_t index) {
    tool::ToolContext context = parts_->context;
    const auto self = shared_from_this();
    const model::ToolCall created = call(index);
    context.call_id = created.id;
    context.scheduler = &context_.scheduler();
    context.cancel = context_.cancel();
    context.output = [self, created](std::string_view content) {
      if (self->finished_ || content.empty()) return;
      self->context_.emit(
          runtime::ToolOutput{created.id, created.name, core::repaired_utf8(content)});
    };
    context.emit = [self](runtime::RunEvent event) {
      if (!self->finished_) self->context_.emit(std::move(event));
    };
    context.gate = [self, index](const std::string& name, const boost::json::object& arguments,
                                 auto done) {
      self->gate(index, name, arguments, std::move(done));
    };
    return context;
  }

  // Decides about a nested call.
  void gate(std::size_t outer, const std::string& name, const boost::json::object& arguments,
            absl::AnyInvocable<void(std::optional<ToolResult>)> done) {
    const tool::ToolPtr tool = parts_->tools.find(name);
    if (!tool) {
      done(no_tool(name));
      return;
    }
    const auto fit = tool::fit_arguments(tool->spec().parameters, arguments);
    if (!fit) {
      done(unfit_arguments(name, fit.error()));
      return;
    }
    const model::ToolCall inner{call(outer).id + "/" + std::to_string(++slots_[outer].gated), name,
                                boost::json::serialize(arguments)};
    decide(*tool, inner, *fit,
           [tool, done = std::move(done)](std::optional<ToolResult> instead,
                                          const std::string& /*allowed_sha256*/) mutable {
             done(std::move(instead));
           });
  }

  // Records a text of the agent itself as the result of the next call.
  void answer(ToolResult result) {
    tool::FittedOutput output;
    output.content = core::repaired_utf8(result.content);
    output.display = shortened(output.content, kMaxShownResult);
    output.is_error = result.is_error;
    keep(std::move(output));
  }

  // Records the result of the next call.
  void keep(tool::FittedOutput output) {
    const model::ToolCall created = call(state_.tool_results.size());
    const std::string_view heading = output.is_error ? " error:\n" : " result:\n";
    std::string message = "Tool " + created.name + std::string(heading);
    message += head_and_tail(output.content, kMaxObservation);
    if (output.raw) output.raw = head_and_tail(*output.raw, kMaxKeptResult);
    state_.messages.push_back(
        model::Message::tool(created.id, std::move(message), output.is_error));
    state_.tool_results.push_back({created.id, created.name, output.display, output.is_error,
                                   output.display != output.content});
    context_.emit(runtime::ToolEnd{created.id, created.name, std::move(output.display),
                                   output.is_error, std::move(output.raw)});
    if (state_.tool_results.size() > parts_->limits.max_tool_calls) return;
    if (progressed_) progressed_(state_);
    context_.checkpoint();
  }

  void finish(core::Result<graph::Next> next) {
    if (std::exchange(finished_, true)) return;
    auto done = std::move(done_);
    done(std::move(next));
  }

  graph::NodeContext& context_;
  ReactState& state_;
  std::shared_ptr<const AgentParts> parts_;
  Progressed progressed_;
  graph::NodeDone done_;
  std::vector<Slot> slots_;  // one for each call
  bool started_ = false;
  bool finished_ = false;
};

}  // namespace

void run_tools(graph::NodeContext& context, ReactState& state,
               std::shared_ptr<const AgentParts> parts, Progressed progressed,
               graph::NodeDone done) {
  std::make_shared<ToolStep>(context, state, std::move(parts), std::move(progressed),
                             std::move(done))
      ->start();
}

std::string head_and_tail(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::string_view head = core::utf8_truncate(text, limit - limit / 4);
  std::size_t from = text.size() - limit / 4;
  while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0U) == 0x80U) ++from;
  std::string out(head);
  out += "\n[... " + std::to_string(from - head.size()) + " bytes left out ...]\n";
  out += text.substr(from);
  return out;
}

std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  return std::string(core::utf8_truncate(text, limit)) + "...";
}

}  // namespace parley::agent
