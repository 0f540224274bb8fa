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

// Limit (parley hook): a connection to the server. Reached: silence.
constexpr core::Millis kFirstContact{300};
// The same with TLS, which takes some of the server's time.
// Limit (parley hook): a connection with TLS. Reached: silence.
constexpr core::Millis kFirstTlsContact{1'000};
// A server that runs on a busy computer answers late, and a question that is not asked is lost.
// Limit (parley hook): count of the pages of a server that is connected; its receipt of a notice.
// Reached: silence.
constexpr core::Millis kFirstAnswer{3'000};
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

// A request that waits for an answer only if there is a server.
http_client::FetchRequest request_to(const mcp::ServerAccess& access, std::string_view path) {
  http_client::FetchRequest request;
  request.url = access.base_url + std::string(path);
  request.headers = {"Authorization: Bearer " + access.token};
  request.connect_timeout =
      access.base_url.starts_with("https:") ? kFirstTlsContact : kFirstContact;
  request.total_timeout = kFirstAnswer;
  request.max_bytes = kMaxAnswerOfServer;
  request.ca_file = access.ca_file;
  request.proxy = access.proxy;
  request.environment_proxy = false;
  return request;
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
  std::optional<http_client::HttpAnswer> answer;
  const bool notices_count = who == Somebody::any;
  http_client::FetchRequest request =
      request_to(access_(), notices_count ? "/v1/me?notified=true" : "/v1/me");
  request.total_timeout = std::min(kFirstAnswer, remaining());
  const http_client::TransferId transfer = loop_.fetch(
      std::move(request), [&](http_client::HttpAnswer came) { answer.emplace(std::move(came)); });
  while (!answer && !stopped_) loop_.run_once(kFirstAnswer);
  if (stopped_) {
    loop_.abort(transfer);
    return false;
  }
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
  http_client::FetchRequest post = request_to(access, "/v1/notices");
  post.method = "POST";
  post.headers.emplace_back("Content-Type: application/json");
  post.body = std::move(body);
  loop.fetch(std::move(post),
             [&](http_client::HttpAnswer came) { answer.emplace(std::move(came)); });
  while (!answer) loop.run_once(kFirstAnswer);
  return answer->status == 201;
}

}  // namespace parley::hook
