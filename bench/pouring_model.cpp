// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "pouring_model.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace parley::bench {
namespace {

constexpr std::string_view kPiece = "some more words ";
// Limit of the events that the watcher has not seen; the source waits at it. Less than the limit of
// a client's send queue.
constexpr std::uint64_t kWindow = 3'500;
constexpr core::Millis kLookAgain{1};

Pour read_pour(const std::string& message) {
  Pour pour;
  if (std::sscanf(message.c_str(), "pour %zu %zu %zu", &pour.replies, &pour.pieces,
                  &pour.per_turn) != 3) {
    pour = Pour();
  }
  return pour;
}

class PouringModel final : public model::Model {
 public:
  explicit PouringModel(StreamGate& gate) : gate_(gate) {}

  const std::string& id() const override { return id_; }
  std::uint64_t context_tokens() const override { return 1U << 30U; }

  void ask(model::ModelRequest request, model::ModelEvents events, core::Scheduler& scheduler,
           const core::CancelToken& /*cancel*/, Done done) override {
    const auto asked =
        std::find_if(request.messages.rbegin(), request.messages.rend(),
                     [](const auto& message) { return message.role == model::Role::user; });
    if (asked == request.messages.rend()) {
      return done(core::fail(core::Code::invalid_argument, "nobody asks"));
    }
    auto reply = std::make_shared<Reply>(gate_, scheduler);
    reply->pour = read_pour(asked->content);
    reply->number = static_cast<std::size_t>(
        std::count_if(request.messages.rbegin(), asked,
                      [](const auto& message) { return message.role == model::Role::assistant; }));
    reply->poured = reply->number * reply->pour.pieces;
    reply->events = std::move(events);
    reply->done = std::move(done);
    scheduler.post([reply] { reply->resume(); });
  }

 private:
  struct Reply : std::enable_shared_from_this<Reply> {
    Reply(StreamGate& the_gate, core::Scheduler& its_scheduler)
        : gate(the_gate), scheduler(its_scheduler) {}

    void resume() {
      const std::uint64_t seen = gate.seen();
      if (seen == 0 || poured > seen + kWindow) {
        scheduler.after(kLookAgain, [self = shared_from_this()] { self->resume(); });
        return;
      }
      const std::size_t count = std::min(pour.per_turn, pour.pieces - given);
      for (std::size_t i = 0; i < count; ++i) give();
      if (given == pour.pieces) return finish();
      scheduler.post([self = shared_from_this()] { self->resume(); });
    }
    void give() {
      if (given % 2 == 0) {
        events.on_text(kPiece);
        text += kPiece;
      } else {
        events.on_reasoning(kPiece);
        reasoning += kPiece;
      }
      ++given;
      ++poured;
    }
    void finish() {
      model::ModelReply reply;
      reply.message = model::Message::assistant(std::move(text));
      reply.message.reasoning = std::move(reasoning);
      reply.finish_reason = "stop";
      if (number + 1 < pour.replies) {
        reply.message.tool_calls.push_back({"call-" + std::to_string(number), "idle", "{}"});
        reply.finish_reason = "tool_calls";
      }
      reply.usage = runtime::Usage{10, pour.pieces, 10 + pour.pieces};
      auto told = std::move(done);
      events = {};
      told(std::move(reply));
    }

    StreamGate& gate;
    core::Scheduler& scheduler;
    Pour pour;
    std::size_t number = 0;
    std::size_t given = 0;
    std::uint64_t poured = 0;
    std::string text;
    std::string reasoning;
    model::ModelEvents events;
    Done done;
  };

  StreamGate& gate_;
  std::string id_ = "bench/pour";
};

class PouringModels final : public model::ModelRegistry {
 public:
  explicit PouringModels(StreamGate& gate) : model_(std::make_shared<PouringModel>(gate)) {}

  core::Result<std::shared_ptr<model::Model>> find(const std::string& /*id*/) override {
    return std::static_pointer_cast<model::Model>(model_);
  }
  std::string default_id() const override { return model_->id(); }
  void list(core::Scheduler& scheduler, absl::AnyInvocable<void(Listing)> done) override {
    scheduler.post([done = std::move(done)]() mutable { done({}); });
  }

 private:
  std::shared_ptr<PouringModel> model_;
};

class IdleTool final : public tool::Tool {
 public:
  const model::ToolSpec& spec() const override { return spec_; }
  void run(tool::ToolContext context, boost::json::object /*arguments*/, Done done) override {
    context.scheduler->post(
        [done = std::move(done)]() mutable { done(tool::ToolResult::ok("nothing")); });
  }

 private:
  model::ToolSpec spec_{"idle", "Does nothing.", R"({"type":"object","properties":{}})"};
};

class IdleTools final : public tool::ToolSource {
 public:
  IdleTools() { tools_.add(std::make_shared<IdleTool>()); }
  void toolbox(const std::string& /*working_folder*/, core::Scheduler& scheduler,
               Done done) override {
    scheduler.post([done = std::move(done), tools = tools_]() mutable { done(std::move(tools)); });
  }

 private:
  tool::Toolbox tools_;
};

}  // namespace

std::string Pour::message() const {
  return "pour " + std::to_string(replies) + " " + std::to_string(pieces) + " " +
         std::to_string(per_turn);
}

std::unique_ptr<model::ModelRegistry> make_pouring_models(StreamGate& gate) {
  return std::make_unique<PouringModels>(gate);
}

std::unique_ptr<tool::ToolSource> make_idle_tools() { return std::make_unique<IdleTools>(); }

}  // namespace parley::bench
