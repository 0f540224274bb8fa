// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/placement/membership_thread.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace parley::placement {

// Brings each `done` to the thread.
class MembershipThread::User final : public HomeUser {
 public:
  User(MembershipThread& thread, HomeUser& user) : thread_(thread), user_(user) {}

  void on_view(const View& view, NodeId self) override { user_.on_view(view, self); }
  void on_lost(const std::vector<Slot>& slots) override { user_.on_lost(slots); }
  void on_gained(const std::vector<TakenSlot>& slots, Done done) override {
    user_.on_gained(slots, brought(std::move(done)));
  }
  void on_leaving(const std::vector<Slot>& slots, Done done) override {
    user_.on_leaving(slots, brought(std::move(done)));
  }
  void on_trouble(const std::optional<core::Error>& trouble) override { user_.on_trouble(trouble); }
  void on_ended(const core::Error& why) override { user_.on_ended(why); }

 private:
  Done brought(Done done) {
    return [this, done = std::move(done)]() mutable {
      thread_.worker_.post([this, done = std::move(done)]() mutable {
        done();
        thread_.turn_soon();
      });
    };
  }

  MembershipThread& thread_;
  HomeUser& user_;
};

MembershipThread::MembershipThread(NodeDescription self, std::unique_ptr<HomeStore> store,
                                   HomeMap& map, HomeUser& user, const core::Clock& clock)
    : store_(std::move(store)),
      user_(std::make_unique<User>(*this, user)),
      membership_(std::move(self), *store_, map, *user_, clock),
      worker_(clock) {
  worker_.post([this] { turn(); });
}

MembershipThread::~MembershipThread() { stop(); }

void MembershipThread::turn() {
  timer_ = 0;
  const core::MonoTime next = membership_.step();
  if (next == core::MonoTime::max()) return;
  const auto wait = std::chrono::ceil<core::Millis>(next - worker_.clock().mono());
  timer_ = worker_.after(std::max(wait, core::Millis(0)), [this] { turn(); });
}

void MembershipThread::turn_soon() {
  if (timer_ == 0) return;
  worker_.cancel(timer_);
  timer_ = worker_.after(core::Millis(0), [this] { turn(); });
}

void MembershipThread::drain() {
  worker_.post([this] {
    membership_.drain();
    turn_soon();
  });
}

void MembershipThread::stop() {
  worker_.post([this] {
    worker_.cancel(std::exchange(timer_, 0));
    membership_.leave();
  });
  worker_.stop();
}

}  // namespace parley::placement
