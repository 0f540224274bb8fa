// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Time of the store for the first page of an owner's sessions, and for the first and the last page
// of a session with many events. The peer is SQLite alone with the rows of that page under an index
// that has them in order. Pages are requested one after another. The last row is p95 of the newest
// page while other sessions stream, beside its p95 without them.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "bench_scheduler.h"
#include "give_up.h"
#include "model/event/schema.h"
#include "model/event/sqlite_session_store.h"
#include "row.h"

namespace parley {
namespace {

using bench::BenchScheduler;
using bench::give_up;

constexpr std::size_t kPage = 100;
constexpr std::uint64_t kEventsOfASession = 20;
constexpr std::uint64_t kEventsOfAUnit = 500;
constexpr const char* kLong = "long";
constexpr std::size_t kStreams = 16;
constexpr auto kBetweenPieces = std::chrono::milliseconds(20);
constexpr auto kBetweenReads = std::chrono::milliseconds(2);
constexpr int kTurns = 5;

struct Settings {
  std::size_t sessions = 10'000;
  std::uint64_t events = 1'000'000;
  int repetitions = 200;
};

template <typename T>
T value_of(core::Result<T> result) {
  if (!result) give_up(result.error().message);
  return std::move(*result);
}

// Calls the store and waits for its answer.
template <typename T, typename Ask>
T wait_for(Ask ask) {
  std::promise<core::Result<T>> answered;
  ask([&](core::Result<T> answer) { answered.set_value(std::move(answer)); });
  return value_of(answered.get_future().get());
}

class Pages {
 public:
  Pages(const std::string& directory, const Settings& settings) : settings_(settings) {
    event::StoreOptions options;
    options.place = directory;
    store_ = value_of(event::SqliteSessionStore::open(options, clock_, entropy_));
    // Many sessions with a few events each precede the long one.
    for (std::size_t i = 0; i < settings.sessions; ++i) {
      fill("session-" + std::to_string(i), kEventsOfASession);
    }
    fill(kLong, settings.events);
    reader_ = value_of(sql::Database::open(event::store_path(directory), sql::OpenMode::read_only));
  }

  void measure(bench::Row& row, const std::function<std::size_t()>& ours,
               const std::string& plain_sql) {
    row.unit = "ms";
    row.peer = "SQLite alone, the same rows by an index";
    for (int i = 0; i < settings_.repetitions; ++i) {
      row.ours.push_back(time_of(ours));
      row.theirs.push_back(time_of([&] { return rows_of(plain_sql); }));
    }
  }

  std::size_t first_sessions() {
    return wait_for<std::vector<event::SessionRow>>(
               [&](auto done) { store_->sessions("owner", kPage, scheduler_, std::move(done)); })
        .size();
  }
  std::size_t page(const event::ReadQuery& query) {
    return wait_for<event::EventPage>(
               [&](auto done) { store_->read(query, scheduler_, std::move(done)); })
        .events.size();
  }
  // p95 in ms of one page, `settings.repetitions` times.
  double p95_of(const event::ReadQuery& query) {
    std::vector<double> times;
    for (int i = 0; i < settings_.repetitions; ++i) {
      times.push_back(time_of([&] { return page(query); }));
      std::this_thread::sleep_for(kBetweenReads);
    }
    return bench::quantile(std::move(times), 0.95);
  }
  // Runs `work` while kStreams sessions get a flowing event each kBetweenPieces.
  template <typename Work>
  void while_streaming(Work work) {
    std::atomic<bool> done = false;
    std::thread writer([&] { stream(done); });
    work();
    done = true;
    writer.join();
  }
  std::int64_t number_of_long() {
    return value_of(reader_.integer("SELECT number FROM sessions WHERE id = 'long'"));
  }

 private:
  void fill(const std::string& session, std::uint64_t events) {
    for (std::uint64_t seq = 1; seq <= events;) {
      event::Unit unit;
      if (seq == 1) unit.session = event::SessionRow{session, "assistant", "owner", "", {}, 0, 1};
      for (std::uint64_t i = 0; i < kEventsOfAUnit && seq <= events; ++i, ++seq) {
        unit.events.push_back({session, seq, clock_.wall(), "in", "message", payload_});
      }
      unit.home_epoch = store_->home_epoch(session);
      std::promise<core::Result<event::Revision>> stored;
      store_->commit(std::move(unit), scheduler_, [&](core::Result<event::Revision> done) {
        stored.set_value(std::move(done));
      });
      const core::Result<event::Revision> done = stored.get_future().get();
      if (!done) give_up(done.error().message);
    }
  }

  void stream(const std::atomic<bool>& done) {
    ++streams_;
    for (std::uint64_t seq = 1; !done; ++seq) {
      for (std::size_t i = 0; i < kStreams; ++i) {
        const std::string session = "stream-" + std::to_string(streams_) + "-" + std::to_string(i);
        auto unit = std::make_shared<event::Unit>();
        if (seq == 1)
          unit->session = event::SessionRow{session, "assistant", "other", "", {}, 0, 1};
        unit->events.push_back({session, seq, clock_.wall(), "out", "message", payload_});
        unit->home_epoch = store_->home_epoch(session);
        store_->append_flowing(std::move(unit), scheduler_,
                               [](const core::Result<event::Revision>& stored) {
                                 if (!stored) give_up(stored.error().message);
                               });
      }
      std::this_thread::sleep_for(kBetweenPieces);
    }
  }

  std::size_t rows_of(const std::string& sql) {
    sql::Statement query = value_of(reader_.prepare(sql));
    std::vector<std::string> texts;
    while (value_of(query.step())) texts.emplace_back(query.text(1));
    return texts.size();
  }

  static double time_of(const std::function<std::size_t()>& page) {
    const auto begin = std::chrono::steady_clock::now();
    if (page() != kPage) give_up("a page is not full");
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    return took.count();
  }

  const Settings settings_;
  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  std::string payload_ = "{\"text\":\"" + std::string(300, 'x') + "\"}";
  BenchScheduler scheduler_;
  std::unique_ptr<event::SqliteSessionStore> store_;
  sql::Database reader_;
  int streams_ = 0;
};

int run(const std::string& directory, const std::string& out, const Settings& settings) {
  Pages pages(directory, settings);
  bench::Row sessions;
  sessions.name = "store.first_page_of_" + std::to_string(settings.sessions) + "_sessions";
  pages.measure(
      sessions, [&] { return pages.first_sessions(); },
      "SELECT number, id, dialect, owner, title, created_at FROM sessions WHERE owner ="
      " 'owner' ORDER BY active_at DESC LIMIT 100");
  const std::string number = std::to_string(pages.number_of_long());
  const std::string events = "SELECT key, payload, at, direction, type FROM events WHERE key > " +
                             number + " << 36 AND key < (" + number + " + 1) << 36 ORDER BY key";
  const std::string of_events = "_page_of_" + std::to_string(settings.events) + "_events";
  event::ReadQuery query;
  query.session = kLong;
  query.limit = kPage;
  bench::Row first;
  first.name = "store.first" + of_events;
  pages.measure(
      first, [&] { return pages.page(query); }, events + " LIMIT 100");
  query.before = settings.events + 1;
  bench::Row last;
  last.name = "store.last" + of_events;
  pages.measure(
      last, [&] { return pages.page(query); }, events + " DESC LIMIT 100");
  bench::Row streaming{"store.read_p95_while_" + std::to_string(kStreams) + "_sessions_stream",
                       "ms", "the same without streams"};
  for (int i = 0; i < kTurns; ++i) {
    streaming.theirs.push_back(pages.p95_of(query));
    pages.while_streaming([&] { streaming.ours.push_back(pages.p95_of(query)); });
  }
  return bench::write_rows(out, {&sessions, &first, &last, &streaming}) ? 0 : 1;
}

}  // namespace
}  // namespace parley

// read_bench MODE OUT DIRECTORY: MODE quick measures a tenth; the directory, on the disk to be
// measured, is created and removed.
int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: read_bench MODE OUT DIRECTORY\n", stderr);
    return 2;
  }
  parley::Settings settings;
  if (std::string_view(argv[1]) == "quick") settings = {1'000, 100'000, 20};
  const std::string directory = argv[3];
  std::filesystem::create_directories(directory);
  const int status = parley::run(directory, argv[2], settings);
  std::filesystem::remove_all(directory);
  return status;
}
