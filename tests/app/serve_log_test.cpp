// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/core/temp_folder.h"
#include "program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t kQueueLines = 4'096;  // app::kLogQueueLines

// A server whose stderr is a pipe that is not read until drain_log().
class UnreadLog : public ::testing::Test {
 protected:
  UnreadLog() {
    EXPECT_EQ(::mkfifo(fifo_.c_str(), 0600), 0);
    fd_ = ::open(fifo_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    EXPECT_GE(fd_, 0);
    auto start = Server::serve_command(
        dir_, {"--listen", "127.0.0.1:0", "--data", dir_.file("data"), "--token", "test-token"});
    start.command.insert(start.command.begin(), {"/bin/sh", "-c", "exec \"$@\" 2>\"$0\"", fifo_});
    server_ = std::make_unique<Server>(std::move(start));
  }
  ~UnreadLog() override { ::close(fd_); }
  UnreadLog(const UnreadLog&) = delete;
  UnreadLog& operator=(const UnreadLog&) = delete;

  // Sends `count` requests on one connection, some at a time; returns the number of answers.
  std::size_t request(std::size_t count) const {
    constexpr std::size_t kAtOnce = 100;
    const std::string answer = "HTTP/1.1 200";
    const Wire wire(*server_);
    std::string requests;
    for (std::size_t i = 0; i < kAtOnce; ++i) {
      requests += "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
    }
    std::size_t answered = 0;
    for (std::size_t sent = 0; sent < count && answered == sent; sent += kAtOnce) {
      wire.send(requests);
      std::string text;
      while (answered < sent + kAtOnce && read_some(wire.fd(), text)) {
        answered = sent;
        for (auto at = text.find(answer); at != std::string::npos; at = text.find(answer, at + 1)) {
          ++answered;
        }
      }
    }
    return answered;
  }

  // The log, up to a line with `text`.
  std::string drain_log(const std::string& text) const {
    std::string log;
    while (log.find(text) == std::string::npos && read_some(fd_, log)) {
    }
    return log;
  }

  static bool read_some(int fd, std::string& out) {
    pollfd wait{fd, POLLIN, 0};
    std::array<char, 65'536> piece{};
    if (::poll(&wait, 1, static_cast<int>(kPatience)) <= 0) return false;
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got > 0) out.append(piece.data(), static_cast<std::size_t>(got));
    return got > 0;
  }

  core::TempFolder dir_;
  std::string fifo_ = dir_.file("log");
  int fd_ = -1;
  std::unique_ptr<Server> server_;
};

TEST_F(UnreadLog, UnreadLog_StopsNoRequest_CountsDropped) {
  // More lines than pipe and queue hold together.
  constexpr std::size_t kRequests = kQueueLines + 2'000;
  EXPECT_GE(request(kRequests), kRequests);
  EXPECT_THAT(server_->call("GET", "/metrics", "").body,
              Not(HasSubstr("parley_log_lines_dropped 0\n")));
  EXPECT_THAT(
      drain_log("lines of this log were dropped"),
      HasSubstr("lines of this log were dropped since the start, because stderr was not read"));
}

TEST_F(UnreadLog, UnreadLog_DoesNotDelayEnd) {
  EXPECT_GE(request(2'000), 2'000U);
  server_->signal(SIGTERM);
  EXPECT_EQ(server_->wait(), 0);
}

}  // namespace
}  // namespace parley::tests
