// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/loop/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/core/assert.h"
#include "base/core/contain.h"
#include "base/core/loop_thread.h"
#include "base/net/loop/stream.h"

namespace parley::net {
namespace {

constexpr std::size_t kEventsPerTurn = 512;
// Turns without a look at the descriptors and timers between them. A chain of posted tasks, such as
// that of a piece of a run, costs one system call so.
constexpr int kTurnsPerWait = 4;
// Rounds of turn-end handlers in one turn; later registrations wait for the next turn.
constexpr int kTurnEndRounds = 4;
// Cancelled timers stay in the heap until they are due or outnumber the live ones.
constexpr std::size_t kHeapSlack = 64;

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "parley: event loop: %s: %s\n", what, std::strerror(errno));
  std::abort();
}

// Catches exceptions of all tasks and callbacks of the loop: the task that threw ends, its objects
// are destroyed, and the loop continues.
template <typename Task>
void contained(Task&& task) {
  static_cast<void>(core::contain("event loop", std::forward<Task>(task)));
}

struct HeapEntry {
  core::MonoTime due;
  core::TimerId id = 0;
};

struct LaterFirst {
  bool operator()(const HeapEntry& a, const HeapEntry& b) const {
    return a.due != b.due ? a.due > b.due : a.id > b.id;
  }
};

}  // namespace

struct Loop::Impl {
  explicit Impl(const core::Clock& of) : clock(of) {}

  int wait_millis();
  void run_posted();
  void run_timers();
  void run_ready(int count);
  void run_turn_end();
  void compact_timers();
  bool has_posted();
  bool goes_on() { return !stopping.load(std::memory_order_relaxed) && has_posted(); }
  void wake() const;
  bool owned_here() const;

  const core::Clock& clock;
  int epoll = -1;
  int wakeup = -1;
  std::atomic<std::thread::id> thread{std::this_thread::get_id()};
  std::atomic<bool> stopping{false};
  std::atomic<bool> started{false};  // run() was called
  std::atomic<bool> ended{false};    // no thread runs the loop any more

  std::mutex mutex;
  std::vector<core::Task> posted;  // guarded by mutex
  bool woken = false;              // guarded by mutex: the eventfd has been written
  bool stopped = false;            // guarded by mutex
  std::vector<core::Task> taken;

  std::vector<HeapEntry> heap;
  absl::flat_hash_map<core::TimerId, core::Task> timers;
  core::TimerId last_timer = 0;

  std::array<epoll_event, kEventsPerTurn> ready{};
  int ready_at = 0;
  int ready_end = 0;
  std::vector<TurnEndHandler*> turn_end;
  std::vector<TurnEndHandler*> turn_end_running;
  std::unique_ptr<char[]> buffer;
  std::vector<std::string> spares;
};

Loop::Loop(const core::Clock& clock) : impl_(std::make_unique<Impl>(clock)) {
  impl_->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (impl_->epoll < 0) die("epoll_create1");
  impl_->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (impl_->wakeup < 0) die("eventfd");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = nullptr;
  if (epoll_ctl(impl_->epoll, EPOLL_CTL_ADD, impl_->wakeup, &event) != 0) die("epoll_ctl");
  impl_->buffer = std::make_unique<char[]>(kReadBytes + Stream::kReadPadding);
}

Loop::~Loop() {
  PARLEY_ASSERT(!impl_->started.load() || impl_->ended.load(),
                "event loop: destroyed while its thread runs it");
  impl_->ended.store(true);
  // Tasks may own objects that call back into the loop while they are destroyed.
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->stopped = true;
  }
  std::vector<core::Task> tasks;
  tasks.swap(impl_->posted);
  tasks.clear();
  auto timers = std::move(impl_->timers);
  impl_->timers.clear();
  timers.clear();
  close(impl_->wakeup);
  close(impl_->epoll);
}

void Loop::run() {
  const core::LoopThread mark;
  Impl& loop = *impl_;
  PARLEY_ASSERT(!loop.started.exchange(true), "event loop: run() is called twice");
  loop.thread.store(std::this_thread::get_id());
  while (!loop.stopping.load(std::memory_order_relaxed)) {
    const int count = epoll_wait(loop.epoll, loop.ready.data(), kEventsPerTurn, loop.wait_millis());
    if (count < 0 && errno != EINTR) die("epoll_wait");
    loop.run_ready(count);
    loop.run_timers();
    loop.run_posted();
    loop.run_turn_end();
    for (int turn = 1; turn < kTurnsPerWait && loop.goes_on(); ++turn) {
      loop.run_posted();
      loop.run_turn_end();
    }
  }
  std::vector<core::Task> dropped;
  {
    const std::scoped_lock lock(loop.mutex);
    loop.stopped = true;
    dropped.swap(loop.posted);
  }
  dropped.clear();
  loop.ended.store(true);
}

void Loop::stop() {
  impl_->stopping.store(true);
  impl_->wake();
}

void Loop::post(core::Task task) {
  PARLEY_ASSERT(task != nullptr, "event loop: an empty task is posted");
  const bool own_thread = in_thread();
  bool wake = false;
  {
    const std::scoped_lock lock(impl_->mutex);
    if (impl_->stopped) return;
    impl_->posted.push_back(std::move(task));
    // No wake-up is needed on the loop's own thread, which checks `posted` before it sleeps.
    wake = !own_thread && !impl_->woken;
    if (wake) impl_->woken = true;
  }
  if (wake) impl_->wake();
}

core::TimerId Loop::after(core::Millis delay, core::Task task) {
  Impl& loop = *impl_;
  PARLEY_ASSERT(loop.owned_here(), "event loop: timer " + std::to_string(loop.last_timer + 1) +
                                       " is set by another thread");
  PARLEY_ASSERT(task != nullptr,
                "event loop: timer " + std::to_string(loop.last_timer + 1) + " has no task");
  const core::TimerId id = ++loop.last_timer;
  const core::MonoTime due = loop.clock.mono() + std::max(delay, core::Millis(0));
  loop.heap.push_back({due, id});
  std::push_heap(loop.heap.begin(), loop.heap.end(), LaterFirst{});
  loop.timers.emplace(id, std::move(task));
  return id;
}

void Loop::cancel(core::TimerId timer) {
  if (timer == 0) return;
  Impl& loop = *impl_;
  PARLEY_ASSERT(loop.owned_here(),
                "event loop: timer " + std::to_string(timer) + " is cancelled by another thread");
  PARLEY_ASSERT(timer <= loop.last_timer, "event loop: timer " + std::to_string(timer) +
                                              " is cancelled and was never set; the last one is " +
                                              std::to_string(loop.last_timer));
  const auto found = loop.timers.find(timer);
  if (found == loop.timers.end()) return;
  const core::Task task = std::move(found->second);
  loop.timers.erase(found);
  loop.compact_timers();
}

bool Loop::in_thread() const { return impl_->thread.load() == std::this_thread::get_id(); }

bool Loop::owned_here() const { return impl_->owned_here(); }

bool Loop::Impl::owned_here() const {
  return thread.load() == std::this_thread::get_id() || ended.load();
}

const core::Clock& Loop::clock() const { return impl_->clock; }

bool Loop::add(int fd, std::uint32_t events, FdHandler& handler) {
  PARLEY_ASSERT(impl_->owned_here(),
                "event loop: descriptor " + std::to_string(fd) + " is added by another thread");
  PARLEY_ASSERT(fd >= 0, "event loop: a closed descriptor is added");
  epoll_event event{};
  event.events = events;
  event.data.ptr = &handler;
  return epoll_ctl(impl_->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

bool Loop::modify(int fd, std::uint32_t events, FdHandler& handler) {
  PARLEY_ASSERT(impl_->owned_here(),
                "event loop: descriptor " + std::to_string(fd) + " is changed by another thread");
  epoll_event event{};
  event.events = events;
  event.data.ptr = &handler;
  if (epoll_ctl(impl_->epoll, EPOLL_CTL_MOD, fd, &event) == 0) return true;
  remove(fd, handler);
  return false;
}

void Loop::remove(int fd, FdHandler& handler) {
  PARLEY_ASSERT(impl_->owned_here(),
                "event loop: descriptor " + std::to_string(fd) + " is removed by another thread");
  epoll_event event{};
  if (epoll_ctl(impl_->epoll, EPOLL_CTL_DEL, fd, &event) != 0) die("epoll_ctl remove");
  for (int i = impl_->ready_at; i < impl_->ready_end; ++i) {
    epoll_event& stale = impl_->ready[static_cast<std::size_t>(i)];
    if (stale.data.ptr == &handler) stale.events = 0;
  }
}

void Loop::at_turn_end(TurnEndHandler& handler) {
  PARLEY_ASSERT(impl_->owned_here(), "event loop: a turn's end is asked for by another thread");
  // Only the last entry is compared: a double registration usually happens at once.
  PARLEY_ASSERT(impl_->turn_end.empty() || impl_->turn_end.back() != &handler,
                "event loop: a handler asks twice for the end of a turn; " +
                    std::to_string(impl_->turn_end.size()) + " wait for it");
  impl_->turn_end.push_back(&handler);
}

void Loop::forget_turn_end(TurnEndHandler& handler) {
  PARLEY_ASSERT(impl_->owned_here(), "event loop: a turn's end is taken back by another thread");
  for (auto* list : {&impl_->turn_end, &impl_->turn_end_running}) {
    const auto found = std::find(list->rbegin(), list->rend(), &handler);
    if (found != list->rend()) *found = nullptr;
  }
}

char* Loop::read_buffer() {
  PARLEY_ASSERT(impl_->owned_here(), "event loop: its read buffer is used by another thread");
  return impl_->buffer.get();
}

std::string Loop::take_spare() {
  PARLEY_ASSERT(impl_->owned_here(), "event loop: a spare buffer is taken by another thread");
  std::vector<std::string>& spares = impl_->spares;
  if (spares.empty()) return {};
  std::string buffer = std::move(spares.back());
  spares.pop_back();
  buffer.clear();
  return buffer;
}

void Loop::return_spare(std::string buffer) {
  PARLEY_ASSERT(impl_->owned_here(), "event loop: a spare buffer is returned by another thread");
  const bool has_room = buffer.capacity() > std::string().capacity();
  if (!has_room || buffer.capacity() > kSpareBytes || impl_->spares.size() >= kSpares) return;
  impl_->spares.push_back(std::move(buffer));
}

void Loop::Impl::wake() const {
  const std::uint64_t one = 1;
  // The only possible error is EAGAIN, and then the counter is not 0.
  [[maybe_unused]] const ssize_t written = ::write(wakeup, &one, sizeof(one));
}

bool Loop::Impl::has_posted() {
  const std::scoped_lock lock(mutex);
  return !posted.empty();
}

int Loop::Impl::wait_millis() {
  if (!turn_end.empty() || has_posted()) return 0;
  while (!heap.empty() && !timers.contains(heap.front().id)) {
    std::pop_heap(heap.begin(), heap.end(), LaterFirst{});
    heap.pop_back();
  }
  PARLEY_ASSERT(heap.size() >= timers.size(),
                "event loop: " + std::to_string(timers.size()) + " timers are set, and only " +
                    std::to_string(heap.size()) + " of them would ever run");
  if (heap.empty()) return -1;
  const auto left = std::chrono::ceil<core::Millis>(heap.front().due - clock.mono());
  constexpr core::Millis kLongest = std::chrono::hours(1);
  return static_cast<int>(std::clamp(left, core::Millis(0), kLongest).count());
}

void Loop::Impl::run_ready(int count) {
  PARLEY_ASSERT(ready_at == ready_end, "event loop: a turn begins within a turn; " +
                                           std::to_string(ready_end - ready_at) +
                                           " descriptors are ready and not served");
  ready_end = std::max(count, 0);
  for (ready_at = 0; ready_at < ready_end;) {
    const epoll_event event = ready[static_cast<std::size_t>(ready_at++)];
    if (event.events == 0) continue;
    if (event.data.ptr != nullptr) {
      auto* const handler = static_cast<FdHandler*>(event.data.ptr);
      contained([&] { handler->on_ready(event.events); });
      continue;
    }
    std::uint64_t drained = 0;
    [[maybe_unused]] const ssize_t got = ::read(wakeup, &drained, sizeof(drained));
    const std::scoped_lock lock(mutex);
    woken = false;
  }
  ready_at = 0;
  ready_end = 0;
}

void Loop::Impl::run_timers() {
  if (heap.empty()) return;
  const core::MonoTime now = clock.mono();
  // A timer that is set from a timer gets a larger id and waits for the next turn.
  const core::TimerId newest = last_timer;
  std::vector<HeapEntry> later;
  while (!heap.empty() && heap.front().due <= now) {
    const HeapEntry entry = heap.front();
    std::pop_heap(heap.begin(), heap.end(), LaterFirst{});
    heap.pop_back();
    PARLEY_ASSERT(entry.id <= last_timer, "event loop: timer " + std::to_string(entry.id) +
                                              " is due and was never set; the last one is " +
                                              std::to_string(last_timer));
    if (entry.id > newest) {
      later.push_back(entry);
      continue;
    }
    const auto found = timers.find(entry.id);
    if (found == timers.end()) continue;
    core::Task task = std::move(found->second);
    timers.erase(found);
    contained(task);
  }
  for (const HeapEntry& entry : later) {
    heap.push_back(entry);
    std::push_heap(heap.begin(), heap.end(), LaterFirst{});
  }
}

void Loop::Impl::run_posted() {
  PARLEY_ASSERT(taken.empty(),
                "event loop: " + std::to_string(taken.size()) + " posted tasks would run twice");
  {
    const std::scoped_lock lock(mutex);
    taken.swap(posted);
  }
  for (core::Task& task : taken) {
    contained([&] {
      core::Task running = std::move(task);
      running();
    });
  }
  taken.clear();
}

void Loop::Impl::run_turn_end() {
  for (int round = 0; round < kTurnEndRounds && !turn_end.empty(); ++round) {
    PARLEY_ASSERT(turn_end_running.empty(), "event loop: the end of a turn within another");
    turn_end_running.swap(turn_end);
    // forget_turn_end() replaces a handler of this list by a null.
    for (TurnEndHandler*& next : turn_end_running) {
      TurnEndHandler* const handler = std::exchange(next, nullptr);
      if (handler != nullptr) contained([&] { handler->on_turn_end(); });
    }
    turn_end_running.clear();
  }
}

void Loop::Impl::compact_timers() {
  if (heap.size() <= 2 * timers.size() + kHeapSlack) return;
  std::erase_if(heap, [this](const HeapEntry& entry) { return !timers.contains(entry.id); });
  std::make_heap(heap.begin(), heap.end(), LaterFirst{});
}

}  // namespace parley::net
