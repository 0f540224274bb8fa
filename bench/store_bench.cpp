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
#include "bench_scheduler.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/json_writer.h"
#include "event/sqlite_session_store.h"
#include "give_up.h"

namespace parley {
namespace {

using bench::BenchScheduler;
using bench::give_up;

constexpr std::size_t kWriters = 64;
constexpr std::size_t kPayloadBytes = 400;

struct Settings {
  int repetitions = 7;
  std::chrono::milliseconds run{700};
};

std::string session_name(std::size_t writer) { return "session-" + std::to_string(writer); }

event::Event next_event(std::size_t writer, std::uint64_t seq, core::WallTime at) {
  static const std::string payload = "{\"text\":\"" + std::string(kPayloadBytes - 11, 'x') + "\"}";
  return {session_name(writer), seq, at, "in", "message", payload};
}

// The writers: each commits one event, and the next one once that is acknowledged.
class Writers {
 public:
  Writers(event::SessionStore& store, core::Scheduler& scheduler)
      : store_(store), scheduler_(scheduler), epoch_(store.home_epoch("")), next_(kWriters, 1) {}

  // Acknowledged events per second during `time`.
  double run(std::chrono::milliseconds time) {
    const auto begin = std::chrono::steady_clock::now();
    end_ = begin + time;
    acknowledged_ = 0;
    running_ = kWriters;
    scheduler_.post([this] {
      for (std::size_t writer = 0; writer < kWriters; ++writer) commit(writer);
    });
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return running_ == 0; });
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(acknowledged_) / took.count();
  }

 private:
  void commit(std::size_t writer) {
    event::Unit unit;
    const std::uint64_t seq = next_[writer]++;
    if (seq == 1) {
      unit.session = event::SessionRow{session_name(writer), "assistant", "owner", "", {}, 0, 1};
    }
    unit.events.push_back(next_event(writer, seq, scheduler_.clock().wall()));
    unit.home_epoch = epoch_;
    store_.commit(std::move(unit), scheduler_,
                  [this, writer](const core::Result<event::Revision>& done) {
                    if (!done) give_up(done.error().message);
                    ++acknowledged_;
                    if (std::chrono::steady_clock::now() < end_) {
                      commit(writer);
                      return;
                    }
                    const std::scoped_lock lock(mutex_);
                    if (--running_ == 0) finished_.notify_one();
                  });
  }

  event::SessionStore& store_;
  core::Scheduler& scheduler_;
  const event::HomeEpoch epoch_;
  std::vector<std::uint64_t> next_;
  std::chrono::steady_clock::time_point end_;
  std::uint64_t acknowledged_ = 0;  // used by the scheduler's thread while running
  std::mutex mutex_;
  std::condition_variable finished_;
  std::size_t running_ = 0;
};

// SQLite alone: one thread, 64 rows a transaction. Its checkpoints run after the measured time,
// while those of our store run during it. Its log keeps its length, as ours does, so that neither
// pays for a growing file.
class Ceiling {
 public:
  explicit Ceiling(const std::string& path) : store_(path, 0) {}

  double run(std::chrono::milliseconds time) {
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t rows = 0;
    while (std::chrono::steady_clock::now() < begin + time) {
      store_.begin();
      for (std::size_t writer = 0; writer < kWriters; ++writer) insert(writer);
      store_.commit();
      ++seq_;
      rows += kWriters;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    store_.checkpoint();
    return static_cast<double>(rows) / took.count();
  }

 private:
  void insert(std::size_t writer) {
    const event::Event event = next_event(writer, seq_, clock_.wall());
    store_.insert(static_cast<std::int64_t>(writer + 1), seq_, event.at, event.direction,
                  event.type, event.payload);
  }

  core::SystemClock clock_;
  bench::BareStore store_;
  std::uint64_t seq_ = 1;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void report(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / theirs[i]);
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  std::string out;
  core::JsonWriter json(out);
  json.begin_array().begin_object();
  json.key("name").string("store.durable_events_64_writers");
  json.key("value").number(median(ours));
  json.key("unit").string("events/s");
  json.key("peer").string("SQLite alone, 64 rows a transaction, synchronous=FULL");
  json.key("peer_value").number(median(theirs));
  json.key("ratio").number(median(ratios));
  json.key("ratio_min").number(*least);
  json.key("ratio_max").number(*most);
  json.end_object().end_array();
  std::puts(out.c_str());
}

int run(const std::string& directory, const Settings& settings) {
  core::SystemClock clock;
  core::SystemEntropy entropy;
  event::StoreOptions options;
  options.data_dir = directory + "/store";
  core::Result<std::unique_ptr<event::SqliteSessionStore>> store =
      event::SqliteSessionStore::open(options, clock, entropy);
  if (!store) give_up(store.error().message);
  BenchScheduler scheduler;
  Writers writers(**store, scheduler);
  Ceiling ceiling(directory + "/ceiling.db");
  std::vector<double> ours;
  std::vector<double> theirs;
  // Not measured: both logs reach their length.
  writers.run(settings.run);
  ceiling.run(settings.run);
  for (int i = 0; i < settings.repetitions; ++i) {
    ours.push_back(writers.run(settings.run));
    theirs.push_back(ceiling.run(settings.run));
    const event::StoreStats stats = (*store)->stats();
    std::fprintf(stderr, "%8.0f events/s, SQLite alone %8.0f, %5.1f events a group\n", ours.back(),
                 theirs.back(),
                 static_cast<double>(stats.units) / static_cast<double>(stats.groups));
  }
  (*store)->close();
  report(ours, theirs);
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
