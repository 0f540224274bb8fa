// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The program that the kill test kills: commits from several threads for ever, and writes each
// acknowledgement to standard output, as one line in one write(2):
//   event SESSION SEQ MARKER | opened SESSION KEY | closed SESSION KEY
// Usage: kill_store_child DATA_DIR LIFE
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "model/event/sqlite_session_store.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley {
namespace {

constexpr int kThreads = 4;
constexpr std::size_t kOutstanding = 3;  // limit of open commits of one thread

void tell(const std::string& line) {
  // The reader is gone: this process is about to be killed.
  if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(2);
}

// One thread: asks, answers and streams in a session of its own.
class Writer {
 public:
  Writer(event::SessionStore& store, int index, std::string life)
      : store_(store),
        scheduler_(clock_),
        session_("session-" + std::to_string(index)),
        life_(std::move(life)),
        random_(static_cast<std::uint64_t>(index) * 7'919U + std::hash<std::string>{}(life_)) {}

  void run() {
    load();
    while (true) {
      while (in_flight_ < kOutstanding) commit_next();
      if (scheduler_.run_ready() == 0) std::this_thread::yield();
    }
  }

 private:
  void load() {
    std::optional<core::Result<event::SessionRow>> row;
    store_.session(session_, scheduler_,
                   [&row](core::Result<event::SessionRow> found) { row = std::move(found); });
    while (!row) {
      if (scheduler_.run_ready() == 0) std::this_thread::yield();
    }
    if (*row) next_seq_ = (*row)->last_seq + 1;
  }

  event::Event make_event(std::string type, const std::string& marker) {
    return {session_, next_seq_++,     clock_.wall(),
            "in",     std::move(type), "{\"marker\":\"" + marker + "\"}"};
  }

  void commit_next() {
    const std::string marker = "<" + life_ + "-" + session_ + "-" + std::to_string(++count_) + ">";
    event::Unit unit;
    if (next_seq_ == 1) {
      unit.session = event::SessionRow{session_, "assistant", "owner", "", clock_.wall(), 0, 1};
    }
    const std::uint64_t what = random_.next_u64() % 4;
    std::string told;
    if (what == 0) {
      told = open(unit, marker);
    } else if (what == 1 && !open_.empty()) {
      told = close(unit, marker);
    } else {
      unit.events.push_back(make_event("message", marker));
    }
    told += "event " + session_ + " " + std::to_string(unit.events[0].seq) + " " + marker + "\n";
    commit(std::move(unit), std::move(told));
    if (what == 3) stream();
  }

  void commit(event::Unit unit, std::string told) {
    ++in_flight_;
    unit.home_epoch = store_.home_epoch(session_);
    store_.commit(std::move(unit), scheduler_,
                  [this, told = std::move(told)](const core::Result<event::Revision>& done) {
                    --in_flight_;
                    if (!done) {
                      std::fprintf(stderr, "kill_store_child: %s\n", done.error().message.c_str());
                      std::_Exit(1);
                    }
                    tell(told);
                  });
  }

  std::string open(event::Unit& unit, const std::string& marker) {
    event::InteractionChange change;
    change.key = marker;
    change.id = marker;
    change.kind = "question";
    change.deadline = clock_.wall() + std::chrono::seconds(600);
    unit.events.push_back(make_event("interaction.opened", marker));
    unit.changes.push_back(std::move(change));
    open_.push_back(marker);
    return "opened " + session_ + " " + marker + "\n";
  }

  std::string close(event::Unit& unit, const std::string& marker) {
    event::InteractionChange change;
    change.key = change.id = std::move(open_.front());
    open_.pop_front();
    change.state = "answered";
    unit.events.push_back(make_event("interaction.closed", marker));
    std::string told = "closed " + session_ + " " + change.key + "\n";
    unit.changes.push_back(std::move(change));
    return told;
  }

  // Flowing events: their commits are not acknowledged, but must leave no gap.
  void stream() {
    event::Unit unit;
    unit.events.push_back(make_event("chunk", "flowing"));
    unit.home_epoch = store_.home_epoch(session_);
    store_.append_flowing(std::make_shared<const event::Unit>(std::move(unit)), scheduler_,
                          [](const core::Result<event::Revision>& /*result*/) {});
  }

  event::SessionStore& store_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_;
  std::string session_;
  std::string life_;
  core::SeededEntropy random_;
  std::uint64_t next_seq_ = 1;
  std::uint64_t count_ = 0;
  std::size_t in_flight_ = 0;
  std::deque<std::string> open_;  // keys of interactions
};

int run(const std::string& data_dir, const std::string& life) {
  core::SystemClock clock;
  core::SystemEntropy entropy;
  event::StoreOptions options;
  options.place = data_dir;
  options.checkpoint_pages = 50;  // so that kills also hit checkpoints
  options.restart_pages = 200;
  const auto store = event::SqliteSessionStore::open(options, clock, entropy);
  if (!store) {
    std::fprintf(stderr, "kill_store_child: %s\n", store.error().message.c_str());
    return 1;
  }
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&store, i, life] { Writer(**store, i, life).run(); });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}

}  // namespace
}  // namespace parley

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("Usage: kill_store_child DATA_DIR LIFE\n", stderr);
    return 2;
  }
  return parley::run(argv[1], argv[2]);
}
