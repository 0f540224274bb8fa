// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/progress.h"

#include <algorithm>
#include <utility>

#include "core/ascii.h"
#include "demo_model/expression.h"
#include "demo_model/tool_choice.h"
#include "runtime/model/context.h"

namespace parley::demo_model {
namespace {

using model::Message;
using model::Role;

// A message with calls, and what they gave.
struct Exchange {
  std::string tool;
  std::vector<std::string> results;
  bool failed = false;
};

std::vector<Exchange> exchanges_after(const std::vector<Message>& messages,
                                      const Message* request) {
  std::vector<Exchange> out;
  for (const Message& message : messages) {
    if (request != nullptr && &message <= request) continue;
    if (!message.tool_calls.empty()) out.push_back({message.tool_calls.front().name, {}, false});
    if (message.role != Role::tool || out.empty()) continue;
    out.back().results.push_back(message.content);
    out.back().failed = out.back().failed || message.is_error;
  }
  return out;
}

bool is_talk(Intent intent) {
  return intent == Intent::say || intent == Intent::greet || intent == Intent::capabilities;
}

}  // namespace

const Message* last_request(const std::vector<Message>& messages) {
  const auto found = std::find_if(messages.rbegin(), messages.rend(), [](const Message& message) {
    return message.role == Role::user && !core::trimmed(model::request_in(message)).empty();
  });
  return found == messages.rend() ? nullptr : &*found;
}

Progress walk(std::string_view request, const model::ModelRequest& conversation,
              std::optional<std::string> given) {
  Progress out;
  out.request = read_request(request);
  const std::vector<Step>& steps = out.request.steps;
  const auto made = exchanges_after(conversation.messages, last_request(conversation.messages));
  auto at = made.begin();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Outcome outcome{Outcome::Kind::done, steps[i], {}, {}, {}};
    const model::ToolSpec* tool = tool_for(steps[i], conversation.tools);
    if (tool == nullptr) {
      const bool is_told = steps[i].intent == Intent::tell && !out.outcomes.empty();
      outcome.kind = is_talk(steps[i].intent) ? Outcome::Kind::talk : Outcome::Kind::impossible;
      if (!is_told) out.outcomes.push_back(std::move(outcome));
      continue;
    }
    outcome.tool = tool->name;
    ToolPlan plan = plan_calls(steps[i], *tool, given);
    if (plan.calls.empty()) {
      outcome.kind = Outcome::Kind::missing;
      outcome.missing = std::move(plan.missing);
      out.outcomes.push_back(std::move(outcome));
      continue;
    }
    at = std::find_if(at, made.end(),
                      [tool](const Exchange& one) { return one.tool == tool->name; });
    if (at == made.end()) {
      out.next = std::move(plan.calls);
      out.next_step = i;
      return out;
    }
    if (at->failed) outcome.kind = Outcome::Kind::failed;
    if (!at->results.empty()) given = plain_result(at->results.back());
    outcome.results = at->results;
    const bool failed = (at++)->failed;
    out.outcomes.push_back(std::move(outcome));
    if (failed) {
      out.left_out = steps.size() - i - 1;
      return out;
    }
  }
  return out;
}

std::string plain_result(std::string_view result) {
  static const Expression kHeading(R"(^Tool [^\n]* (?:result|error):(?:\n|$))");
  static const Expression kNumbered(R"((?: *\d+\t[^\n]*(?:\n|$)|\n)+(?:\([^\n]*\n?)?)");
  static const Expression kNumber(R"((?m)^ *\d+\t)");
  if (const auto heading = kHeading.find(result)) result.remove_prefix(heading->end);
  return !result.empty() && kNumbered.is(result) ? kNumber.removed_from(result)
                                                 : std::string(result);
}

}  // namespace parley::demo_model
