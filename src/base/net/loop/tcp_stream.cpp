// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/tcp_stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/core/assert.h"

namespace parley::net {
namespace {

// Smaller shared bytes are copied, which is cheaper than another element of the I/O vector.
constexpr std::size_t kShareFrom = 4U << 10U;
// Limit of a gathering buffer; beyond it the next write begins a new one.
constexpr std::size_t kGatherBytes = 64U << 10U;
// Queued bytes that wait for the end of the turn. More are sent at once: hundreds of connections
// may have their turn together.
// Limit (Streams): bytes of a connection that wait for the end of a loop's turn. Reached: sent, and
// counted, at once.
constexpr std::size_t kTurnBytes = 16U << 10U;
// The initial capacity of a queue: enough for some small messages, and fast to allocate.
constexpr std::size_t kFirstBytes = 1'000;
constexpr std::size_t kMaxVector = 64;

bool is_retry(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

void WriteQueue::append(std::string_view bytes) {
  PARLEY_ASSERT(!taken_, "write queue: " + std::to_string(bytes.size()) +
                             " bytes are appended after its buffer was taken");
  if (rest_.empty() && head_.size() + bytes.size() <= kGatherBytes) {
    if (head_.empty()) head_.reserve(std::max(kFirstBytes, bytes.size()));
    head_.append(bytes);
  } else if (std::string* const last = gathering(bytes.size())) {
    const std::size_t before = last->capacity();
    last->append(bytes);
    own_ += last->capacity() - before;
  } else {
    push({std::string(bytes), {}});
  }
  bytes_ += bytes.size();
}

// The last chunk, if `more` small bytes belong there; otherwise null.
std::string* WriteQueue::gathering(std::size_t more) {
  if (rest_.empty() || !rest_.back().shared.empty()) return nullptr;
  std::string& last = rest_.back().own;
  return last.size() + more <= std::max(last.capacity(), kShareFrom) ? &last : nullptr;
}

void WriteQueue::append_shared(const SharedBytes& bytes) {
  PARLEY_ASSERT(!bytes.empty() && !taken_,
                "write queue: no shared bytes, or appended after its buffer was taken");
  if (bytes.size() < kShareFrom) {
    append(bytes.view());
    return;
  }
  push({{}, bytes});
  bytes_ += bytes.size();
}

void WriteQueue::append_own(std::string bytes) {
  PARLEY_ASSERT(!taken_, "write queue: " + std::to_string(bytes.size()) +
                             " bytes are appended after its buffer was taken");
  if (bytes.size() < kShareFrom) {
    append(bytes);
    return;
  }
  const std::size_t size = bytes.size();
  push({std::move(bytes), {}});
  bytes_ += size;
}

std::size_t WriteQueue::own_memory() const {
  return head_.capacity() + rest_.capacity() * sizeof(Chunk) + own_;
}

void WriteQueue::push(Chunk chunk) {
  rest_.push_back(std::move(chunk));
  const Chunk& last = rest_.back();
  if (last.shared.empty()) {
    own_ += last.own.capacity();
  } else if (!last.shared.is_of_program()) {
    shared_ += last.shared.size();
  }
}

// Frees the first chunk, which is completely sent.
void WriteQueue::pop() {
  Chunk& sent = rest_[first_];
  if (sent.shared.empty()) {
    own_ -= sent.own.capacity();
  } else if (!sent.shared.is_of_program()) {
    shared_ -= sent.shared.size();
  }
  sent = Chunk{};
  ++first_;
}

std::string WriteQueue::take_buffer() {
  PARLEY_ASSERT(bytes_ == 0 && !taken_, "write queue: its buffer is taken while " +
                                            std::to_string(bytes_) + " bytes wait, or twice");
  taken_ = true;
  return std::move(head_);
}

std::ptrdiff_t WriteQueue::send_some(int fd) {
  PARLEY_ASSERT(bytes_ > 0 && !taken_, "write queue: sent with nothing in it");
  PARLEY_ASSERT(head_sent_ <= head_.size() && head_.size() - head_sent_ <= bytes_,
                "write queue: " + std::to_string(head_sent_) + " of " +
                    std::to_string(head_.size()) + " bytes of its buffer are sent, and " +
                    std::to_string(bytes_) + " wait in all");
  const std::string_view head = std::string_view(head_).substr(head_sent_);
  std::ptrdiff_t sent = 0;
  if (head.size() == bytes_) {
    sent = ::send(fd, head.data(), head.size(), MSG_NOSIGNAL);
  } else {
    std::array<iovec, kMaxVector> parts;
    std::size_t count = 0;
    const auto add = [&parts, &count](std::string_view bytes) {
      parts[count].iov_base = const_cast<char*>(bytes.data());
      parts[count++].iov_len = bytes.size();
    };
    if (!head.empty()) add(head);
    for (std::size_t i = first_; i < rest_.size() && count < kMaxVector; ++i) {
      add(rest_[i].view().substr(i == first_ ? offset_ : 0));
    }
    PARLEY_ASSERT(count > 0, "write queue: " + std::to_string(bytes_) +
                                 " bytes wait, and no chunk holds them");
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
  }
  if (sent > 0) consume(static_cast<std::size_t>(sent));
  return sent;
}

void WriteQueue::consume(std::size_t count) {
  PARLEY_ASSERT(count <= bytes_, "write queue: " + std::to_string(count) + " bytes are sent of " +
                                     std::to_string(bytes_));
  bytes_ -= count;
  const std::size_t of_head = std::min(count, head_.size() - head_sent_);
  head_sent_ += of_head;
  count -= of_head;
  if (head_sent_ == head_.size() && bytes_ > 0) {
    head_ = std::string();
    head_sent_ = 0;
  }
  while (count > 0) {
    PARLEY_ASSERT(first_ < rest_.size(), "write queue: " + std::to_string(count) +
                                             " bytes are sent behind the last of " +
                                             std::to_string(rest_.size()) + " chunks");
    const std::size_t rest = rest_[first_].view().size() - offset_;
    if (count < rest) {
      offset_ += count;
      break;
    }
    count -= rest;
    offset_ = 0;
    pop();
  }
  // Sent chunks are dropped in batches, so that a long queue is not moved for each send.
  if (first_ >= kMaxVector && first_ * 2 >= rest_.size()) {
    rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

TcpStream::TcpStream(Loop& loop, int fd, std::string peer)
    : loop_(&loop), peer_(std::move(peer)), fd_(fd) {
  watch();
}

std::string TcpStream::label() const {
  return "stream to " + peer_ + " (descriptor " + std::to_string(fd_) + ")";
}

TcpStream::~TcpStream() {
  if (transit_) {
    transit_->stream = nullptr;
    ::close(fd_);
    return;
  }
  detach();
}

void TcpStream::set_handler(StreamHandler* handler) { handler_ = handler; }

bool TcpStream::accepts_writes(std::size_t bytes) const {
  if (bytes == 0 || lost_ || linger_ || ending_) return false;
  PARLEY_ASSERT(transit_ || loop_->owned_here(), label() + ": written to by another thread");
  return true;
}

void TcpStream::written() {
  if (queued() > kHighWatermark) above_high_ = true;
  want_turn_end();
  if (queued() <= kTurnBytes || transit_) return;
  if (full_) {
    if (!count_unsent()) drop();
  } else if (flush() == Flush::failed) {
    drop();
  }
}

void TcpStream::write(std::string_view bytes) {
  if (!accepts_writes(bytes.size())) return;
  queue().append(bytes);
  written();
}

void TcpStream::write_shared(const SharedBytes& bytes) {
  if (!accepts_writes(bytes.size())) return;
  queue().append_shared(bytes);
  written();
}

void TcpStream::write_own(std::string bytes) {
  if (!accepts_writes(bytes.size())) return;
  queue().append_own(std::move(bytes));
  written();
}

void TcpStream::count_to(AssemblyBudget& budget, std::string_view account) {
  if (!memory_.count_to(budget, account, peer_)) drop();
}

bool TcpStream::hold(std::size_t bytes) {
  if (memory_.hold_above(bytes, peer_)) return true;
  drop();
  return false;
}

// Counts the memory of bytes that the peer has not taken. False: a limit is reached.
bool TcpStream::count_unsent() {
  if (!queue_) return !memory_.holds() || memory_.hold_unsent(0, 0, peer_);
  return memory_.hold_unsent(queue_->own_memory(), queue_->shared_memory(), peer_);
}

WriteQueue& TcpStream::queue() {
  // During a move neither loop's buffers may be used.
  if (!queue_) {
    queue_ = std::make_unique<WriteQueue>(transit_ ? std::string() : loop_->take_spare());
  }
  return *queue_;
}

void TcpStream::finish() {
  if (linger_ || lost_) return;
  PARLEY_ASSERT(transit_ || loop_->owned_here(), label() + ": finished by another thread");
  linger_ = std::make_unique<Linger>();
  if (transit_) return;
  want_turn_end();
  set_linger_timer();
}

void TcpStream::pause_reading(bool pause) {
  paused_ = pause;
  if (!lost_ && !transit_) watch();
}

void TcpStream::move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) {
  if (lost_) return;
  PARLEY_ASSERT(!transit_, label() + ": moved again before it has landed");
  PARLEY_ASSERT(loop_->owned_here(), label() + ": moved by another thread");
  if (turn_end_asked_) loop_->forget_turn_end(*this);
  turn_end_asked_ = false;
  if (linger_) loop_->cancel(std::exchange(linger_->timer, 0));
  if (watched_ != 0) loop_->remove(fd_, *this);
  watched_ = 0;
  loop_ = &dynamic_cast<Loop&>(target);
  auto transit = std::make_shared<Transit>(Transit{this});
  transit_ = transit;
  target.post([transit = std::move(transit), arrived = std::move(arrived)]() mutable {
    if (transit->stream != nullptr) transit->stream->land(std::move(arrived));
  });
}

void TcpStream::land(absl::AnyInvocable<void()> arrived) {
  PARLEY_ASSERT(transit_ && loop_->in_thread(),
                label() + ": lands twice, or on a thread that it was not sent to");
  PARLEY_ASSERT(!lost_ && fd_ >= 0, label() + ": was closed on its way to another thread");
  PARLEY_ASSERT(watched_ == 0 && !turn_end_asked_ && (!linger_ || linger_->timer == 0),
                label() + ": lands while its old thread still watches it, events " +
                    std::to_string(watched_));
  transit_.reset();
  watch();
  if (ending_) end_soon();
  if (queue_ || linger_) want_turn_end();
  if (linger_) set_linger_timer();
  if (arrived) arrived();
}

std::uint32_t TcpStream::wanted_events() const {
  std::uint32_t events = 0;
  if (!paused_ && !peer_ended_) events |= EPOLLIN;
  // Bytes that wait for the end of this turn were not tried yet: the socket may have room.
  if (queue_ && !turn_end_asked_) events |= EPOLLOUT;
  return events;
}

// A socket that wants no events is removed from epoll, which would otherwise report a hang-up in
// every turn.
void TcpStream::watch() {
  const std::uint32_t wanted = wanted_events();
  if (wanted == watched_ || ending_) return;
  bool watched = true;
  if (watched_ == 0) {
    watched = loop_->add(fd_, wanted, *this);
  } else if (wanted == 0) {
    loop_->remove(fd_, *this);
  } else {
    watched = loop_->modify(fd_, wanted, *this);
  }
  watched_ = watched ? wanted : 0;
  if (!watched) end_soon();
}

// The connection is lost; on_closed() is called at the end of the turn, not inside the handler's
// call.
void TcpStream::end_soon() {
  if (lost_) return;
  ending_ = true;
  if (turn_end_asked_ || transit_) return;
  turn_end_asked_ = true;
  loop_->at_turn_end(*this);
}

// The connection is lost, and its queue, which no longer counts, is freed at once.
void TcpStream::drop() {
  queue_.reset();
  end_soon();
}

void TcpStream::want_turn_end() {
  // A queue that waits for EPOLLOUT is flushed by that event.
  if (turn_end_asked_ || transit_ || (watched_ & EPOLLOUT) != 0) return;
  turn_end_asked_ = true;
  loop_->at_turn_end(*this);
}

void TcpStream::on_turn_end() {
  PARLEY_ASSERT(turn_end_asked_ && !transit_ && !lost_,
                label() + ": told of a turn's end that it does not wait for");
  turn_end_asked_ = false;
  if (ending_ || flush() == Flush::failed) {
    lost();
    return;
  }
  if (end_if_finished()) return;
  watch();
  notify_drained();
}

// True if on_drained() was called; then `this` may be destroyed.
bool TcpStream::notify_drained() {
  if (!above_high_ || queued() > kLowWatermark) return false;
  above_high_ = false;
  if (handler_ != nullptr) handler_->on_drained(*this);
  return true;
}

void TcpStream::on_ready(std::uint32_t events) {
  PARLEY_ASSERT(
      !transit_ && !lost_ && watched_ != 0,
      label() + ": told of events " + std::to_string(events) + " after it was taken off the loop");
  if ((events & EPOLLOUT) != 0 && queue_) {
    if (flush() == Flush::failed) {
      lost();
      return;
    }
    if (end_if_finished()) return;
    watch();
    // The socket is still readable in the next turn, if it is now.
    if (notify_drained()) return;
  }
  if ((events & (EPOLLIN | EPOLLERR | EPOLLHUP)) == 0) return;
  if ((watched_ & EPOLLIN) != 0) {
    read_once();
  } else if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
    lost();
  }
}

void TcpStream::read_once() {
  PARLEY_ASSERT(!paused_ && !peer_ended_,
                label() + ": read while reading is paused, or behind the peer's end");
  char* const buffer = loop_->read_buffer();
  const ssize_t got = ::recv(fd_, buffer, Loop::kReadBytes, 0);
  if (got > 0) {
    if (handler_ != nullptr) handler_->on_data(*this, buffer, static_cast<std::size_t>(got));
    return;
  }
  if (got < 0) {
    if (!is_retry(errno)) lost();
    return;
  }
  peer_ended_ = true;
  if (end_if_finished()) return;
  watch();
  if (handler_ != nullptr) handler_->on_end(*this);
}

TcpStream::Flush TcpStream::flush() {
  full_ = false;
  while (queue_) {
    const std::size_t before = queue_->bytes();
    const std::ptrdiff_t sent = queue_->send_some(fd_);
    PARLEY_ASSERT(
        queue_->bytes() + static_cast<std::size_t>(std::max<std::ptrdiff_t>(sent, 0)) == before,
        label() + ": " + std::to_string(sent) + " bytes are sent, and of " +
            std::to_string(before) + " remain " + std::to_string(queue_->bytes()));
    if (sent < 0 && !is_retry(errno)) return Flush::failed;
    if (queue_->bytes() == 0) {
      loop_->return_spare(queue_->take_buffer());
      queue_.reset();
    } else {
      full_ = true;
      break;
    }
  }
  return count_unsent() ? Flush::ok : Flush::failed;
}

bool TcpStream::end_if_finished() {
  if (!linger_ || queue_) return false;
  if (!shut_) {
    shut_ = true;
    if (!peer_ended_) ::shutdown(fd_, SHUT_WR);
  }
  if (!peer_ended_) return false;
  lost();
  return true;
}

void TcpStream::set_linger_timer() {
  PARLEY_ASSERT(linger_ && linger_->timer == 0 && !transit_,
                label() + ": a second timer would wait for the peer's end");
  linger_->queued = queued();
  linger_->timer = loop_->after(kLingerTime, [this] {
    linger_->timer = 0;
    // A peer that still takes bytes gets another kLingerTime.
    if (queued() < linger_->queued) {
      set_linger_timer();
    } else {
      lost();
    }
  });
}

void TcpStream::detach() {
  if (fd_ < 0) return;
  if (turn_end_asked_) loop_->forget_turn_end(*this);
  turn_end_asked_ = false;
  if (linger_) loop_->cancel(std::exchange(linger_->timer, 0));
  if (watched_ != 0) loop_->remove(fd_, *this);
  watched_ = 0;
  ::close(std::exchange(fd_, -1));
}

void TcpStream::lost() {
  if (lost_) return;
  PARLEY_ASSERT(!transit_, label() + ": lost on its way to another thread");
  lost_ = true;
  detach();
  queue_.reset();
  memory_.end();
  if (handler_ != nullptr) handler_->on_closed(*this);
}

}  // namespace parley::net
