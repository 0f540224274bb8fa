// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "hook/asker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "core/number_text.h"

namespace parley::hook {
namespace {

constexpr core::Millis kFirstContact{300};
constexpr core::Millis kNoticeTime{300};
constexpr core::Millis kWatchInterval{200};
constexpr core::Millis kFarewell{200};
constexpr core::Millis kLongestTurn = std::chrono::minutes(1);
constexpr std::size_t kMaxNoticeAnswer = 1U << 20U;

// True if nobody reads stdout any more.
bool is_output_closed() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

// The process of Claude Code, which starts hooks through other processes.
pid_t agent_process() {
  const char* text = std::getenv("CLAUDE_PID");
  const auto number = core::parse_number<std::int32_t>(text == nullptr ? "" : text);
  return number && *number > 1 ? *number : 0;
}

}  // namespace

Asker::Asker(const mcp::SignalWatch& signals, mcp::AssistantClient::AccessSource access,
             core::Millis wait)
    : signals_(signals),
      loop_(clock_),
      client_(loop_, entropy_, loop_, std::move(access), kFirstContact),
      deadline_(clock_.mono() + wait),
      parent_(::getppid()),
      agent_(agent_process()) {
  loop_.watch(signals_.fd(), POLLIN, [this](short) {
    if (signals_.take() != 0) stop("a signal");
  });
  watch_agent();
}

Asker::~Asker() { loop_.unwatch(signals_.fd()); }

core::Millis Asker::remaining() const {
  const auto left = std::chrono::duration_cast<core::Millis>(deadline_ - clock_.mono());
  return std::max<core::Millis>(left, std::chrono::seconds(1));
}

void Asker::watch_agent() {
  const bool agent_ended = agent_ > 0 && ::kill(agent_, 0) != 0 && errno == ESRCH;
  if (is_output_closed()) return stop("stdout is closed");
  if (agent_ended || ::getppid() != parent_) return stop("the agent has ended");
  loop_.after(kWatchInterval, [this] { watch_agent(); });
}

void Asker::stop(std::string why) {
  stopped_ = true;
  failure_ = std::move(why);
}

std::optional<mcp::AssistantReply> Asker::ask(mcp::AssistantCall call) {
  std::optional<mcp::AssistantOutcome> outcome;
  const mcp::CallId id = client_.start(
      std::move(call), [&](mcp::AssistantOutcome came) { outcome.emplace(std::move(came)); });
  while (!outcome && !stopped_) loop_.run_once(kLongestTurn);
  if (!outcome) {
    client_.cancel(id, "Answered in the terminal.");
    const core::MonoTime end = clock_.mono() + kFarewell;
    while (client_.cancellations() > 0 && clock_.mono() < end) loop_.run_once(kFarewell);
    return std::nullopt;
  }
  if (!*outcome) {
    failure_ = core::code_name(outcome->error().code);
    return std::nullopt;
  }
  if ((*outcome)->is_error) {
    const auto code = (*outcome)->meta.find("error");
    failure_ = code == (*outcome)->meta.end() ? "an error" : code->second;
    return std::nullopt;
  }
  return std::move(**outcome);
}

bool send_notice(const mcp::ServerAccess& access, std::string body) {
  const core::SystemClock clock;
  http_client::CurlLoop loop(clock);
  std::optional<http_client::HttpAnswer> answer;
  http_client::HttpPost post;
  post.url = access.base_url + "/v1/notices";
  post.headers = {"Content-Type: application/json", "Authorization: Bearer " + access.token};
  post.body = std::move(body);
  post.timeout = kNoticeTime;
  post.max_bytes = kMaxNoticeAnswer;
  post.ca_file = access.ca_file;
  loop.post_to(std::move(post),
               [&](http_client::HttpAnswer came) { answer.emplace(std::move(came)); });
  while (!answer) loop.run_once(kNoticeTime);
  return answer->status == 201;
}

}  // namespace parley::hook
