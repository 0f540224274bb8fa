// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/mcp_stdio.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

#include "agents/mcp/signal_watch.h"

namespace parley::mcp {
namespace {

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(fds_.data()), 0); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_reader();
    close_writer();
  }
  int reader() const { return fds_[0]; }
  int writer() const { return fds_[1]; }
  void close_reader() { close(fds_[0]); }
  void close_writer() { close(fds_[1]); }
  void write(std::string_view text) {
    EXPECT_EQ(::write(writer(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string read_all() {
    std::string all;
    std::array<char, 4096> part{};
    for (ssize_t got = 1; got > 0;) {
      got = ::read(reader(), part.data(), part.size());
      if (got > 0) all.append(part.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  static void close(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
  std::array<int, 2> fds_{};
};

void serve(int in_fd, int out_fd, int stop_fd = -1) {
  StdioOptions options;
  options.in_fd = in_fd;
  options.out_fd = out_fd;
  options.stop_fd = stop_fd;
  options.version = "1";
  const core::SystemClock clock;
  core::SeededEntropy entropy(1);
  // Port 9 of this computer has no server.
  serve_stdio(options, clock, entropy, [] {
    return ServerAccess{"http://127.0.0.1:9", "t", "", "", ""};
  });
}

const std::string kAsk =
    R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_question",)"
    R"("arguments":{"project_directory":"/p","question":"q"}}})"
    "\n";

TEST(ServeStdio, InputBeforeClosedStdin_IsAnswered) {
  Pipe in;
  Pipe out;
  in.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nrubbish\n");
  in.write("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
  in.close_writer();
  serve(in.reader(), out.writer());
  out.close_writer();
  const std::string answers = out.read_all();
  EXPECT_NE(answers.find("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"), std::string::npos);
  EXPECT_NE(answers.find("-32700"), std::string::npos);
  EXPECT_NE(answers.find("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n"), std::string::npos);
}

TEST(ServeStdio, OpenQuestionWithoutServer_EndsInBoundedTime) {
  Pipe in;
  Pipe out;
  in.write(kAsk);
  in.close_writer();
  const auto began = std::chrono::steady_clock::now();
  serve(in.reader(), out.writer());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(60));
}

TEST(ServeStdio, StopSignal_EndsProcess) {
  Pipe in;
  Pipe out;
  Pipe stop;
  in.write(kAsk);
  stop.write("x");
  serve(in.reader(), out.writer(), stop.reader());
  SUCCEED();
}

TEST(ServeStdio, UnreadAnswers_EndProcess) {
  const SignalWatch ignore_broken_pipes;
  Pipe in;
  Pipe out;
  out.close_reader();
  in.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
  serve(in.reader(), out.writer());
  SUCCEED();
}

TEST(ServeStdio, ClosedStdoutSocket_EndsProcess) {
  Pipe in;
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  ::close(ends[0]);
  serve(in.reader(), ends[1]);
  ::close(ends[1]);
}

TEST(SignalWatch, UntakenSignal_DoesNotStrikeAfterwards) {
  {
    const SignalWatch watch;
    ::kill(::getpid(), SIGTERM);
  }
  SUCCEED();
}

TEST(SignalWatch, Signal_IsTold) {
  const SignalWatch watch;
  EXPECT_EQ(watch.take(), 0);
  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(watch.take(), SIGTERM);
  EXPECT_EQ(watch.take(), 0);
}

TEST(OutputQueue, SlowReader_IsNeverWaitedFor_LosesNothing) {
  Pipe pipe;
  OutputQueue queue(pipe.writer());
  const std::string much(1U << 20U, 'x');
  queue.push(much);
  EXPECT_TRUE(queue.flush());
  EXPECT_FALSE(queue.empty());
  std::size_t got = 0;
  std::array<char, 65536> part{};
  while (got < much.size()) {
    const ssize_t count = ::read(pipe.reader(), part.data(), part.size());
    ASSERT_GT(count, 0);
    got += static_cast<std::size_t>(count);
    EXPECT_TRUE(queue.flush());
  }
  EXPECT_TRUE(queue.empty());
}

TEST(OutputQueue, ClosedReaderOfSocket_IsTold) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  ::close(ends[0]);
  OutputQueue queue(ends[1]);
  queue.push("x");
  EXPECT_FALSE(queue.flush());
  ::close(ends[1]);
}

}  // namespace
}  // namespace parley::mcp
