// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/net/http/http_gate.h"
#include "dialects/api/booking/routes.h"
#include "identity/auth/guest_verifier.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::booking_rest::testing {

struct Reply {
  int status = 0;
  std::string body;
  net::Headers headers;

  boost::json::value json() const { return boost::json::parse(body); }
  std::string error() const { return std::string(json().at("error").as_string()); }
};

// The booking backend without a port, with its store in `data_dir` and a fixed day. Callers without
// a token are guests unless `strict` is true; "secret" is a valid token.
class World {
 public:
  explicit World(const std::string& data_dir, bool strict = false, std::string prefix = "/booking",
                 std::size_t max_waiting = 1'024)
      : guests_(tokens_, strict ? "" : "shared") {
    tokens_.allow("shared", "g");
    tokens_.allow("secret", "id-secret");
    booking::BookingOptions options;
    options.place = data_dir;
    options.sample = {7, 14};
    options.max_waiting = max_waiting;
    options.today = [](core::WallTime) { return *booking::parse_day("2026-11-22"); };
    service_ = std::move(*booking::BookingService::open(std::move(options), clock_, entropy_));
    context_ =
        std::make_unique<BookingContext>(BookingContext{*service_, guests_, std::move(prefix)});
    install(router_, *context_);
  }

  Reply call(const std::string& method, const std::string& target, const std::string& body = {},
             const std::string& token = {}) {
    auto reply = std::make_shared<std::optional<Reply>>();
    net::Request request;
    request.method = method;
    request.target = target;
    const auto parsed = net::parse_target(target);
    request.path = parsed->path;
    request.query = parsed->query;
    request.body = body;
    request.peer = peer;
    request.headers.add("Host", "localhost");
    for (const auto& [name, value] : fields) request.headers.set(name, value);
    if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
    const net::Router::Match match = router_.match(method, request.path);
    if (match.handler == nullptr) return {405, {}, {}};
    request.path_params = match.params;
    (*match.handler)(std::move(request),
                     net::Responder(std::make_unique<Answer>(reply, scheduler_)));
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!*reply && std::chrono::steady_clock::now() < end) {
      if (scheduler_.run_ready() == 0) std::this_thread::yield();
    }
    EXPECT_TRUE(reply->has_value()) << method << " " << target << " was not answered";
    return reply->value_or(Reply());
  }

  net::Router& router() { return router_; }
  booking::BookingService& service() { return *service_; }

  // The peer and the header fields of each request.
  std::string peer = "127.0.0.1";
  std::vector<std::pair<std::string, std::string>> fields;

 private:
  class Answer final : public net::Responder::Impl {
   public:
    Answer(std::shared_ptr<std::optional<Reply>> reply, core::Scheduler& scheduler)
        : reply_(std::move(reply)), scheduler_(scheduler) {}
    void send(net::Response response) override {
      *reply_ = Reply{response.status, std::move(response.body), std::move(response.headers)};
    }
    std::shared_ptr<net::BodyWriter> start(net::Response) override { return nullptr; }
    void on_disconnect(core::Task) override {}
    core::Scheduler& scheduler() override { return scheduler_; }

   private:
    std::shared_ptr<std::optional<Reply>> reply_;
    core::Scheduler& scheduler_;
  };

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{7};
  auth::FakeVerifier tokens_;
  auth::GuestVerifier guests_;
  std::unique_ptr<booking::BookingService> service_;
  std::unique_ptr<BookingContext> context_;
  net::Router router_;
};

}  // namespace parley::booking_rest::testing
