// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/link/preread_stream.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"

namespace parley::link {

PrereadStream::PrereadStream(std::unique_ptr<net::Stream> inner, std::string_view unread,
                             bool secure, std::shared_ptr<const void> kept)
    : kept_(std::move(kept)),
      inner_(std::move(inner)),
      self_(std::make_shared<PrereadStream*>(this)),
      secure_(secure) {
  inner_->set_handler(this);
  if (unread.empty()) return;
  unread_.reserve(unread.size() + kReadPadding);
  unread_.append(unread);
  inner_->pause_reading(true);
  // A connection that exceeds the budget is ended by the inner stream, here and below.
  inner_->hold(unread_.size());
}

PrereadStream::~PrereadStream() { *self_ = nullptr; }

void PrereadStream::set_handler(net::StreamHandler* handler) {
  handler_ = handler;
  if (handler_ != nullptr) deliver_soon();
}

void PrereadStream::pause_reading(bool pause) {
  paused_ = pause;
  if (unread_.empty()) {
    inner_->pause_reading(pause);
  } else if (!pause) {
    deliver_soon();
  }
}

bool PrereadStream::hold(std::size_t bytes) {
  held_above_ = bytes;
  return inner_->hold(held_above_ + unread_.size());
}

void PrereadStream::move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) {
  PARLEY_ASSERT(*self_ == this, "stream of " + peer() + ": moved after it was destroyed");
  *self_ = nullptr;
  self_ = std::make_shared<PrereadStream*>(this);
  inner_->move_to(target, [self = self_, arrived = std::move(arrived)]() mutable {
    if (*self == nullptr) return;
    if (arrived) arrived();
    if (*self != nullptr) (*self)->deliver();
  });
}

void PrereadStream::deliver_soon() {
  if (unread_.empty()) return;
  scheduler().post(core::unless_gone(self_, &PrereadStream::deliver));
}

// The call of the handler may destroy or move this stream.
void PrereadStream::deliver() {
  if (unread_.empty() || paused_ || handler_ == nullptr) return;
  // Keeps the buffer with its padding.
  std::string bytes;
  bytes.swap(unread_);
  inner_->hold(held_above_);
  inner_->pause_reading(false);
  handler_->on_data(*this, bytes.data(), bytes.size());
}

void PrereadStream::on_data(net::Stream& /*stream*/, char* data, std::size_t size) {
  PARLEY_ASSERT(unread_.empty(), "stream of " + peer() + ": " + std::to_string(size) +
                                     " bytes overtake those that were read before");
  if (handler_ != nullptr) handler_->on_data(*this, data, size);
}

void PrereadStream::on_end(net::Stream& /*stream*/) {
  PARLEY_ASSERT(unread_.empty(), "stream of " + peer() + ": its end overtakes " +
                                     std::to_string(unread_.size()) + " bytes");
  if (handler_ != nullptr) handler_->on_end(*this);
}

void PrereadStream::on_drained(net::Stream& /*stream*/) {
  if (handler_ != nullptr) handler_->on_drained(*this);
}

void PrereadStream::on_closed(net::Stream& /*stream*/) {
  std::string().swap(unread_);
  if (handler_ != nullptr) handler_->on_closed(*this);
}

}  // namespace parley::link
