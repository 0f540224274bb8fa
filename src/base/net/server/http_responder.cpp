// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/server/http_responder.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/net/server/http_body.h"
#include "base/net/server/http_connection.h"

namespace parley::net {
namespace {

class Answering final : public Responder::Impl {
 public:
  Answering(std::weak_ptr<HttpConnection> connection, std::uint64_t serial,
            core::Scheduler& scheduler)
      : connection_(std::move(connection)), serial_(serial), scheduler_(scheduler) {}

  void send(Response response) override {
    if (!scheduler_.in_thread()) {
      // Destroyed unused on another thread, by a failed task: the answer is 500.
      scheduler_.post(core::unless_gone(
          std::move(connection_),
          [serial = serial_, response = std::move(response)](HttpConnection& connection) mutable {
            connection.answer(serial, std::move(response));
          }));
      return;
    }
    if (const auto connection = connection_.lock()) {
      connection->answer(serial_, std::move(response));
    }
  }
  std::shared_ptr<BodyWriter> start(Response head) override {
    PARLEY_ASSERT(scheduler_.in_thread(), "HTTP answer: the body of request " +
                                              std::to_string(serial_) +
                                              " is begun by another thread");
    if (const auto connection = connection_.lock()) {
      return connection->start_body(serial_, std::move(head), scheduler_);
    }
    return std::make_shared<HttpBody>(nullptr, scheduler_, false);
  }
  void on_disconnect(core::Task task) override {
    if (const auto connection = connection_.lock()) {
      connection->set_on_disconnect(serial_, std::move(task));
    } else {
      scheduler_.post(std::move(task));
    }
  }
  core::Scheduler& scheduler() override { return scheduler_; }

 private:
  std::weak_ptr<HttpConnection> connection_;
  std::uint64_t serial_;
  core::Scheduler& scheduler_;
};

}  // namespace

Responder make_responder(std::weak_ptr<HttpConnection> connection, std::uint64_t serial,
                         core::Scheduler& scheduler) {
  return Responder(std::make_unique<Answering>(std::move(connection), serial, scheduler));
}

}  // namespace parley::net
