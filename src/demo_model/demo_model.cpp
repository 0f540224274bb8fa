// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/demo_model.h"

#include <algorithm>
#include <cstddef>
#include <optional>
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

// One piece of a reply as it is streamed.
struct Piece {
  enum class Kind : std::uint8_t { reasoning, text, call };
  Kind kind = Kind::text;
  std::size_t index = 0;  // of a call
  std::string text;
};

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

void add_pieces(std::vector<Piece>& out, Piece::Kind kind, std::string_view text) {
  const std::size_t least = text.size() / kMaxPieces;
  while (!text.empty()) {
    const std::size_t size = piece_size(text, least);
    out.push_back({kind, 0, std::string(text.substr(0, size))});
    text.remove_prefix(size);
  }
}

void add_call_pieces(std::vector<Piece>& out, std::size_t index, std::string_view arguments) {
  const std::size_t size = std::max(kArgumentPiece, arguments.size() / kMaxPieces);
  out.push_back({Piece::Kind::call, index, {}});
  while (!arguments.empty()) {
    std::string_view piece = core::utf8_truncate(arguments, size);
    if (piece.empty()) piece = arguments;
    out.push_back({Piece::Kind::call, index, std::string(piece)});
    arguments.remove_prefix(piece.size());
  }
}

std::size_t calls_in(const std::vector<Message>& messages) {
  std::size_t count = 0;
  for (const Message& message : messages) count += message.tool_calls.size();
  return count;
}

ModelReply make_reply(const ModelRequest& request, Answer answer) {
  ModelReply reply;
  reply.message = Message::assistant(std::move(answer.text));
  reply.message.reasoning = std::move(answer.reasoning);
  reply.message.tool_calls = std::move(answer.calls);
  std::size_t number = calls_in(request.messages);
  for (ToolCall& call : reply.message.tool_calls) call.id = "call_" + std::to_string(++number);
  reply.finish_reason = reply.message.tool_calls.empty() ? "stop" : "tool_calls";
  const std::size_t limit = std::size_t{request.max_tokens.value_or(0)} * 4;
  if (limit > 0 && reply.message.tool_calls.empty() && reply.message.content.size() > limit) {
    reply.message.content = core::utf8_truncate(reply.message.content, limit);
    reply.finish_reason = "length";
  }
  const std::uint64_t asked =
      model::estimate_tokens(request.messages) + model::estimate_tokens(request.tools);
  const std::uint64_t said = model::estimate_tokens(reply.message);
  reply.usage = runtime::Usage{asked, said, asked + said};
  return reply;
}

// One reply on its way. Lives until its `done` was called, or the scheduler is gone.
class Reply : public std::enable_shared_from_this<Reply> {
 public:
  Reply(ModelRequest request, ModelEvents events, core::Millis delay, core::Scheduler& scheduler,
        core::CancelToken cancel, Model::Done done)
      : request_(std::move(request)),
        events_(std::move(events)),
        delay_(delay),
        scheduler_(scheduler),
        cancel_(std::move(cancel)),
        done_(std::move(done)) {}

  void start() {
    scheduler_.post([self = shared_from_this()] { self->begin(); });
  }

 private:
  void begin() {
    if (cancel_.cancelled()) return cancelled();
    const std::uint64_t asked =
        model::estimate_tokens(request_.messages) + model::estimate_tokens(request_.tools);
    if (asked > kContextTokens) {
      return finish(core::fail(core::Code::invalid_argument,
                               "The request has about " + std::to_string(asked) +
                                   " tokens; this model takes " + std::to_string(kContextTokens) +
                                   ".",
                               "messages"));
    }
    on_cancel_ = cancel_.on_cancel([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->cancelled();
    });
    reply_ = make_reply(request_, answer_to(request_));
    request_ = {};
    add_pieces(pieces_, Piece::Kind::reasoning, reply_.message.reasoning);
    add_pieces(pieces_, Piece::Kind::text, reply_.message.content);
    for (std::size_t i = 0; i < reply_.message.tool_calls.size(); ++i) {
      add_call_pieces(pieces_, i, reply_.message.tool_calls[i].arguments);
    }
    wait();
  }

  void wait() {
    auto next = [self = shared_from_this()] {
      self->timer_ = 0;
      self->go_on();
    };
    if (delay_ <= core::Millis(0)) {
      scheduler_.post(std::move(next));
    } else {
      timer_ = scheduler_.after(delay_, std::move(next));
    }
  }

  void go_on() {
    if (!done_) return;
    if (at_ == pieces_.size()) return finish(std::move(reply_));
    send(pieces_[at_++]);
    if (done_) wait();
  }

  void send(const Piece& piece) {
    switch (piece.kind) {
      case Piece::Kind::reasoning:
        if (events_.on_reasoning) events_.on_reasoning(piece.text);
        break;
      case Piece::Kind::text:
        if (events_.on_text) events_.on_text(piece.text);
        break;
      case Piece::Kind::call: {
        if (!events_.on_tool_call) break;
        const ToolCall& call = reply_.message.tool_calls[piece.index];
        const bool first = piece.text.empty();
        events_.on_tool_call(piece.index, first ? call.id : "", first ? call.name : "", piece.text);
        break;
      }
    }
  }

  void cancelled() {
    scheduler_.cancel(std::exchange(timer_, 0));
    finish(core::fail(core::Code::cancelled, cancel_.reason()));
  }

  void finish(core::Result<ModelReply> reply) {
    if (!done_) return;
    auto done = std::move(done_);
    done_ = nullptr;
    on_cancel_.reset();
    done(std::move(reply));
  }

  ModelRequest request_;
  ModelEvents events_;
  const core::Millis delay_;
  core::Scheduler& scheduler_;
  const core::CancelToken cancel_;
  Model::Done done_;
  core::CancelToken::Registration on_cancel_;
  ModelReply reply_;
  std::vector<Piece> pieces_;
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
    std::make_shared<Reply>(std::move(request), std::move(events), options_.delay, scheduler,
                            cancel, std::move(done))
        ->start();
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
