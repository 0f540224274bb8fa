// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/http_client/fetcher.h"

namespace parley::http_client {

// A fetcher whose exchanges the test answers by hand, on its own thread. Callbacks go through the
// exchange's scheduler, as with CurlFetcher.
class FakeFetcher final : public Fetcher {
 public:
  struct Exchange : std::enable_shared_from_this<Exchange> {
    FetchRequest request;
    bool ended = false;  // `done` ran
    bool cancelled = false;

    void head(int status, std::vector<std::pair<std::string, std::string>> headers = {}) {
      post([this, status, headers = std::move(headers)] {
        FetchHead head;
        head.status = status;
        head.url = request.url;
        head.headers = headers;
        if (events.on_head) events.on_head(head);
      });
    }
    void body(std::string bytes) {
      post([this, bytes = std::move(bytes)] {
        if (events.on_body) events.on_body(bytes);
      });
    }
    void end(FetchEnd::Kind kind = FetchEnd::Kind::complete, std::string failure = {}) {
      post([this, kind, failure = std::move(failure)]() mutable {
        finish({kind, std::move(failure)});
      });
    }

   private:
    friend class FakeFetcher;
    void post(core::Task task) {
      scheduler->post([self = shared_from_this(), task = std::move(task)]() mutable {
        if (!self->ended) task();
      });
    }
    void finish(FetchEnd how) {
      ended = true;
      registration.reset();
      const FetchEvents gone = std::exchange(events, {});
      Done last = std::move(done);
      last(std::move(how));
    }

    FetchEvents events;
    core::Scheduler* scheduler = nullptr;
    Done done;
    core::CancelToken::Registration registration;
  };

  // A whole answer for a later exchange. Each piece is delivered by a task of its own.
  struct Answer {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::vector<std::string> pieces = {};
    FetchEnd::Kind end = FetchEnd::Kind::complete;
    std::string failure = {};
  };
  // Answers the exchanges that begin from now on, in this order; further ones wait for the test.
  void will_answer(Answer answer) { answers_.push_back(std::move(answer)); }

  void fetch(FetchRequest request, FetchEvents events, core::Scheduler& scheduler,
             const core::CancelToken& cancel, Done done) override {
    auto exchange = std::make_shared<Exchange>();
    exchange->request = std::move(request);
    exchange->events = std::move(events);
    exchange->scheduler = &scheduler;
    exchange->done = std::move(done);
    exchanges.push_back(exchange);
    exchange->registration = cancel.on_cancel([weak = std::weak_ptr(exchange)] {
      const auto self = weak.lock();
      if (!self) return;
      self->cancelled = true;
      self->end(FetchEnd::Kind::cancelled, "The exchange was cancelled.");
    });
    if (answers_.empty() || exchange->cancelled) return;
    const Answer answer = std::move(answers_.front());
    answers_.pop_front();
    if (answer.status != 0) exchange->head(answer.status, answer.headers);
    for (const std::string& piece : answer.pieces) exchange->body(piece);
    exchange->end(answer.end, answer.failure);
  }

  // All exchanges, in the order in which they began.
  std::vector<std::shared_ptr<Exchange>> exchanges;

 private:
  std::deque<Answer> answers_;
};

}  // namespace parley::http_client
