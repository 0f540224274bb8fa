// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/curl_loop.h"

#include <poll.h>

#include <algorithm>
#include <vector>

#include "base/core/ask.h"
#include "base/http_client/curl_exchanges.h"

namespace parley::http_client {

// Receives the answer to one post_to().
class CurlLoop::Transfer final : public ExchangeSink {
 public:
  Transfer(CurlLoop& loop, TransferId id, Done done)
      : loop_(loop), id_(id), done_(std::move(done)) {}

  void put_head(FetchHead head) override { status_ = head.status; }
  bool put_body(std::string_view bytes) override {
    answer_.body.append(bytes);
    return true;
  }
  void put_end(FetchEnd end) override {
    if (end.kind == FetchEnd::Kind::complete) {
      answer_.status = status_;
    } else {
      answer_.sent = end.sent;
      answer_.too_large = end.kind == FetchEnd::Kind::too_large;
      answer_.body.clear();
      answer_.failure = std::move(end.failure);
      // The failure becomes part of the caller's sentence.
      if (answer_.failure.ends_with('.')) answer_.failure.pop_back();
    }
    const auto self = loop_.transfers_.extract(id_);  // lives until `done` has run
    done_(std::move(answer_));
  }

 private:
  CurlLoop& loop_;
  const TransferId id_;
  Done done_;
  int status_ = 0;
  HttpAnswer answer_;
};

CurlLoop::CurlLoop(const core::Clock& clock)
    : clock_(clock),
      thread_(std::this_thread::get_id()),
      exchanges_(std::make_unique<CurlExchanges>(clock)) {}

CurlLoop::~CurlLoop() = default;

void CurlLoop::post(core::Task task) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  curl_multi_wakeup(exchanges_->multi());
}

core::TimerId CurlLoop::after(core::Millis delay, core::Task task) {
  const core::TimerId id = ++last_timer_;
  timers_.emplace(std::pair(clock_.mono() + std::max(delay, core::Millis(0)), id), std::move(task));
  return id;
}

void CurlLoop::cancel(core::TimerId timer) {
  if (timer == 0) return;
  const auto found = std::find_if(timers_.begin(), timers_.end(),
                                  [&](const auto& entry) { return entry.first.second == timer; });
  if (found != timers_.end()) timers_.erase(found);
}

TransferId CurlLoop::post_to(HttpPost request, Done done) {
  FetchRequest post;
  post.method = "POST";
  post.url = std::move(request.url);
  post.headers = std::move(request.headers);
  post.body = std::move(request.body);
  post.connect_timeout = kConnectTimeout;
  post.idle_timeout = post.total_timeout = request.timeout;
  post.max_bytes = request.max_bytes;
  post.ca_file = std::move(request.ca_file);
  post.proxy = std::move(request.proxy);
  post.environment_proxy = request.environment_proxy;
  return fetch(std::move(post), std::move(done));
}

TransferId CurlLoop::fetch(FetchRequest request, Done done) {
  const TransferId id = ++last_transfer_;
  const auto transfer = std::make_shared<Transfer>(*this, id, std::move(done));
  transfers_.emplace(id, transfer);
  auto end =
      exchanges_->start(id, std::make_unique<CurlExchange>(clock_, std::move(request), transfer));
  if (end) {
    post(core::unless_gone(
        std::weak_ptr(transfer),
        [end = std::move(*end)](Transfer& begun) mutable { begun.put_end(std::move(end)); }));
  }
  return id;
}

void CurlLoop::abort(TransferId id) {
  exchanges_->drop(id);
  transfers_.erase(id);
}

void CurlLoop::watch(int fd, short events, Ready ready) {
  watches_[fd] = Watch{events, std::make_shared<Ready>(std::move(ready))};
}

void CurlLoop::rearm(int fd, short events) {
  const auto found = watches_.find(fd);
  if (found != watches_.end()) found->second.events = events;
}

void CurlLoop::unwatch(int fd) { watches_.erase(fd); }

core::Millis CurlLoop::wait_time(core::Millis longest) {
  {
    const std::scoped_lock lock(mutex_);
    if (!tasks_.empty()) return core::Millis(0);
  }
  if (timers_.empty()) return longest;
  const auto left = std::chrono::ceil<core::Millis>(timers_.begin()->first.first - clock_.mono());
  return std::clamp(left, core::Millis(0), longest);
}

void CurlLoop::run_once(core::Millis longest) {
  CURLM* multi = exchanges_->multi();
  std::vector<curl_waitfd> waits;
  for (const auto& [fd, watched] : watches_) {
    curl_waitfd wait{};
    wait.fd = fd;
    if ((watched.events & POLLIN) != 0) wait.events = CURL_WAIT_POLLIN;
    if ((watched.events & POLLOUT) != 0) {
      wait.events = static_cast<short>(wait.events | CURL_WAIT_POLLOUT);
    }
    waits.push_back(wait);
  }
  const core::Millis wait = wait_time(longest);
  curl_multi_poll(multi, waits.data(), static_cast<unsigned>(waits.size()),
                  static_cast<int>(wait.count()), nullptr);
  int running = 0;
  curl_multi_perform(multi, &running);
  exchanges_->collect();
  poll_watched();
  run_timers();
  run_tasks();
}

// libcurl does not report a hang-up of a watched descriptor, so all are polled once more.
void CurlLoop::poll_watched() {
  std::vector<pollfd> fds;
  fds.reserve(watches_.size());
  for (const auto& [fd, watched] : watches_) fds.push_back({fd, watched.events, 0});
  if (::poll(fds.data(), fds.size(), 0) <= 0) return;
  for (const pollfd& polled : fds) {
    if (polled.revents == 0) continue;
    const auto found = watches_.find(polled.fd);
    if (found == watches_.end()) continue;
    const std::shared_ptr<Ready> ready = found->second.ready;  // the handler may unwatch its own
                                                               // descriptor
    (*ready)(polled.revents);
  }
}

void CurlLoop::run_timers() {
  const core::MonoTime now = clock_.mono();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    core::Task task = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    task();
  }
}

void CurlLoop::run_tasks() {
  std::deque<core::Task> tasks;
  {
    const std::scoped_lock lock(mutex_);
    tasks.swap(tasks_);
  }
  for (core::Task& task : tasks) task();
}

}  // namespace parley::http_client
