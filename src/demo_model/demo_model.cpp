// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/demo_model.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "demo_model/reply.h"
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

// A reply of any length comes in about this many pieces at most.
constexpr std::size_t kMaxPieces = 300;
constexpr std::size_t kChinesePiece = 9;  // bytes: three letters
constexpr std::size_t kArgumentPiece = 24;

// Each tells one piece of a reply.
using Pieces = std::vector<std::function<void()>>;

// Words with the blanks behind them; of Chinese, a few letters.
std::size_t piece_size(std::string_view text, std::size_t least) {
  std::size_t size = 0;
  for (bool ends = false; size < text.size() && (!ends || size < least);) {
    const char first = text[size++];
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xc0U) == 0x80) ++size;
    const bool is_wide = static_cast<unsigned char>(first) >= 0x80;
    ends = first == ' ' || first == '\n' || (is_wide && size >= kChinesePiece);
  }
  return size;
}

void add_text(Pieces& out, std::string_view text,
              const std::function<void(std::string_view)>& listener) {
  const std::size_t least = text.size() / kMaxPieces;
  while (!text.empty()) {
    const std::size_t size = piece_size(text, least);
    out.emplace_back([listener, piece = std::string(text.substr(0, size))] {
      if (listener) listener(piece);
    });
    text.remove_prefix(size);
  }
}

void add_call(Pieces& out, std::size_t index, const ToolCall& call, const ModelEvents& events) {
  const auto& listener = events.on_tool_call;
  out.emplace_back([listener, index, id = call.id, name = call.name] {
    if (listener) listener(index, id, name, "");
  });
  const std::size_t size = std::max(kArgumentPiece, call.arguments.size() / kMaxPieces);
  for (std::string_view rest = call.arguments; !rest.empty();) {
    std::string_view piece = core::utf8_truncate(rest, size);
    if (piece.empty()) piece = rest;
    out.emplace_back([listener, index, told = std::string(piece)] {
      if (listener) listener(index, "", "", told);
    });
    rest.remove_prefix(piece.size());
  }
}

std::uint64_t tokens_of(const ModelRequest& request) {
  return model::estimate_tokens(request.messages) + model::estimate_tokens(request.tools);
}

ModelReply make_reply(const ModelRequest& request) {
  Answer answer = answer_to(request);
  ModelReply reply;
  reply.message = Message::assistant(std::move(answer.text));
  reply.message.reasoning = std::move(answer.reasoning);
  reply.message.tool_calls = std::move(answer.calls);
  std::size_t number = 0;
  for (const Message& message : request.messages) number += message.tool_calls.size();
  for (ToolCall& call : reply.message.tool_calls) call.id = "call_" + std::to_string(++number);
  reply.finish_reason = reply.message.tool_calls.empty() ? "stop" : "tool_calls";
  const std::size_t limit = std::size_t{request.max_tokens.value_or(0)} * 4;
  if (limit > 0 && reply.message.content.size() > limit) {
    reply.message.content = core::utf8_truncate(reply.message.content, limit);
    reply.finish_reason = "length";
  }
  const std::uint64_t asked = tokens_of(request);
  const std::uint64_t said = model::estimate_tokens(reply.message);
  reply.usage = runtime::Usage{asked, said, asked + said};
  return reply;
}

// One reply on its way. Lives until its `done` was called, or the scheduler is gone.
class Reply : public std::enable_shared_from_this<Reply> {
 public:
  Reply(ModelEvents events, core::Millis delay, core::Scheduler& scheduler,
        core::CancelToken cancel, Model::Done done)
      : events_(std::move(events)),
        delay_(delay),
        scheduler_(scheduler),
        cancel_(std::move(cancel)),
        done_(std::move(done)) {}

  void begin(const ModelRequest& request) {
    if (cancel_.cancelled()) return cancelled();
    if (const std::uint64_t asked = tokens_of(request); asked > kContextTokens) {
      return finish(core::fail(core::Code::invalid_argument,
                               "The request has about " + std::to_string(asked) +
                                   " tokens; this model takes " + std::to_string(kContextTokens) +
                                   ".",
                               "messages"));
    }
    on_cancel_ = cancel_.on_cancel([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cancelled();
    });
    reply_ = make_reply(request);
    add_text(pieces_, reply_.message.reasoning, events_.on_reasoning);
    add_text(pieces_, reply_.message.content, events_.on_text);
    for (std::size_t i = 0; i < reply_.message.tool_calls.size(); ++i) {
      add_call(pieces_, i, reply_.message.tool_calls[i], events_);
    }
    wait();
  }

 private:
  void wait() {
    auto next = [self = shared_from_this()] {
      self->timer_ = 0;
      self->go_on();
    };
    if (delay_ > core::Millis(0)) {
      timer_ = scheduler_.after(delay_, std::move(next));
    } else {
      scheduler_.post(std::move(next));
    }
  }

  void go_on() {
    if (!done_) return;
    if (at_ == pieces_.size()) return finish(std::move(reply_));
    pieces_[at_++]();
    if (done_) wait();
  }

  void cancelled() {
    scheduler_.cancel(std::exchange(timer_, 0));
    finish(core::fail(core::Code::cancelled, cancel_.reason()));
  }

  void finish(core::Result<ModelReply> reply) {
    if (!done_) return;
    on_cancel_.reset();
    std::exchange(done_, nullptr)(std::move(reply));
  }

  const ModelEvents events_;
  const core::Millis delay_;
  core::Scheduler& scheduler_;
  const core::CancelToken cancel_;
  Model::Done done_;
  core::CancelToken::Registration on_cancel_;
  ModelReply reply_;
  Pieces pieces_;
  std::size_t at_ = 0;
  core::TimerId timer_ = 0;
};

class DemoModel final : public Model {
 public:
  explicit DemoModel(DemoOptions options) : options_(options) {}

  const std::string& id() const override { return id_; }
  std::uint64_t context_tokens() const override { return kContextTokens; }
  void ask(ModelRequest request, ModelEvents events, core::Scheduler& scheduler,
           const core::CancelToken& cancel, Done done) override {
    auto reply = std::make_shared<Reply>(std::move(events), options_.delay, scheduler, cancel,
                                         std::move(done));
    scheduler.post([reply, request = std::move(request)] { reply->begin(request); });
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
