// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/net/loop/stream.h"

namespace parley::link {

// A stream of which some bytes were read already, by a protocol in front: it delivers these first,
// in one piece, then those of the inner stream. Until it has, the inner stream is paused. They are
// delivered by a later task, once there is a handler and reading is not paused, also on another
// thread to which the stream has moved; they count to the budget of the connection. A reset drops
// them, as it drops those of a socket.
class PrereadStream final : public net::Stream, private net::StreamHandler {
 public:
  // Replaces the handler of `inner`; call on its thread, also inside a call of that handler. The
  // bytes of `unread` are copied. `secure`: the result of secure(). `kept` is released when this
  // stream is destroyed, on any thread.
  PrereadStream(std::unique_ptr<net::Stream> inner, std::string_view unread, bool secure,
                std::shared_ptr<const void> kept = nullptr);
  ~PrereadStream() override;

  void set_handler(net::StreamHandler* handler) override;
  void write(std::string_view bytes) override { inner_->write(bytes); }
  void write_shared(const net::SharedBytes& bytes) override { inner_->write_shared(bytes); }
  void write_own(std::string bytes) override { inner_->write_own(std::move(bytes)); }
  std::size_t queued() const override { return inner_->queued(); }
  void finish() override { inner_->finish(); }
  void pause_reading(bool pause) override;
  void move_to(core::Scheduler& target, absl::AnyInvocable<void()> arrived) override;
  core::Scheduler& scheduler() override { return inner_->scheduler(); }
  const std::string& peer() const override { return inner_->peer(); }
  void set_peer(std::string address) override { inner_->set_peer(std::move(address)); }
  bool secure() const override { return secure_; }
  void count_to(net::AssemblyBudget& budget, std::string_view account) override {
    inner_->count_to(budget, account);
  }
  bool hold(std::size_t bytes) override;

 private:
  void on_data(net::Stream& stream, char* data, std::size_t size) override;
  void on_end(net::Stream& stream) override;
  void on_drained(net::Stream& stream) override;
  void on_closed(net::Stream& stream) override;

  void deliver_soon();
  void deliver();

  std::shared_ptr<const void> kept_;
  std::unique_ptr<net::Stream> inner_;
  net::StreamHandler* handler_ = nullptr;
  std::string unread_;
  std::size_t held_above_ = 0;  // by hold()
  // Held by tasks of this thread; null once the stream is destroyed or has moved to another thread.
  std::shared_ptr<PrereadStream*> self_;
  bool secure_;
  bool paused_ = false;
};

}  // namespace parley::link
