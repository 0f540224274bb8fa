// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Durable events a second with 64 writers, each of which waits for its acknowledgement before it
// commits again, beside what SQLite itself does with the same rows in transactions of 64. Both run
// in turn, in the same minute, on the same disk. Prints one JSON array.
#include <sqlite3.h>

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

#include "bench_scheduler.h"
#include "core/clock.h"
#include "core/entropy.h"
#include "core/json_writer.h"
#include "event/schema.h"
#include "event/sqlite_session_store.h"
#include "give_up.h"
#include "sql/database.h"

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

void check(const core::Result<void>& done) {
  if (!done) give_up(done.error().message);
}

std::string session_name(std::size_t writer) { return "session-" + std::to_string(writer); }

event::Event next_event(std::size_t writer, std::uint64_t seq, core::WallTime at) {
  static const std::string payload = "{\"text\":\"" + std::string(kPayloadBytes - 11, 'x') + "\"}";
  return {session_name(writer), seq, at, "in", "message", payload};
}

// The writers: each commits one event, and the next one when that is acknowledged.
class Writers {
 public:
  Writers(event::SessionStore& store, core::Scheduler& scheduler)
      : store_(store), scheduler_(scheduler), epoch_(store.home_epoch("")), next_(kWriters, 1) {}

  // Events acknowledged in `time`, a second.
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
  std::uint64_t acknowledged_ = 0;  // of the scheduler's thread while running
  std::mutex mutex_;
  std::condition_variable finished_;
  std::size_t running_ = 0;
};

// SQLite alone: one thread, one prepared INSERT, 64 rows a transaction, nothing else. It need not
// even checkpoint: that is done after the time is taken, while our store does its own meanwhile.
// Its log keeps its length, as ours does, so that neither pays for a file that grows.
class Ceiling {
 public:
  explicit Ceiling(const std::string& path) {
    core::SystemEntropy entropy;
    core::Result<sql::Database> database = sql::Database::open(path, sql::OpenMode::create);
    if (!database) give_up(database.error().message);
    database_ = std::move(*database);
    check(database_.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;"
        " PRAGMA wal_autocheckpoint = 0"));
    check(sql::migrate(database_, event::schema(), [&entropy](sql::Database& file) {
      return event::make_epoch(file, entropy);
    }));
    sqlite3_prepare_v2(database_.handle(),
                       "INSERT INTO events (key, at, direction, type, payload)"
                       " VALUES (?1, ?2, ?3, ?4, ?5)",
                       -1, &insert_, nullptr);
  }
  Ceiling(const Ceiling&) = delete;
  Ceiling& operator=(const Ceiling&) = delete;
  ~Ceiling() { sqlite3_finalize(insert_); }

  double run(std::chrono::milliseconds time) {
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t rows = 0;
    while (std::chrono::steady_clock::now() < begin + time) {
      step("BEGIN IMMEDIATE");
      for (std::size_t writer = 0; writer < kWriters; ++writer) insert(writer);
      step("COMMIT");
      ++seq_;
      rows += kWriters;
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    step("PRAGMA wal_checkpoint(RESTART)");
    return static_cast<double>(rows) / took.count();
  }

 private:
  void step(const char* sql) { check(database_.execute(sql)); }

  void insert(std::size_t writer) {
    const event::Event event = next_event(writer, seq_, clock_.wall());
    sqlite3_bind_int64(insert_, 1, event::event_key(static_cast<std::int64_t>(writer + 1), seq_));
    sqlite3_bind_int64(insert_, 2, core::to_unix_ms(event.at));
    bind(3, event.direction);
    bind(4, event.type);
    bind(5, event.payload);
    if (sqlite3_step(insert_) != SQLITE_DONE) give_up(sqlite3_errmsg(database_.handle()));
    sqlite3_reset(insert_);
  }
  void bind(int index, const std::string& text) {
    sqlite3_bind_text(insert_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  core::SystemClock clock_;
  sql::Database database_;
  sqlite3_stmt* insert_ = nullptr;
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
  // Unmeasured: both logs get their length.
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

// store_bench [DIRECTORY [REPETITIONS]]: the directory, on the disk to be measured, is made and
// removed; default: a new one beside the working directory.
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
