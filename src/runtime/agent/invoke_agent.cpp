// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/invoke_agent.h"

#include <boost/json/array.hpp>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/core/ascii.h"
#include "base/core/ask.h"
#include "base/core/json_writer.h"
#include "base/core/scheduler.h"
#include "runtime/agent/json_reading.h"
#include "runtime/agent/sub_agent_run.h"

namespace parley::agent {

namespace {

// Limits the sub-agents of one run that work at the same time. A sub-agent that waits for its own
// sub-agents yields its slot meanwhile, so that nesting cannot deadlock. Used on one thread: the
// run's.
class SubAgentSlots : public std::enable_shared_from_this<SubAgentSlots> {
 public:
  explicit SubAgentSlots(std::size_t limit) : limit_(limit) {}

  // Slot of one sub-agent; destruction yields it.
  class Slot {
   public:
    explicit Slot(std::shared_ptr<SubAgentSlots> slots) : slots_(std::move(slots)) {}
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() { yield(); }
    // Waits for a free slot, then calls `resume`: at once if one is free or already held. First
    // come, first served. The caller keeps this object alive while it waits.
    void take(core::Task resume);
    void yield();
    bool held() const { return held_; }

   private:
    friend class SubAgentSlots;
    std::shared_ptr<SubAgentSlots> slots_;
    bool held_ = false;
  };

  std::size_t taken() const { return taken_; }
  // Reserves the id of a call for a sub-agent; false if another one has it.
  bool claim(const std::string& call_id) { return call_ids_.insert(call_id).second; }

 private:
  struct Waiting {
    Slot* slot;
    core::Task resume;
  };
  void serve();

  std::size_t limit_;
  std::size_t taken_ = 0;
  std::deque<Waiting> waiting_;
  std::set<std::string> call_ids_;
};

void SubAgentSlots::Slot::take(core::Task resume) {
  if (held_) {
    resume();
    return;
  }
  const std::shared_ptr<SubAgentSlots> slots = slots_;
  slots->waiting_.push_back({this, std::move(resume)});
  slots->serve();
}

void SubAgentSlots::Slot::yield() {
  if (!std::exchange(held_, false)) return;
  const std::shared_ptr<SubAgentSlots> slots = slots_;
  --slots->taken_;
  slots->serve();
}

void SubAgentSlots::serve() {
  while (taken_ < limit_ && !waiting_.empty()) {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (!std::exchange(next.slot->held_, true)) ++taken_;
    next.resume();
  }
}

namespace fs = std::filesystem;
using tool::ToolContext;
using tool::ToolResult;

constexpr const char* kDescription =
    "Lets other agents work on tasks, several at the same time, and gives back what they say. An "
    "agent is a kind (react, dup, tot, got, agot) or a profile; it sees nothing but its task, so "
    "the task must say all that matters.";
constexpr const char* kParameters =
    R"({"type":"object","properties":{"agents":{"type":"array","minItems":1,"items":{"type":"object",)"
    R"("properties":{"agent":{"type":"string","description":"kind or profile"},)"
    R"("task":{"type":"string"},"working_folder":{"type":"string",)"
    R"("description":"inside yours; absent: yours"}},"required":["agent","task"]}},)"
    R"("fail_fast":{"type":"boolean","description":"end the others when one fails"}},)"
    R"("required":["agents"]})";

struct Order {
  std::string agent;
  std::string task;
  std::string working_folder;
};

// Resolves a folder named in a call; it must be inside the caller's.
core::Result<std::string> folder_within(const std::string& base, const std::string& wanted) {
  if (wanted.empty()) return base;
  if (core::has_nul(wanted)) {
    return core::fail(core::Code::invalid_argument,
                      "The path of a folder must not have a NUL character.", "working_folder");
  }
  std::error_code error;
  const fs::path real = fs::canonical(fs::path(base) / wanted, error);
  if (error || !fs::is_directory(real, error)) {
    return core::fail(core::Code::not_found, "There is no folder '" + wanted + "'.",
                      "working_folder");
  }
  const fs::path relative = real.lexically_relative(base);
  if (relative.empty() || *relative.begin() == "..") {
    return core::fail(core::Code::permission_denied,
                      "The folder '" + wanted + "' is outside the working folder.",
                      "working_folder");
  }
  return real.string();
}

// A sub-agent that calls others.
struct Caller {
  std::weak_ptr<SubAgentSlots::Slot> slot;
  std::weak_ptr<const AgentParts> parts;
};

tool::ToolPtr make_nested(SubAgentFactory factory, std::size_t max_depth,
                          std::shared_ptr<SubAgentSlots> slots, Caller caller);

// One call of the tool.
class Call : public std::enable_shared_from_this<Call> {
 public:
  struct Setup {
    SubAgentFactory factory;
    std::size_t max_depth;
    std::shared_ptr<SubAgentSlots> slots;
    // Slot of the calling sub-agent; null if the caller is the run itself.
    std::shared_ptr<SubAgentSlots::Slot> own;
    std::shared_ptr<const AgentParts> caller;
    ToolContext context;
    std::vector<Order> orders;
    bool fail_fast;
    tool::Tool::Done done;
  };

  explicit Call(Setup setup)
      : setup_(std::move(setup)),
        group_(setup_.context.cancel),
        answers_(setup_.orders.size()),
        left_(setup_.orders.size()) {}

  void start() {
    if (setup_.own) setup_.own->yield();
    for (std::size_t i = 0; i < setup_.orders.size(); ++i) {
      auto slot = std::make_shared<SubAgentSlots::Slot>(setup_.slots);
      SubAgentSlots::Slot& place = *slot;
      place.take([self = shared_from_this(), i, slot = std::move(slot)] { self->begin(i, slot); });
    }
  }

 private:
  void begin(std::size_t index, const std::shared_ptr<SubAgentSlots::Slot>& slot) {
    const ToolContext& context = setup_.context;
    if (group_.token().cancelled()) {
      ended(index, ToolResult::error("Not begun: " + group_.token().reason()));
      return;
    }
    const Order& order = setup_.orders[index];
    auto folder = folder_within(context.working_folder, order.working_folder);
    if (!folder) {
      ended(index, ToolResult::error(folder.error().message));
      return;
    }
    const SubAgentRequest request{order.agent, *std::move(folder), context.depth + 1,
                                  setup_.caller};
    setup_.factory(
        request, *context.scheduler,
        [self = shared_from_this(), index, slot, request](core::Result<SubAgent> created) {
          if (created) {
            self->run(index, slot, request, *std::move(created));
          } else {
            self->ended(index, ToolResult::error(created.error().message));
          }
        });
  }

  void run(std::size_t index, const std::shared_ptr<SubAgentSlots::Slot>& slot,
           const SubAgentRequest& request, SubAgent agent) {
    AgentParts& parts = *agent.parts;
    parts.context.depth = request.depth;
    parts.context.working_folder = request.working_folder;
    parts.context.scheduler = setup_.context.scheduler;
    parts.claim_call_id = [slots = setup_.slots](const std::string& id) {
      return slots->claim(id);
    };
    if (parts.tools.find(kInvokeAgent)) {
      parts.tools.add(make_nested(setup_.factory,
                                  std::min(setup_.max_depth, parts.limits.max_depth), setup_.slots,
                                  Caller{slot, agent.parts}));
    }
    SubAgentPlace place{request.agent, setup_.context.call_id, request.depth, index,
                        setup_.context.emit};
    run_sub_agent(std::move(agent), setup_.orders[index].task, std::move(place), group_.token(),
                  [self = shared_from_this(), index, slot](ToolResult result) {
                    slot->yield();
                    self->ended(index, std::move(result));
                  });
  }

  void ended(std::size_t index, ToolResult result) {
    const bool failed = result.is_error;
    answers_[index] = std::move(result);
    if (failed && setup_.fail_fast) group_.cancel("another agent of the call failed.");
    if (--left_ > 0) return;
    // The calling sub-agent continues only once it has its slot again.
    const auto tell = [self = shared_from_this()] {
      self->setup_.context.scheduler->post([self] {
        auto done = std::move(self->setup_.done);
        done(self->together());
      });
    };
    if (setup_.own && !setup_.context.cancel.cancelled()) {
      setup_.own->take(tell);
    } else {
      tell();
    }
  }

  ToolResult together() const {
    if (answers_.size() == 1) return answers_.front();
    ToolResult all;
    std::size_t failed = 0;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      if (!all.content.empty()) all.content += "\n\n";
      all.content += "[" + std::to_string(i + 1) + "] " + setup_.orders[i].agent +
                     (answers_[i].is_error ? " failed: " : ": ") + answers_[i].content;
      if (answers_[i].is_error) ++failed;
      if (answers_[i].usage) add_usage(all.usage, *answers_[i].usage);
    }
    all.is_error = failed == answers_.size() || (setup_.fail_fast && failed > 0);
    return all;
  }

  Setup setup_;
  core::CancelSource group_;
  std::vector<ToolResult> answers_;
  std::size_t left_;
};

class InvokeAgent final : public tool::Tool {
 public:
  InvokeAgent(SubAgentFactory factory, std::size_t max_depth, std::shared_ptr<SubAgentSlots> slots,
              std::optional<Caller> caller)
      : spec_{std::string(kInvokeAgent), kDescription, kParameters},
        factory_(std::move(factory)),
        max_depth_(max_depth),
        slots_(std::move(slots)),
        caller_(std::move(caller)) {}

  const model::ToolSpec& spec() const override { return spec_; }

  void run(ToolContext context, boost::json::object arguments, Done done) override {
    const auto refuse = [&](std::string why) {
      core::reply(*context.scheduler, std::move(done), ToolResult::error(std::move(why)));
    };
    if (static_cast<std::size_t>(context.depth) >= max_depth_) {
      refuse("Agents may call agents at most " + std::to_string(max_depth_) +
             " levels deep. Do the work yourself.");
      return;
    }
    Call::Setup setup{factory_, max_depth_, slots_, {}, {}, std::move(context), {}, false, {}};
    if (caller_) {
      setup.own = caller_->slot.lock();
      setup.caller = caller_->parts.lock();
    }
    for (const boost::json::value& item : arguments.at("agents").as_array()) {
      const boost::json::object& order = item.as_object();
      setup.orders.push_back(
          {text_of(order, "agent"), text_of(order, "task"), text_of(order, "working_folder")});
    }
    context = setup.context;
    if (setup.orders.empty() || setup.orders.size() > kMaxSubAgentsOfCall) {
      refuse("Name 1 to " + std::to_string(kMaxSubAgentsOfCall) + " agents.");
      return;
    }
    if (const boost::json::value* fast = arguments.if_contains("fail_fast")) {
      setup.fail_fast = fast->is_bool() && fast->get_bool();
    }
    slots_->claim(setup.context.call_id);
    setup.done = std::move(done);
    std::make_shared<Call>(std::move(setup))->start();
  }

 private:
  model::ToolSpec spec_;
  SubAgentFactory factory_;
  std::size_t max_depth_;
  std::shared_ptr<SubAgentSlots> slots_;
  std::optional<Caller> caller_;
};

tool::ToolPtr make_nested(SubAgentFactory factory, std::size_t max_depth,
                          std::shared_ptr<SubAgentSlots> slots, Caller caller) {
  return std::make_shared<InvokeAgent>(std::move(factory), max_depth, std::move(slots),
                                       std::move(caller));
}

}  // namespace

tool::ToolPtr make_invoke_agent(SubAgentFactory factory, std::size_t max_depth) {
  return std::make_shared<InvokeAgent>(
      std::move(factory), max_depth, std::make_shared<SubAgentSlots>(kMaxSubAgents), std::nullopt);
}

}  // namespace parley::agent
