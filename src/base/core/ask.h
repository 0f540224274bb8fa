// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/core/contain.h"
#include "base/core/result.h"
#include "base/core/scheduler.h"
#include "base/core/worker.h"

// Requests to another thread and their replies, as callbacks. A callback (`done`, `use`) is any
// callable, also one that can only be moved. It runs once on the thread that the function names,
// and is destroyed there; if that scheduler has stopped, it is destroyed without running.
namespace parley::core {

// Runs `done(result)` on `home`, in a later task even if the caller is on that thread. Any thread.
// `result` may be what fail() returns, if `done` takes a Result.
template <typename Done, typename Answer>
void reply(Scheduler& home, Done done, Answer result) {
  home.post(
      [done = std::move(done), result = std::move(result)]() mutable { done(std::move(result)); });
}

// A callable that passes its argument to reply(). To be called once, on any thread, while `home`
// lives.
template <typename Done>
auto reply_on(Scheduler& home, Done done) {
  return [&home, done = std::move(done)](auto result) mutable -> void {
    reply(home, std::move(done), std::move(result));
  };
}

// Runs `work`, which returns a Result<T>, on `there`, then `done` with the result on `home`. Any
// thread. An exception of `work` becomes its error (contain.h); `place` names the work in the log
// and must live as long as the program. `work` is destroyed on `there`, after the reply is posted.
template <typename Done, typename Work>
void ask(Scheduler& there, std::string_view place, Scheduler& home, Done done, Work work) {
  there.post([place, &home, done = std::move(done), work = std::move(work)]() mutable {
    reply(home, std::move(done), contain(place, work));
  });
}

// As above. Further error of `done`: `unavailable`, if the worker has stopped.
template <typename Done, typename Work>
void ask(Worker& there, std::string_view place, Scheduler& home, Done done, Work work) {
  // Shared, because a task that is not taken does not give `done` back.
  const auto asked = std::make_shared<Done>(std::move(done));
  Task task = [place, &home, asked, work = std::move(work)]() mutable {
    reply(home, std::move(*asked), contain(place, work));
  };
  if (there.try_post(task)) return;
  reply(home, std::move(*asked), fail(Code::unavailable, "The server is shutting down."));
}

// A callable that runs `use(owner, arguments...)` while the owner lives, and does nothing once it
// is gone. Returned by unless_gone(). A std::weak_ptr with a lambda that captures nothing fits into
// a Task without an allocation.
template <typename Watch, typename Use>
class UnlessGone {
 public:
  UnlessGone(Watch watch, Use use) : watch_(std::move(watch)), use_(std::move(use)) {}

  template <typename... Arguments>
  void operator()(Arguments&&... arguments) {
    if (const auto owner = locked(watch_)) {
      std::invoke(use_, *owner, std::forward<Arguments>(arguments)...);
    }
  }

 private:
  template <typename Owner>
  static std::shared_ptr<Owner> locked(const std::weak_ptr<Owner>& watch) {
    return watch.lock();
  }
  template <typename Owner>
  static Owner* locked(const std::shared_ptr<Owner*>& watch) {
    return *watch;
  }

  Watch watch_;
  [[no_unique_address]] Use use_;
};

// `use` is a callable or a method of the owner. The owner lives until `use` returns, and may be
// destroyed on the thread that calls it.
template <typename Owner, typename Use>
UnlessGone<std::weak_ptr<Owner>, Use> unless_gone(std::weak_ptr<Owner> owner, Use use) {
  return {std::move(owner), std::move(use)};
}

// The same for an owner that is not shared: its destructor sets the pointer to null. To be called
// on the owner's thread; `use` may destroy the owner.
template <typename Owner, typename Use>
UnlessGone<std::shared_ptr<Owner*>, Use> unless_gone(std::shared_ptr<Owner*> owner, Use use) {
  return {std::move(owner), std::move(use)};
}

// The same for an owner that `use` reaches by itself: `life` is its member, and its destructor ends
// it. To be called on the owner's thread; `use` may destroy the owner.
template <typename Life, typename Use>
auto while_alive(const std::shared_ptr<Life>& life, Use use) {
  return [life = std::weak_ptr<Life>(life), use = std::move(use)](auto&&... arguments) mutable {
    if (life.lock() != nullptr) std::invoke(use, std::forward<decltype(arguments)>(arguments)...);
  };
}

}  // namespace parley::core
