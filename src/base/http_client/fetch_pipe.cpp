// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/fetch_pipe.h"

#include "base/core/ask.h"
#include "base/http_client/curl_fetcher.h"

namespace parley::http_client {
namespace {

// Capacity of the buffer, in bytes, above which it is freed after its delivery.
constexpr std::size_t kKeptBuffer = 4U << 10U;

}  // namespace

void FetchPipe::put_head(FetchHead head) {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::open) return;
  head_ = std::move(head);
  ask_to_deliver();
}

bool FetchPipe::put_body(std::string_view bytes) {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::open) return true;
  if (!body_.empty() && body_.size() + bytes.size() > CurlFetcher::kHeldBytes) {
    full_ = true;
    return false;
  }
  body_.append(bytes);
  ask_to_deliver();
  return true;
}

void FetchPipe::put_end(FetchEnd end) {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::open || end_) return;
  end_ = std::move(end);
  ask_to_deliver();
}

void FetchPipe::close() {
  const std::scoped_lock lock(mutex_);
  state_ = State::closed;
}

// Posts with the lock held: once close() has returned, the scheduler is not used any more.
void FetchPipe::ask_to_deliver() {
  if (asked_) return;
  asked_ = true;
  scheduler_.post([self = shared_from_this()] { self->deliver(); });
}

void FetchPipe::end_now(FetchEnd end) {
  const std::scoped_lock lock(mutex_);
  if (state_ != State::open) return;
  state_ = State::ended;
  head_.reset();
  body_.clear();
  end_ = std::move(end);
  ask_to_deliver();
}

void FetchPipe::watch_cancel(const core::CancelToken& cancel, std::function<void()> abort) {
  if (!done_) return;
  registration_ = cancel.on_cancel(
      core::unless_gone(weak_from_this(), [abort = std::move(abort)](FetchPipe& self) {
        self.end_now({FetchEnd::Kind::cancelled, "The exchange was cancelled."});
        abort();
      }));
}

void FetchPipe::deliver() {
  std::optional<FetchHead> head;
  std::string body;
  std::optional<FetchEnd> end;
  bool drained = false;
  {
    const std::scoped_lock lock(mutex_);
    asked_ = false;
    if (state_ == State::closed) return;
    head.swap(head_);
    body.swap(body_);
    end.swap(end_);
    drained = std::exchange(full_, false);
  }
  if (head && events_.on_head) events_.on_head(*head);
  if (!body.empty() && events_.on_body && !(head && ended_now())) events_.on_body(body);
  {
    const std::scoped_lock lock(mutex_);
    // The next bytes of a stream need no new buffer, nor one that this thread frees.
    if (body.capacity() <= kKeptBuffer && body_.empty()) {
      body.clear();
      body_.swap(body);
    }
    // A callback above may have cancelled the exchange: the cancel wins over an end that came
    // before.
    if (state_ == State::closed) return;
    if (state_ == State::ended && end_) end = std::move(end_);
    if (end) state_ = State::closed;
  }
  if (end) return finish(std::move(*end));
  if (drained && drained_) drained_();
}

bool FetchPipe::ended_now() {
  const std::scoped_lock lock(mutex_);
  return state_ != State::open;
}

void FetchPipe::finish(FetchEnd end) {
  registration_.reset();
  events_ = {};
  drained_ = nullptr;
  Fetcher::Done done = std::move(done_);
  done(std::move(end));
}

}  // namespace parley::http_client
