// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/tcp_stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/core/clock.h"
#include "base/net/loop/assembly_budget.h"
#include "base/net/loop/loop.h"

namespace parley::net {
namespace {

// Longer than any string can be: copying it throws before it is read.
constexpr std::string_view kTooLong("x", std::numeric_limits<std::size_t>::max() / 2 + 1);

class WriteQueueTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets_.data()), 0);
  }
  ~WriteQueueTest() override {
    for (const int fd : sockets_) ::close(fd);
  }

  // Takes what has arrived.
  std::string taken() {
    std::string all;
    std::array<char, 10'000> piece{};
    for (ssize_t got = 0; (got = ::read(sockets_[1], piece.data(), piece.size())) > 0;) {
      all.append(piece.data(), static_cast<std::size_t>(got));
    }
    return all;
  }
  // Sends the whole queue; returns what arrives.
  std::string sent() {
    std::string all = taken();
    while (queue_.bytes() > 0) {
      EXPECT_GT(queue_.send_some(sockets_[0]), 0);
      all += taken();
    }
    return all;
  }

  std::array<int, 2> sockets_{-1, -1};
  WriteQueue queue_{std::string()};
};

TEST_F(WriteQueueTest, AppendThatThrows_LeavesEmptyQueueAsItWas) {
  EXPECT_THROW(queue_.append(kTooLong), std::length_error);
  EXPECT_EQ(queue_.bytes(), 0U);
  queue_.append("next");
  EXPECT_EQ(sent(), "next");
}

TEST_F(WriteQueueTest, AppendThatThrows_KeepsEarlierBytes) {
  const auto shared = std::make_shared<const std::string>(5'000, 's');
  queue_.append("first");
  queue_.append_shared(shared);
  EXPECT_THROW(queue_.append(kTooLong), std::length_error);
  EXPECT_EQ(queue_.bytes(), 5'005U);
  queue_.append("next");
  EXPECT_THROW(queue_.append(kTooLong), std::length_error);
  EXPECT_EQ(queue_.bytes(), 5'009U);
  EXPECT_TRUE(sent() == "first" + *shared + "next");
}

// Peers that leave the last byte of a chunk untaken would otherwise hold much and count little.
TEST_F(WriteQueueTest, Memory_CountsUntilLastByteOfChunkIsSent) {
  constexpr std::size_t kLarge = 300'000;  // more than the socket takes at once
  queue_.append_own(std::string(kLarge, 'o'));
  EXPECT_GE(queue_.own_memory(), kLarge);
  ASSERT_GT(queue_.send_some(sockets_[0]), 0);
  EXPECT_LT(queue_.bytes(), kLarge);
  EXPECT_GE(queue_.own_memory(), kLarge);
  EXPECT_EQ(sent().size(), kLarge);
  EXPECT_LT(queue_.own_memory(), 1'000U);
}

TEST_F(WriteQueueTest, Memory_OfEachKind_IsToldApart) {
  const std::string program(7'000, 'p');
  queue_.append("own");
  queue_.append_shared(SharedBytes::of_program(program));
  const std::size_t own = queue_.own_memory();
  EXPECT_LT(own, 2'000U);
  EXPECT_EQ(queue_.shared_memory(), 0U);
  queue_.append_shared(std::make_shared<const std::string>(5'000, 's'));
  EXPECT_EQ(queue_.shared_memory(), 5'000U);
  EXPECT_LT(queue_.own_memory(), 2'000U);
  queue_.append_own(std::string(6'000, 'o'));
  EXPECT_GE(queue_.own_memory(), 6'000U);
  EXPECT_EQ(sent().size(), 18'003U);
  EXPECT_EQ(queue_.shared_memory(), 0U);
}

// Heads of answers go between large bodies, whose buffers must not double for them.
TEST_F(WriteQueueTest, SmallBytesBehindLargeOnes_CostLittle) {
  for (int i = 0; i < 20; ++i) {
    queue_.append(std::string(300, 'h'));
    queue_.append_own(std::string(8'000, 'b'));
  }
  EXPECT_LT(queue_.own_memory(), queue_.bytes() * 5 / 4);
  EXPECT_EQ(sent().size(), 20U * 8'300);
}

// Small ones are copied, hence the connection's own.
TEST_F(WriteQueueTest, SmallSharedBytes_AreOwn) {
  queue_.append_shared(std::make_shared<const std::string>("small"));
  queue_.append_shared(SharedBytes::of_program("bytes"));
  EXPECT_EQ(queue_.bytes(), 10U);
  EXPECT_EQ(queue_.shared_memory(), 0U);
  EXPECT_EQ(sent(), "smallbytes");
}

// A stream whose peer takes nothing. It counts to a budget in which unknown senders have room for
// kRoom bytes beyond what the socket takes.
class UntakenBytesTest : public testing::Test, private StreamHandler {
 protected:
  void SetUp() override {
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets_.data()), 0);
    const int small = 1;  // the kernel sets its least size
    ASSERT_EQ(::setsockopt(sockets_[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small)), 0);
    stream_ = std::make_unique<TcpStream>(loop_, sockets_[0], "192.0.2.1");
    stream_->set_handler(this);
  }
  ~UntakenBytesTest() override { ::close(sockets_[1]); }

  // Counts to `account`, writes in one turn of the loop, and runs that turn. Call once.
  template <typename Write>
  void write_as(std::string_view account, Write write) {
    stream_->count_to(*budget_, account);
    loop_.post([&] {
      write();
      loop_.stop();
    });
    loop_.run();
  }

  static constexpr std::size_t kRoom = 1U << 20U;
  static constexpr std::size_t kFits = kRoom - 10'000;
  static constexpr std::size_t kLittle = 2'000;  // a queue's own memory
  static constexpr std::size_t kMuch = 2 * kRoom;

  core::SystemClock clock_;
  Loop loop_{clock_};
  std::shared_ptr<AssemblyBudget> budget_ = std::make_shared<AssemblyBudget>(AssemblyBudget::Limits{
      .total = 4 * kRoom, .per_account = 3 * kRoom, .unknown = kRoom, .unknown_address = kRoom});
  std::array<int, 2> sockets_{-1, -1};
  std::unique_ptr<TcpStream> stream_;
  bool closed_ = false;

 private:
  void on_data(Stream& /*stream*/, char* /*data*/, std::size_t /*size*/) override {}
  void on_closed(Stream& /*stream*/) override { closed_ = true; }
};

TEST_F(UntakenBytesTest, WithinLimit_CountUntilConnectionIsGone) {
  write_as("", [&] { stream_->write_own(std::string(kFits, 'x')); });
  EXPECT_FALSE(closed_);
  EXPECT_GE(budget_->bytes(), kFits);
  stream_.reset();
  EXPECT_EQ(budget_->bytes(), 0U);
}

TEST_F(UntakenBytesTest, BeyondLimit_EndConnection) {
  write_as("", [&] { stream_->write_own(std::string(kMuch, 'x')); });
  EXPECT_TRUE(closed_);
  EXPECT_EQ(stream_->queued(), 0U);
  EXPECT_EQ(budget_->bytes(), 0U);
  EXPECT_EQ(budget_->ended(), 1U);
}

// Hundreds of connections may write in the same turn, before any of them sends.
TEST_F(UntakenBytesTest, ManyWritesOfOneTurn_CountAtOnce) {
  constexpr std::size_t kPiece = 10'000;
  std::size_t most = 0;
  write_as("", [&] {
    for (std::size_t written = 0; written < kMuch; written += kPiece) {
      stream_->write(std::string(kPiece, 'x'));
      most = std::max(most, stream_->queued());
      EXPECT_LE(stream_->queued(), budget_->bytes() + 2 * kPiece);
    }
    EXPECT_FALSE(closed_) << "not from inside a call into the stream";
  });
  EXPECT_GT(most, kRoom / 2);
  EXPECT_LT(most, kRoom);
  EXPECT_TRUE(closed_);
}

TEST_F(UntakenBytesTest, KnownSender_HasLimitOfAccount) {
  write_as("token", [&] { stream_->write_own(std::string(kMuch, 'x')); });
  EXPECT_FALSE(closed_);
  EXPECT_GE(budget_->bytes(), kMuch);
}

TEST_F(UntakenBytesTest, SharedBytes_OfUnknownSender_Count) {
  write_as("", [&] { stream_->write_shared(std::make_shared<const std::string>(kMuch, 'x')); });
  EXPECT_TRUE(closed_);
}

TEST_F(UntakenBytesTest, SharedBytes_OfKnownSender_DoNotCount) {
  write_as("token",
           [&] { stream_->write_shared(std::make_shared<const std::string>(kMuch, 'x')); });
  EXPECT_FALSE(closed_);
  EXPECT_GT(stream_->queued(), kRoom);
  EXPECT_LT(budget_->bytes(), kLittle);
}

TEST_F(UntakenBytesTest, BytesOfProgram_DoNotCount) {
  const std::string program(kMuch, 'x');
  write_as("", [&] { stream_->write_shared(SharedBytes::of_program(program)); });
  EXPECT_FALSE(closed_);
  EXPECT_GT(stream_->queued(), kRoom);
  EXPECT_LT(budget_->bytes(), kLittle);
  stream_.reset();
}

}  // namespace
}  // namespace parley::net
