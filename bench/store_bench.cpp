// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Durable events per second with 64 writers, each of which waits for its acknowledgement before it
// commits again. The peer is SQLite alone with the same rows in transactions of 64. Both run in
// turn, in the same minute, on the same disk. Prints one JSON array.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bare_store.h"
#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/core/json_writer.h"
#include "base/sql/checkpointer.h"
#include "bench_scheduler.h"
#include "give_up.h"
#include "model/event/sqlite_session_store.h"
#include "store_writers.h"

namespace parley {
namespace {

using bench::BenchScheduler;
using bench::give_up;
using bench::kMaxWriters;
using bench::next_event;
using bench::Writers;

const event::StoreOptions kStore;

struct Settings {
  int repetitions = 7;
  std::chrono::milliseconds run{700};
};

// SQLite alone: one thread, 64 rows per transaction. Its checkpoints run after the measured time,
// those of our store during it. Both keep the length of their log, so neither measures the growth
// of a file.
class Ceiling {
 public:
  explicit Ceiling(const std::string& path) : store_(path, 0) {}

  double run(std::size_t group, std::chrono::milliseconds time) {
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t rows = 0;
    while (std::chrono::steady_clock::now() < begin + time) {
      store_.begin();
      for (std::size_t writer = 0; writer < group; ++writer) {
        insert(writer, next_event(writer, seq_, clock_.wall()));
      }
      store_.commit();
      ++seq_;
      rows += group;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    store_.checkpoint();
    return static_cast<double>(rows) / took.count();
  }

 protected:
  void insert(std::size_t writer, const event::Event& event) {
    store_.insert(static_cast<std::int64_t>(writer + 1), event.seq, event.at, event.direction,
                  event.type, event.payload);
  }
  core::SystemClock clock_;
  bench::BareStore store_;
  std::uint64_t seq_ = 1;
};

// The least that a store with a thread of its own does: another thread makes each event once its
// last one is acknowledged, a group is handed over with one notification and acknowledged with
// another, and the log is checkpointed by a third thread at the size at which ours is. No session,
// no interaction, no check, no queue.
class Floor : private Ceiling {
 public:
  explicit Floor(const std::string& path) : Ceiling(path), checkpointer_(connect(path), clock_) {}

  double run(std::size_t group, std::chrono::milliseconds time) {
    const auto begin = std::chrono::steady_clock::now();
    stop_ = false;
    std::thread writer([this] { write(); });
    std::vector<event::Event> events;
    std::uint64_t rows = 0;
    while (std::chrono::steady_clock::now() < begin + time) {
      for (std::size_t i = 0; i < group; ++i) events.push_back(next_event(i, seq_, clock_.wall()));
      ++seq_;
      hand_over(events);
      rows += group;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    writer.join();
    return static_cast<double>(rows) / took.count();
  }

 private:
  static sql::Database connect(const std::string& path) {
    core::Result<sql::Database> database = sql::Database::open(path, sql::OpenMode::read_write);
    if (!database) give_up(database.error().message);
    return std::move(*database);
  }
  // Returns when the events are durable; `events` is empty then.
  void hand_over(std::vector<event::Event>& events) {
    std::unique_lock lock(mutex_);
    waiting_.swap(events);
    changed_.notify_all();
    changed_.wait(lock, [this] { return waiting_.empty(); });
  }
  void write() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
      if (stop_) return;
      store_.begin();
      for (std::size_t i = 0; i < waiting_.size(); ++i) insert(i, waiting_[i]);
      store_.commit();
      waiting_.clear();
      changed_.notify_all();
      const int pages = store_.log_pages();
      if (pages < checkpointed_at_) checkpointed_at_ = 0;
      if (pages >= kStore.restart_pages) {
        store_.checkpoint();
      } else if (pages - checkpointed_at_ >= kStore.checkpoint_pages) {
        checkpointed_at_ = pages;
        checkpointer_.request();
      }
    }
  }

  sql::Checkpointer checkpointer_;
  int checkpointed_at_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<event::Event> waiting_;
  bool stop_ = false;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void report(core::JsonWriter& json, std::string_view name, std::string_view peer,
            const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  json.begin_object();
  json.key("name").string(name);
  json.key("value").number(median(ours));
  json.key("unit").string("events/s");
  json.key("peer").string(peer);
  json.key("peer_value").number(median(theirs));
  json.key("ratio").number(median(ratios));
  json.key("ratio_min").number(*least);
  json.key("ratio_max").number(*most);
  json.end_object();
}

// The stores, one after the other, so many times.
class Comparison {
 public:
  Comparison(event::SqliteSessionStore& store, const std::string& directory)
      : store_(store),
        writers_(store, scheduler_),
        ceiling_(directory + "/ceiling.db"),
        floor_(directory + "/floor.db") {}

  void run(std::size_t writers, const Settings& settings, core::JsonWriter& json) {
    // Not measured: all logs reach their length.
    writers_.run(writers, settings.run);
    ceiling_.run(writers, settings.run);
    floor_.run(writers, settings.run);
    std::vector<double> ours;
    std::vector<double> alone;
    std::vector<double> least;
    for (int i = 0; i < settings.repetitions; ++i) {
      const event::StoreStats before = store_.stats();
      ours.push_back(writers_.run(writers, settings.run));
      const event::StoreStats after = store_.stats();
      alone.push_back(ceiling_.run(writers, settings.run));
      least.push_back(floor_.run(writers, settings.run));
      std::fprintf(stderr, "%8.0f events/s, SQLite alone %8.0f, handed over %8.0f, %5.1f a group\n",
                   ours.back(), alone.back(), least.back(),
                   static_cast<double>(after.units - before.units) /
                       static_cast<double>(after.groups - before.groups));
    }
    const std::string name = "store.durable_events_" + std::to_string(writers) + "_writers";
    const std::string rows = std::to_string(writers) + " rows a transaction, synchronous=FULL";
    report(json, name, "SQLite alone, " + rows, ours, alone);
    report(json, name + "_floor", "SQLite on a thread with checkpoints, " + rows, ours, least);
  }

 private:
  event::SqliteSessionStore& store_;
  BenchScheduler scheduler_;
  Writers writers_;
  Ceiling ceiling_;
  Floor floor_;
};

int run(const std::string& directory, const Settings& settings) {
  core::SystemClock clock;
  core::SystemEntropy entropy;
  event::StoreOptions options;
  options.place = directory + "/store";
  core::Result<std::unique_ptr<event::SqliteSessionStore>> store =
      event::SqliteSessionStore::open(options, clock, entropy);
  if (!store) give_up(store.error().message);
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  {
    Comparison comparison(**store, directory);
    for (const std::size_t writers : {std::size_t{64}, kMaxWriters}) {
      comparison.run(writers, settings, json);
    }
  }
  json.end_array();
  (*store)->close();
  std::puts(out.c_str());
  return 0;
}

}  // namespace
}  // namespace parley

// store_bench [DIRECTORY [REPETITIONS]]: the directory, on the disk to be measured, is created and
// removed; default: a new one in the working directory.
int main(int argc, char** argv) {
  std::string directory = argc > 1 ? argv[1] : "store-bench-XXXXXX";
  if (argc <= 1 && ::mkdtemp(directory.data()) == nullptr) return 1;
  std::filesystem::create_directories(directory);
  parley::Settings settings;
  if (argc > 2) settings.repetitions = std::max(1, std::atoi(argv[2]));
  const int status = parley::run(directory, settings);
  std::filesystem::remove_all(directory);
  return status;
}
