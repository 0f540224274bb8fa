// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/model/model.h"

namespace parley::agent::testing {

// Answer of a FakeModel to one request.
struct FakeReply {
  std::vector<std::string> chunks;  // of the text, each in its own turn of the loop
  std::string reasoning;
  std::vector<model::ToolCall> calls;
  std::optional<runtime::Usage> usage = runtime::Usage{10, 5, 15};
  std::string finish_reason = "stop";  // of a reply without calls
  std::optional<core::Error> error;
  // Error of a first attempt, which fails after its first chunk.
  std::optional<core::Error> retried;
  bool streams = true;  // false: only the whole reply
  bool holds = false;   // no answer until it is released or cancelled
  bool stalls = false;  // silent after its chunks, until it is cancelled

  static FakeReply text(std::string all) {
    FakeReply reply;
    reply.chunks.push_back(std::move(all));
    return reply;
  }
  static FakeReply call(std::string id, std::string name, std::string arguments) {
    FakeReply reply;
    reply.calls.push_back({std::move(id), std::move(name), std::move(arguments)});
    return reply;
  }
};

// A scripted model: `replies` in order, then the results of `script`.
class FakeModel final : public model::Model {
 public:
  std::deque<FakeReply> replies;
  std::function<FakeReply(const model::ModelRequest&)> script;
  std::vector<model::ModelRequest> requests;
  std::uint64_t limit = 128'000;
  bool learned = false;  // the limit
  model::MediaKinds takes = model::MediaKinds::all();
  std::size_t now = 0;   // requests in progress
  std::size_t most = 0;  // maximum of `now` so far

  const std::string& id() const override { return id_; }
  std::uint64_t context_tokens() const override { return limit; }
  bool limit_is_learned() const override { return learned; }
  model::MediaKinds media() const override { return takes; }

  void ask(model::ModelRequest request, model::ModelEvents events, core::Scheduler& scheduler,
           const core::CancelToken& cancel, Done done) override {
    requests.push_back(request);
    most = std::max(most, ++now);
    auto exchange = std::make_shared<Exchange>();
    exchange->reply = next(request);
    exchange->events = std::move(events);
    exchange->done = [this, done = std::move(done)](auto reply) mutable {
      --now;
      done(std::move(reply));
    };
    exchange->scheduler = &scheduler;
    exchange->on_cancel = cancel.on_cancel([weak = std::weak_ptr(exchange)] {
      if (auto self = weak.lock()) self->end(core::fail(core::Code::cancelled, "Cancelled."));
    });
    if (exchange->reply.stalls) stalling_.push_back(exchange);
    if (exchange->reply.holds) {
      held_.push_back(std::move(exchange));
      return;
    }
    scheduler.post([exchange] { exchange->begin(); });
  }

  // Starts the oldest held exchange.
  void release() {
    if (held_.empty()) return;
    auto exchange = std::move(held_.front());
    held_.pop_front();
    exchange->begin();
  }
  std::size_t held() const { return held_.size(); }
  // Drops the held and the stalled exchanges, after their callers are gone.
  void drop_held() {
    const auto gone = std::exchange(held_, {});
    for (const std::weak_ptr<Exchange>& each : std::exchange(stalling_, {})) {
      if (const auto exchange = each.lock()) exchange->stalled.reset();
    }
  }

 private:
  struct Exchange : std::enable_shared_from_this<Exchange> {
    FakeReply reply;
    model::ModelEvents events;
    Done done;
    core::Scheduler* scheduler = nullptr;
    core::CancelToken::Registration on_cancel;
    std::size_t sent = 0;
    bool ended = false;
    std::shared_ptr<Exchange> stalled;  // keeps this object alive until it is cancelled

    void end(core::Result<model::ModelReply> result) {
      if (std::exchange(ended, true)) return;
      scheduler->post([self = shared_from_this(), result = std::move(result)]() mutable {
        self->on_cancel.reset();
        self->stalled.reset();
        auto finished = std::move(self->done);
        self->events = {};
        finished(std::move(result));
      });
    }
    void begin() {
      if (ended) return;
      if (reply.retried) {
        if (!reply.chunks.empty()) text(reply.chunks.front());
        const core::Error why = *std::exchange(reply.retried, std::nullopt);
        if (events.on_retry) events.on_retry(why, core::Millis(100));
      }
      if (reply.streams && !reply.reasoning.empty() && events.on_reasoning) {
        events.on_reasoning(reply.reasoning);
      }
      step();
    }
    void step() {
      if (ended) return;
      if (reply.streams && sent < reply.chunks.size()) {
        text(reply.chunks[sent++]);
        scheduler->post([self = shared_from_this()] { self->step(); });
        return;
      }
      if (reply.stalls) {
        stalled = shared_from_this();
        return;
      }
      if (reply.streams) stream_calls();
      if (reply.error) {
        end(core::fail(*reply.error));
        return;
      }
      end(whole());
    }
    void text(const std::string& piece) const {
      if (events.on_text) events.on_text(piece);
    }
    void stream_calls() {
      if (!events.on_tool_call) return;
      for (std::size_t i = 0; i < reply.calls.size(); ++i) {
        const model::ToolCall& call = reply.calls[i];
        const std::size_t half = call.arguments.size() / 2;
        events.on_tool_call(i, call.id, call.name, call.arguments.substr(0, half));
        events.on_tool_call(i, {}, {}, call.arguments.substr(half));
      }
    }
    model::ModelReply whole() const {
      model::ModelReply out;
      out.message.role = model::Role::assistant;
      for (const std::string& chunk : reply.chunks) out.message.content += chunk;
      out.message.reasoning = reply.reasoning;
      out.message.tool_calls = reply.calls;
      out.finish_reason = reply.calls.empty() ? reply.finish_reason : "tool_calls";
      out.usage = reply.usage;
      return out;
    }
  };

  FakeReply next(const model::ModelRequest& request) {
    if (replies.empty()) return script ? script(request) : FakeReply::text("Nothing to say.");
    FakeReply reply = std::move(replies.front());
    replies.pop_front();
    return reply;
  }

  std::string id_ = "fake/model";
  std::deque<std::shared_ptr<Exchange>> held_;
  std::vector<std::weak_ptr<Exchange>> stalling_;
};

// The NAME of the line "[parley:task NAME]" in a request's last system message; "" without one.
inline std::string task_of(const model::ModelRequest& request) {
  constexpr std::string_view kMark = "[parley:task ";
  std::string name;
  for (const model::Message& message : request.messages) {
    if (message.role != model::Role::system) continue;
    const std::size_t at = message.content.rfind(kMark);
    if (at == std::string::npos) continue;
    const std::size_t from = at + kMark.size();
    name = message.content.substr(from, message.content.find(']', from) - from);
  }
  return name;
}

}  // namespace parley::agent::testing
