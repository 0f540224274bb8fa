// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Many clients at once over real connections, on several shards with a thread each.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/json.hpp>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/core/entropy.h"
#include "base/core/temp_folder.h"
#include "base/net/loop/loop.h"
#include "base/net/loop/tcp.h"
#include "base/net/server/server.h"
#include "dialects/api/booking/routes.h"
#include "identity/auth/guest_verifier.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/net/http_test_world.h"

namespace parley::booking_rest {
namespace {

constexpr std::chrono::seconds kPatience{30};
constexpr std::size_t kShards = 3;
constexpr std::size_t kClients = 50;

// The server with its threads, and a loop for the clients.
class Contest {
 public:
  Contest() : guests_(tokens_, "shared") {
    tokens_.allow("shared", "g");
    booking::BookingOptions options;
    options.place = directory_.path();
    options.sample = {7, 1};
    service_ = std::move(*booking::BookingService::open(std::move(options), clock_, entropy_));
    context_ = std::make_unique<BookingContext>(BookingContext{*service_, guests_, "/booking"});
    net::Router router;
    install(router, *context_);
    net::ServerOptions server_options;
    server_options.log_requests = false;
    server_ = std::make_unique<net::Server>(network_, std::move(router), server_options, metrics_,
                                            entropy_);
    std::vector<core::Scheduler*> schedulers;
    for (std::size_t i = 0; i < kShards; ++i) {
      schedulers.push_back(loops_.emplace_back(std::make_unique<net::Loop>(clock_)).get());
    }
    endpoint_ = *server_->listen(schedulers, net::Endpoint{"127.0.0.1", 0});
    loops_.push_back(std::make_unique<net::Loop>(clock_));
    for (const auto& loop : loops_) {
      threads_.emplace_back([&loop = *loop] { loop.run(); });
    }
  }
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;
  ~Contest() {
    service_->close();
    std::atomic<bool> gone{false};
    loops_.back()->post([this, &gone] {
      peers_.clear();
      gone = true;
    });
    while (!gone) std::this_thread::yield();
    for (const auto& loop : loops_) loop->stop();
    for (std::thread& thread : threads_) thread.join();
    server_.reset();
  }

  // Sends one request on each of `count` connections at the same time, and returns the answers.
  std::vector<net::WireResponse> send(std::size_t count, const std::string& wire) {
    {
      const std::scoped_lock lock(mutex_);
      answers_.clear();
      waiting_ = count;
    }
    loops_.back()->post([this, count, wire] {
      for (std::size_t i = 0; i < count; ++i) connect(wire);
    });
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(
        all_came_.wait_for(lock, kPatience, [this] { return answers_.size() == waiting_; }));
    return std::move(answers_);
  }
  net::WireResponse get(const std::string& path) {
    auto answers = send(1, "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    return answers.empty() ? net::WireResponse() : std::move(answers.front());
  }
  static std::string post(const std::string& path, const std::string& body) {
    return "POST " + path +
           " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }

 private:
  // One client; reports when its answer is complete.
  class Peer final : public net::StreamHandler {
   public:
    Peer(Contest& contest, std::unique_ptr<net::Stream> stream)
        : contest_(contest), stream_(std::move(stream)) {
      stream_->set_handler(this);
    }
    void write(std::string_view bytes) { stream_->write(bytes); }
    void on_data(net::Stream& /*stream*/, char* data, std::size_t size) override {
      received_.append(data, size);
      std::string_view rest = received_;
      auto response = net::read_response(rest);
      if (response && response->complete) contest_.take(std::move(*response));
    }
    void on_closed(net::Stream& /*stream*/) override {}

   private:
    Contest& contest_;
    std::unique_ptr<net::Stream> stream_;
    std::string received_;
  };

  void connect(const std::string& wire) {
    network_.connect(*loops_.back(), endpoint_,
                     [this, wire](core::Result<std::unique_ptr<net::Stream>> stream) {
                       ASSERT_TRUE(stream.has_value());
                       peers_.push_back(std::make_unique<Peer>(*this, std::move(*stream)));
                       peers_.back()->write(wire);
                     });
  }
  void take(net::WireResponse response) {
    const std::scoped_lock lock(mutex_);
    answers_.push_back(std::move(response));
    all_came_.notify_one();
  }

  core::TempFolder directory_;
  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  net::Metrics metrics_;
  auth::FakeVerifier tokens_;
  auth::GuestVerifier guests_;
  std::unique_ptr<booking::BookingService> service_;
  std::unique_ptr<BookingContext> context_;
  net::SystemNetwork network_;
  std::vector<std::unique_ptr<net::Loop>> loops_;  // the last one belongs to the clients
  std::unique_ptr<net::Server> server_;
  net::Endpoint endpoint_;
  std::vector<std::unique_ptr<Peer>> peers_;  // used on the clients' loop
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable all_came_;
  std::vector<net::WireResponse> answers_;
  std::size_t waiting_ = 0;
};

std::string first_free_seat(Contest& contest) {
  const auto seats = boost::json::parse(contest.get("/v1/booking/seats/s1").body);
  for (const auto& seat : seats.at("seats").as_array()) {
    if (seat.at("status") == "available") return std::string(seat.at("id").as_string());
  }
  return {};
}

TEST(BookingContest, FiftyRequestsForSameSeat_SingleWinner) {
  Contest contest;
  const std::string seat = first_free_seat(contest);
  const std::string body = R"({"showingId":"s1","seats":[")" + seat +
                           R"("],"tickets":[{"ticketTypeId":"tt1","quantity":1}],)"
                           R"("customerName":"Guest","customerEmail":"guest@example.com"})";
  std::map<int, int> statuses;
  for (const auto& answer : contest.send(kClients, Contest::post("/v1/booking/bookings", body))) {
    ++statuses[answer.status];
    const auto json = boost::json::parse(answer.body);
    if (answer.status == 409) {
      EXPECT_EQ(json.at("occupiedSeats"), boost::json::array{seat}) << answer.body;
    }
  }
  EXPECT_EQ(statuses[201], 1);
  EXPECT_EQ(statuses[409], static_cast<int>(kClients) - 1);
  EXPECT_NE(first_free_seat(contest), seat);
}

TEST(BookingContest, ConcurrentCancels_FreeSeatsOnce) {
  Contest contest;
  const std::string seat = first_free_seat(contest);
  const std::string body = R"({"showingId":"s1","seats":[")" + seat +
                           R"("],"tickets":[{"ticketTypeId":"tt1","quantity":1}],)"
                           R"("customerName":"Guest","customerEmail":"guest@example.com"})";
  const auto created = contest.send(1, Contest::post("/booking/bookings", body));
  ASSERT_EQ(created.front().status, 201) << created.front().body;
  const auto booking = boost::json::parse(created.front().body).at("booking");
  const std::string id(booking.at("id").as_string());
  std::map<int, int> statuses;
  for (const auto& answer : contest.send(
           kClients, "DELETE /booking/bookings/" + id + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")) {
    ++statuses[answer.status];
  }
  EXPECT_EQ(statuses[200], 1);
  EXPECT_EQ(statuses[400], static_cast<int>(kClients) - 1);
  EXPECT_EQ(first_free_seat(contest), seat);
}

}  // namespace
}  // namespace parley::booking_rest
