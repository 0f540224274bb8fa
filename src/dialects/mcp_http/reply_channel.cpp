// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/mcp_http/reply_channel.h"

#include <utility>

#include "base/core/ask.h"
#include "dialects/mcp_http/http_envelope.h"

namespace parley::mcp_http {

ReplyChannel::ReplyChannel(net::Responder responder, std::string session)
    : scheduler_(responder.scheduler()),
      responder_(std::move(responder)),
      session_(std::move(session)) {}

ReplyChannelPtr ReplyChannel::make(net::Responder responder, std::string session) {
  return {new ReplyChannel(std::move(responder), std::move(session)), [](ReplyChannel* channel) {
            std::unique_ptr<ReplyChannel> owned(channel);
            core::Scheduler& scheduler = channel->scheduler_;
            if (!scheduler.in_thread()) scheduler.post([last = std::move(owned)] {});
          }};
}

ReplyChannel::~ReplyChannel() { scheduler_.cancel(timer_); }

void ReplyChannel::wait() {
  responder_->on_disconnect(core::unless_gone(weak_from_this(), [](ReplyChannel& self) {
    if (!self.responder_) return;
    self.responder_.reset();
    self.scheduler_.cancel(std::exchange(self.timer_, 0));
    if (self.gone_) std::exchange(self.gone_, nullptr)();
  }));
  const auto answer_later = [](ReplyChannel& self) {
    self.timer_ = 0;
    self.start_stream();
  };
  timer_ = scheduler_.after(kPatience, core::unless_gone(weak_from_this(), answer_later));
}

net::Response ReplyChannel::head(int status, std::string_view type) const {
  net::Response response;
  if (type == "text/event-stream") response = net::sse_head();
  response.status = status;
  if (!type.empty()) response.headers.set("Content-Type", std::string(type));
  response.headers.set("Cache-Control", "no-store");
  if (!session_.empty()) response.headers.set(std::string(kSessionField), session_);
  return response;
}

void ReplyChannel::start_stream() {
  if (!responder_) return;
  scheduler_.cancel(std::exchange(timer_, 0));
  net::Responder responder = std::move(*responder_);
  responder_.reset();
  stream_.emplace(responder.start(head(200, "text/event-stream")), scheduler_);
  stream_->body().on_disconnect(core::unless_gone(weak_from_this(), [](ReplyChannel& self) {
    if (self.gone_) std::exchange(self.gone_, nullptr)();
  }));
  if (priming_.empty()) {
    stream_->send_comment("ok");
  } else {
    stream_->send({priming_, {}, {}});
  }
}

void ReplyChannel::send(std::string_view id, std::string_view message) {
  start_stream();
  if (stream_) stream_->send({id, {}, message});
}

void ReplyChannel::finish(int status, std::string_view id, std::string message) {
  gone_ = nullptr;
  scheduler_.cancel(std::exchange(timer_, 0));
  if (responder_) {
    net::Response response = head(status, "application/json");
    if (status == 405) response.headers.set("Allow", "POST");
    response.body = std::move(message);
    net::Responder responder = std::move(*responder_);
    responder_.reset();
    return responder.send(std::move(response));
  }
  if (!stream_) return;
  stream_->send({id, {}, message});
  stream_->end();
  stream_.reset();
}

void ReplyChannel::end(int status) {
  gone_ = nullptr;
  scheduler_.cancel(std::exchange(timer_, 0));
  if (responder_) {
    net::Responder responder = std::move(*responder_);
    responder_.reset();
    return responder.send(head(status, {}));
  }
  if (!stream_) return;
  stream_->end();
  stream_.reset();
}

void ReplyChannel::suspend(core::Millis retry) {
  start_stream();
  if (stream_) stream_->send_retry(retry);
  end(200);
}

void ReplyChannel::on_disconnect(core::Task task) { gone_ = std::move(task); }

}  // namespace parley::mcp_http
