// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "http_client/curl_loop.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/loopback.h"
#include "http_client/curl_handles.h"
#include "http_client/url.h"

namespace parley::http_client {
namespace {

bool leads_to_loopback(const std::string& url) {
  const core::Result<UrlParts> parts = split_url(url);
  return parts && core::is_loopback_host(parts->host);
}

}  // namespace

struct CurlLoop::Transfer {
  HttpPost request;
  Done done;
  HttpAnswer answer;
  EasyHandle easy;
  HeaderList headers;
  std::array<char, CURL_ERROR_SIZE> error{};

  static std::size_t write(char* data, std::size_t size, std::size_t count, void* self) {
    auto& transfer = *static_cast<Transfer*>(self);
    const std::size_t bytes = size * count;
    if (transfer.answer.body.size() + bytes > transfer.request.max_bytes) {
      transfer.answer.too_large = true;
      return 0;
    }
    transfer.answer.body.append(data, bytes);
    return bytes;
  }
};

CurlLoop::CurlLoop(const core::Clock& clock)
    : clock_(clock), thread_(std::this_thread::get_id()), multi_(std::make_unique<CurlMulti>()) {}

CurlLoop::~CurlLoop() {
  for (const auto& [id, transfer] : transfers_) {
    curl_multi_remove_handle(multi_->get(), transfer->easy.get());
  }
  transfers_.clear();
}

void CurlLoop::post(core::Task task) {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  curl_multi_wakeup(multi_->get());
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
  const TransferId id = ++last_transfer_;
  auto transfer = std::make_unique<Transfer>();
  transfer->request = std::move(request);
  transfer->done = std::move(done);
  transfer->easy.reset(curl_easy_init());
  CURL* easy = transfer->easy.get();
  if (easy == nullptr) throw std::bad_alloc();
  for (const std::string& header : transfer->request.headers) {
    append_header(transfer->headers, header.c_str());
  }
  append_header(transfer->headers, "Expect:");
  const HttpPost& sent = transfer->request;
  curl_easy_setopt(easy, CURLOPT_URL, sent.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_POST, 1L);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(sent.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, sent.body.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->headers.get());
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(easy, CURLOPT_USERAGENT, "parley");
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, 10L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kConnectTimeout.count()));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(std::max<std::int64_t>(sent.timeout.count(), 1)));
  if (leads_to_loopback(sent.url)) curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  if (!sent.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, sent.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::write);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.get());
  curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer.get());
  curl_multi_add_handle(multi_->get(), easy);
  transfers_.emplace(id, std::move(transfer));
  return id;
}

void CurlLoop::abort(TransferId id) {
  const auto found = transfers_.find(id);
  if (found == transfers_.end()) return;
  curl_multi_remove_handle(multi_->get(), found->second->easy.get());
  transfers_.erase(found);
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
  CURLM* multi = multi_->get();
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
  reap();
  poll_watched();
  run_timers();
  run_tasks();
}

// libcurl does not tell a hang-up of a watched descriptor, so they are looked at once more.
void CurlLoop::poll_watched() {
  std::vector<pollfd> fds;
  fds.reserve(watches_.size());
  for (const auto& [fd, watched] : watches_) fds.push_back({fd, watched.events, 0});
  if (::poll(fds.data(), fds.size(), 0) <= 0) return;
  for (const pollfd& polled : fds) {
    if (polled.revents == 0) continue;
    const auto found = watches_.find(polled.fd);
    if (found == watches_.end()) continue;
    const std::shared_ptr<Ready> ready = found->second.ready;  // may unwatch itself
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

void CurlLoop::reap() {
  std::vector<TransferId> finished;
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_->get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode result = message->data.result;
    const auto found = std::find_if(transfers_.begin(), transfers_.end(), [&](const auto& entry) {
      return entry.second->easy.get() == message->easy_handle;
    });
    if (found == transfers_.end()) continue;
    Transfer& transfer = *found->second;
    if (result == CURLE_OK) {
      long status = 0;
      curl_easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &status);
      transfer.answer.status = static_cast<int>(status);
    } else {
      curl_off_t sent_at = 0;
      curl_easy_getinfo(transfer.easy.get(), CURLINFO_PRETRANSFER_TIME_T, &sent_at);
      transfer.answer.sent = sent_at > 0;
      transfer.answer.body.clear();
      transfer.answer.failure =
          transfer.error[0] != '\0' ? transfer.error.data() : curl_easy_strerror(result);
    }
    finished.push_back(found->first);
  }
  for (const TransferId id : finished) {
    const auto found = transfers_.find(id);
    if (found == transfers_.end()) continue;  // aborted by an earlier one's `done`
    const std::unique_ptr<Transfer> transfer = std::move(found->second);
    transfers_.erase(found);
    curl_multi_remove_handle(multi_->get(), transfer->easy.get());
    transfer->done(std::move(transfer->answer));
  }
}

}  // namespace parley::http_client
