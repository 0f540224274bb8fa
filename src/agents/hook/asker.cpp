// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/asker.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/core/number_text.h"

namespace parley::hook {
namespace {

// Limit (parley hook): first contact with the server, count of its pages. Reached: silence.
constexpr core::Millis kFirstContact{300};
// Limit (parley hook): a notice. Reached: silence.
constexpr core::Millis kNoticeTime{250};  // with the start of the process below 300 ms
constexpr core::Millis kWatchInterval{200};
constexpr core::Millis kFarewell{200};
constexpr core::Millis kLongestTurn = std::chrono::minutes(1);
constexpr std::size_t kMaxAnswerOfServer = 1U << 20U;
// Reasons of a withdrawal, for the person.
constexpr std::string_view kAnsweredElsewhere = "Answered in the terminal.";
constexpr std::string_view kAgentGone = "The agent has ended.";

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
      access_(std::move(access)),
      client_(
          loop_, entropy_, loop_, [this] { return access_(); }, kFirstContact),
      deadline_(clock_.mono() + wait),
      parent_(::getppid()),
      agent_(agent_process()) {
  loop_.watch(signals_.fd(), POLLIN, [this](short) {
    // Agents and other runs of the hook end it so; a hang-up is the end of the terminal.
    const int signal = signals_.take();
    if (signal != 0) stop("a signal", signal == SIGHUP ? kAgentGone : kAnsweredElsewhere);
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
  if (is_output_closed()) return stop("stdout is closed", kAgentGone);
  if (agent_ended || ::getppid() != parent_) return stop("the agent has ended", kAgentGone);
  loop_.after(kWatchInterval, [this] { watch_agent(); });
}

void Asker::stop(std::string why, std::string_view reason) {
  stopped_ = true;
  failure_ = std::move(why);
  reason_ = reason;
}

bool Asker::has_somebody(Somebody who) {
  mcp::ServerAccess access = access_();
  std::optional<http_client::HttpAnswer> answer;
  http_client::FetchRequest request;
  const bool notices_count = who == Somebody::any;
  request.url = access.base_url + (notices_count ? "/v1/me?notified=true" : "/v1/me");
  request.headers = {"Authorization: Bearer " + access.token};
  request.total_timeout = kFirstContact;
  request.max_bytes = kMaxAnswerOfServer;
  request.ca_file = std::move(access.ca_file);
  request.proxy = std::move(access.proxy);
  request.environment_proxy = false;
  loop_.fetch(std::move(request),
              [&](http_client::HttpAnswer came) { answer.emplace(std::move(came)); });
  while (!answer) loop_.run_once(kFirstContact);
  if (stopped_) return false;
  if (answer->status == 0) {
    failure_ = "the server cannot be reached";
    return false;
  }
  boost::system::error_code failed;
  const boost::json::value me = boost::json::parse(answer->body, failed);
  const boost::json::object* object = failed.failed() ? nullptr : me.if_object();
  const boost::json::value* screens = object == nullptr ? nullptr : object->if_contains("screens");
  if (screens == nullptr || *screens != boost::json::value(0)) return true;
  const boost::json::value* notified = object->if_contains("notified");
  if (notices_count && notified != nullptr && *notified != boost::json::value(0)) return true;
  failure_ = notices_count ? "no page is connected, and no notification reaches anybody"
                           : "no page is connected";
  return false;
}

std::optional<mcp::AssistantReply> Asker::ask(mcp::AssistantCall call) {
  std::optional<mcp::AssistantOutcome> outcome;
  const mcp::CallId id = client_.start(
      std::move(call), [&](mcp::AssistantOutcome came) { outcome.emplace(std::move(came)); });
  while (!outcome && !stopped_) loop_.run_once(kLongestTurn);
  if (!outcome) {
    client_.cancel(id, reason_);
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
  post.max_bytes = kMaxAnswerOfServer;
  post.ca_file = access.ca_file;
  post.proxy = access.proxy;
  post.environment_proxy = false;
  loop.post_to(std::move(post),
               [&](http_client::HttpAnswer came) { answer.emplace(std::move(came)); });
  while (!answer) loop.run_once(kNoticeTime);
  return answer->status == 201;
}

}  // namespace parley::hook
