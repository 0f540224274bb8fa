// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/demo_model/demo_model.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "base/core/utf8.h"
#include "runtime/demo_model/reply.h"
#include "runtime/model/context.h"
#include "runtime/model/providers.h"

namespace parley::demo_model {
namespace {

using model::Message;
using model::Model;
using model::ModelEvents;
using model::ModelReply;
using model::ModelRequest;
using model::ToolCall;

// Approximate limit of the pieces of a reply.
constexpr std::size_t kMaxPieces = 300;
constexpr std::size_t kMaxPiece = 32;  // in bytes, for text without a space

// Callbacks that each send one piece of a reply.
using Pieces = std::vector<std::function<void()>>;

// Splits into words with their trailing space, or into larger pieces if there are too many.
void add_text(Pieces& out, std::string_view text, std::function<void(std::string_view)> tell) {
  const std::size_t least = text.size() / kMaxPieces;
  while (!text.empty()) {
    const std::size_t blank = text.find_first_of(" \n", least);
    std::string_view piece = text.substr(0, blank == text.npos ? blank : blank + 1);
    piece = core::utf8_truncate(piece, least + kMaxPiece);
    out.emplace_back([tell, told = std::string(piece)] {
      if (tell) tell(told);
    });
    text.remove_prefix(piece.size());
  }
}

void add_call(Pieces& out, std::size_t index, const ToolCall& call, const ModelEvents& events) {
  const auto& tell = events.on_tool_call;
  if (!tell) return;
  out.emplace_back([tell, index, id = call.id, name = call.name] { tell(index, id, name, ""); });
  add_text(out, call.arguments,
           [tell, index](std::string_view piece) { tell(index, "", "", piece); });
}

ModelReply make_reply(const ModelRequest& request, std::uint64_t asked) {
  Answer answer = answer_to(request);
  ModelReply reply;
  reply.message = Message::assistant(std::move(answer.text));
  reply.message.reasoning = std::move(answer.reasoning);
  reply.message.tool_calls = std::move(answer.calls);
  std::size_t number = 0;
  for (const Message& message : request.messages) number += message.tool_calls.size();
  for (ToolCall& call : reply.message.tool_calls) call.id = "call_" + std::to_string(++number);
  reply.finish_reason = reply.message.tool_calls.empty() ? "stop" : "tool_calls";
  const std::uint64_t said = model::estimate_tokens(reply.message);
  reply.usage = runtime::Usage{asked, said, asked + said};
  return reply;
}

// One reply being sent. Lives until its `done` was called, or the scheduler is destroyed.
struct Reply {
  const ModelEvents events;
  const core::Millis delay;
  core::Scheduler& scheduler;
  const core::CancelToken cancel;
  Model::Done done;
  core::CancelToken::Registration on_cancel = {};
  ModelReply reply = {};
  Pieces pieces = {};
  std::size_t at = 0;
  core::TimerId timer = 0;
};

void finish(Reply& reply, core::Result<ModelReply> result) {
  if (!reply.done) return;
  reply.scheduler.cancel(std::exchange(reply.timer, 0));
  reply.on_cancel.reset();
  std::exchange(reply.done, nullptr)(std::move(result));
}

void resume(const std::shared_ptr<Reply>& reply) {
  reply->timer = reply->scheduler.after(reply->delay, [reply] {
    reply->timer = 0;
    if (reply->at == reply->pieces.size()) return finish(*reply, std::move(reply->reply));
    reply->pieces[reply->at++]();
    if (reply->done) resume(reply);
  });
}

void begin(const std::shared_ptr<Reply>& reply, const ModelRequest& request) {
  reply->on_cancel =
      reply->cancel.on_cancel(core::unless_gone(std::weak_ptr(reply), [](Reply& self) {
        finish(self, core::fail(core::Code::cancelled, self.cancel.reason()));
      }));
  if (!reply->done) return;
  const std::uint64_t asked =
      model::estimate_tokens(request.messages) + model::estimate_tokens(request.tools);
  if (asked > kContextTokens) {
    return finish(*reply, core::fail(core::Code::invalid_argument,
                                     "The request is larger than this model takes.", "messages"));
  }
  reply->reply = make_reply(request, asked);
  const Message& message = reply->reply.message;
  add_text(reply->pieces, message.reasoning, reply->events.on_reasoning);
  add_text(reply->pieces, message.content, reply->events.on_text);
  for (std::size_t i = 0; i < message.tool_calls.size(); ++i) {
    add_call(reply->pieces, i, message.tool_calls[i], reply->events);
  }
  resume(reply);
}

class DemoModel final : public Model {
 public:
  explicit DemoModel(DemoOptions options) : options_(options) {}

  const std::string& id() const override { return id_; }
  std::uint64_t context_tokens() const override { return kContextTokens; }
  void ask(ModelRequest request, ModelEvents events, core::Scheduler& scheduler,
           const core::CancelToken& cancel, Done done) override {
    auto reply = std::make_shared<Reply>(
        Reply{std::move(events), options_.delay, scheduler, cancel, std::move(done)});
    scheduler.post([reply, request = std::move(request)] { begin(reply, request); });
  }

 private:
  const DemoOptions options_;
  const std::string id_{model::kDemonstrationModel};
};

}  // namespace

std::shared_ptr<Model> make_demo_model(DemoOptions options) {
  return std::make_shared<DemoModel>(options);
}

}  // namespace parley::demo_model
