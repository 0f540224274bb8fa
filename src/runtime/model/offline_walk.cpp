// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_walk.h"

#include <algorithm>
#include <utility>

#include "runtime/model/context.h"

namespace parley::model::offline {
namespace {

// A message with calls, and what they gave.
struct Exchange {
  const Message* call = nullptr;
  std::vector<const Message*> results;
};

std::vector<Exchange> exchanges_after(const std::vector<Message>& messages,
                                      const Message* request) {
  std::vector<Exchange> out;
  for (const Message& message : messages) {
    if (request != nullptr && &message <= request) continue;
    if (message.role == Role::assistant && !message.tool_calls.empty())
      out.push_back({&message, {}});
    if (message.role == Role::tool && !out.empty()) out.back().results.push_back(&message);
  }
  return out;
}

bool has_failed(const Exchange& exchange) {
  return std::any_of(exchange.results.begin(), exchange.results.end(),
                     [](const Message* result) { return result->is_error; });
}

// Line numbers: "   12\ttext" in every line.
bool is_numbered(std::string_view text) {
  bool any = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    const std::size_t digits = line.find_first_not_of(' ');
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos || digits >= tab) return any && line.starts_with('(');
    if (line.substr(digits, tab - digits).find_first_not_of("0123456789") != std::string_view::npos)
      return false;
    any = true;
  }
  return any;
}

std::string without_numbers(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t tab = line.find('\t');
    out += tab == std::string_view::npos ? line : line.substr(tab + 1);
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

class Walker {
 public:
  Walker(Progress& progress, std::vector<Exchange> exchanges, const std::vector<ToolSpec>& tools,
         std::optional<std::string> given)
      : progress_(progress), exchanges_(std::move(exchanges)), tools_(tools) {
    before_.result = std::move(given);
  }

  void run() {
    const std::vector<Step>& steps = progress_.request.steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (take(i)) continue;
      if (!progress_.next) progress_.left_out = steps.size() - i - 1;
      return;
    }
  }

 private:
  // False: the walk ends here.
  bool take(std::size_t index) {
    const Step& step = progress_.request.steps[index];
    Outcome outcome;
    outcome.step = index;
    const ToolSpec* tool = tool_for(step, tools_);
    if (tool == nullptr) {
      const bool is_talk = step.intent == Intent::say || step.intent == Intent::greet ||
                           step.intent == Intent::capabilities;
      outcome.kind = is_talk ? Outcome::Kind::talk : Outcome::Kind::impossible;
      progress_.outcomes.push_back(std::move(outcome));
      return true;
    }
    outcome.tool = tool->name;
    ToolPlan plan = plan_calls(step, *tool, tools_, before_);
    if (plan.calls.empty()) {
      outcome.kind = Outcome::Kind::missing;
      outcome.missing = std::move(plan.missing);
      progress_.outcomes.push_back(std::move(outcome));
      return true;
    }
    const Exchange* made = find_made(tool->name);
    if (made == nullptr) {
      progress_.next = std::move(plan.calls);
      progress_.next_step = index;
      return false;
    }
    return finish(std::move(outcome), *made);
  }

  // The next exchange that called this tool.
  const Exchange* find_made(const std::string& tool) {
    while (at_ < exchanges_.size()) {
      const Exchange& exchange = exchanges_[at_++];
      if (exchange.call->tool_calls.front().name == tool) return &exchange;
    }
    return nullptr;
  }

  bool finish(Outcome outcome, const Exchange& made) {
    outcome.calls = made.call->tool_calls;
    for (const Message* result : made.results) outcome.results.push_back(result->content);
    const bool failed = has_failed(made);
    outcome.kind = failed ? Outcome::Kind::failed : Outcome::Kind::done;
    if (!outcome.results.empty()) before_.result = plain_result(outcome.results.back());
    progress_.outcomes.push_back(std::move(outcome));
    return !failed;
  }

  Progress& progress_;
  const std::vector<Exchange> exchanges_;
  const std::vector<ToolSpec>& tools_;
  Before before_;
  std::size_t at_ = 0;
};

}  // namespace

const Message* last_request(const std::vector<Message>& messages) {
  for (std::size_t i = messages.size(); i-- > 0;) {
    if (messages[i].role == Role::user && !trimmed(request_in(messages[i])).empty())
      return &messages[i];
  }
  return nullptr;
}

Progress walk(std::string_view request, const std::vector<Message>& messages,
              const std::vector<ToolSpec>& tools, std::optional<std::string> given) {
  Progress progress;
  progress.request = read_request(request);
  Walker(progress, exchanges_after(messages, last_request(messages)), tools, std::move(given))
      .run();
  return progress;
}

std::string plain_result(std::string_view result) {
  const std::size_t end = result.find('\n');
  const std::string_view first = result.substr(0, end);
  if (first.starts_with("Tool ") && (first.ends_with(" result:") || first.ends_with(" error:"))) {
    result = end == std::string_view::npos ? std::string_view() : result.substr(end + 1);
  }
  return is_numbered(result) ? without_numbers(result) : std::string(result);
}

}  // namespace parley::model::offline
