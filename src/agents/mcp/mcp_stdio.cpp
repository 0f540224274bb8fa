// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/mcp_stdio.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "agents/mcp/asking_offer.h"
#include "agents/mcp/held_calls.h"
#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_server.h"
#include "base/core/line_splitter.h"
#include "base/http_client/curl_loop.h"

namespace parley::mcp {

namespace {

constexpr std::size_t kCompactAt = 1U << 20U;

}  // namespace

// A pipe that polls as writable accepts PIPE_BUF bytes without blocking (pipe(7)).
long OutputQueue::write_some(std::string_view bytes) {
  if (is_socket_) {
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0 || errno != ENOTSOCK) return sent;
    is_socket_ = false;
  }
  pollfd polled{fd_, POLLOUT, 0};
  const int ready = ::poll(&polled, 1, 0);
  if (ready < 0) return -1;
  if (ready == 0 || (polled.revents & (POLLOUT | POLLERR | POLLHUP | POLLNVAL)) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(fd_, bytes.data(), bytes.size() < PIPE_BUF ? bytes.size() : PIPE_BUF);
}

bool OutputQueue::flush() {
  while (!empty()) {
    const long written = write_some(std::string_view(pending_).substr(begin_));
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK;
    }
    begin_ += static_cast<std::size_t>(written);
    if (begin_ >= kCompactAt) {
      pending_.erase(0, begin_);
      begin_ = 0;
    }
  }
  pending_.clear();
  begin_ = 0;
  return true;
}

namespace {

constexpr core::Millis kLongestIdle = std::chrono::minutes(1);
constexpr std::size_t kReadBytes = 64U << 10U;

class StdioSession {
 public:
  StdioSession(const StdioOptions& options, const core::Clock& clock, core::Entropy& entropy,
               AssistantClient::AccessSource endpoint)
      : options_(options),
        loop_(clock),
        client_(loop_, entropy, loop_, std::move(endpoint)),
        held_(loop_, client_, options.longest_call),
        output_(options.out_fd),
        offer_(loop_, held_, entropy, {.tools = options.tools, .shape = options.shape}),
        server_(offer_, {kServerName, kServerTitle, options.version},
                [this](Outgoing message) { send(std::move(message.text)); }) {}

  void run() {
    loop_.watch(options_.in_fd, POLLIN, [this](short) { read_input(); });
    loop_.watch(options_.out_fd, 0, [this](short revents) { write_output(revents); });
    if (options_.stop_fd >= 0) {
      loop_.watch(options_.stop_fd, POLLIN,
                  [this](short) { end("The agent's MCP server was stopped."); });
    }
    while (!ended_) {
      loop_.run_once(kLongestIdle);
      arm();
    }
    say_farewell();
  }

 private:
  void send(std::string line) {
    line.push_back('\n');
    output_.push(line);
    if (!output_.flush()) broken_ = true;
  }

  void read_input() {
    std::array<char, kReadBytes> bytes{};
    const ssize_t got = ::read(options_.in_fd, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    const auto on_line = [this](std::string_view line, bool too_long) {
      too_long ? server_.on_oversized_line() : server_.on_line(line);
    };
    if (got > 0) {
      lines_.feed(std::string_view(bytes.data(), static_cast<std::size_t>(got)), on_line);
      return;
    }
    lines_.finish(on_line);
    end("The agent has gone: it closed the connection.");
  }

  void write_output(short revents) {
    if ((revents & (POLLERR | POLLHUP | POLLNVAL)) != 0 || !output_.flush()) broken_ = true;
  }

  // Watches the descriptors for the events that are needed now.
  void arm() {
    if (broken_) end("The agent has gone: it no longer reads answers.");
    if (ended_) return;
    loop_.rearm(options_.out_fd, output_.empty() ? short{0} : short{POLLOUT});
    loop_.rearm(options_.in_fd, output_.size() > kMaxWaitingOutput ? short{0} : short{POLLIN});
  }

  void end(std::string_view reason) {
    if (ended_) return;
    ended_ = true;
    loop_.unwatch(options_.in_fd);
    if (options_.stop_fd >= 0) loop_.unwatch(options_.stop_fd);
    server_.close(reason);
    held_.close(reason);
  }

  void say_farewell() {
    bool time_is_over = false;
    loop_.after(kFarewell, [&time_is_over] { time_is_over = true; });
    while (!time_is_over && (client_.cancellations() > 0 || (!broken_ && !output_.empty()))) {
      if (broken_) {
        loop_.unwatch(options_.out_fd);
      } else {
        loop_.rearm(options_.out_fd, output_.empty() ? short{0} : short{POLLOUT});
      }
      loop_.run_once(kFarewell);
    }
  }

  const StdioOptions& options_;
  http_client::CurlLoop loop_;
  AssistantClient client_;
  HeldCalls held_;
  core::LineSplitter lines_{kMaxLineBytes};
  OutputQueue output_;
  bool ended_ = false;
  bool broken_ = false;
  AskingOffer offer_;
  McpServer server_;
};

}  // namespace

void serve_stdio(const StdioOptions& options, const core::Clock& clock, core::Entropy& entropy,
                 AssistantClient::AccessSource endpoint) {
  StdioSession session(options, clock, entropy, std::move(endpoint));
  session.run();
}

}  // namespace parley::mcp
