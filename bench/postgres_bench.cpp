// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Durable events per second in PostgreSQL, with writers each of which waits for its acknowledgement
// before it commits again. The peer is libpq alone: as many connections as the store has, each with
// its share of the same rows as arrays in one pipelined transaction, and the next one after it.
// Both run in turn on the same server, a PostgreSQL of the benchmark's own with fsync.
#include <libpq-fe.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/sql/array.h"
#include "bench_scheduler.h"
#include "give_up.h"
#include "model/event/postgres_session_store.h"
#include "model/event/schema.h"
#include "row.h"
#include "store_writers.h"
#include "tests/support/sql/private_postgres.h"

namespace parley {
namespace {

using bench::give_up;

constexpr std::size_t kConnections = 4;  // of the store, too

struct Settings {
  int repetitions = 7;
  std::chrono::milliseconds run{1'000};
};

// One connection of the peer.
class BareConnection {
 public:
  BareConnection(const std::string& url, std::size_t number)
      : connection_(PQconnectdb(url.c_str()), &PQfinish), number_(number) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) give_up(PQerrorMessage(connection_.get()));
    const Result prepared(
        PQprepare(connection_.get(), "insert",
                  "INSERT INTO bare (key, at, direction, type, payload) SELECT * FROM"
                  " unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])",
                  5, nullptr),
        &PQclear);
    if (PQresultStatus(prepared.get()) != PGRES_COMMAND_OK) {
      give_up(PQerrorMessage(connection_.get()));
    }
    if (PQenterPipelineMode(connection_.get()) != 1) give_up("no pipeline");
  }

  // Commits groups of `rows` until `end`; the number of rows.
  std::uint64_t run(std::size_t rows, std::chrono::steady_clock::time_point end) {
    std::uint64_t done = 0;
    while (std::chrono::steady_clock::now() < end) {
      fill(rows);
      commit();
      done += rows;
    }
    return done;
  }

 private:
  using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

  void fill(std::size_t rows) {
    for (sql::Array* each : {&keys_, &ats_, &directions_, &types_, &payloads_}) each->clear();
    ++seq_;
    for (std::size_t row = 0; row < rows; ++row) {
      const event::Event event = bench::next_event(row, seq_, clock_.wall());
      const std::size_t session = number_ * bench::kMaxWriters + row + 1;
      keys_.add(event::event_key(static_cast<std::int64_t>(session), seq_));
      ats_.add(core::to_unix_ms(event.at));
      directions_.add(event.direction);
      types_.add(event.type);
      payloads_.add(event.payload);
    }
  }

  void commit() {
    const std::array<std::string_view, 5> arrays = {keys_.encoded(), ats_.encoded(),
                                                    directions_.encoded(), types_.encoded(),
                                                    payloads_.encoded()};
    std::array<const char*, 5> data{};
    std::array<int, 5> sizes{};
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      data.at(i) = arrays.at(i).data();
      sizes.at(i) = static_cast<int>(arrays.at(i).size());
    }
    constexpr std::array<int, 5> kBinary = {1, 1, 1, 1, 1};
    PGconn* const to = connection_.get();
    PQsendQueryParams(to, "BEGIN", 0, nullptr, nullptr, nullptr, nullptr, 0);
    PQsendQueryPrepared(to, "insert", 5, data.data(), sizes.data(), kBinary.data(), 1);
    PQsendQueryParams(to, "COMMIT", 0, nullptr, nullptr, nullptr, nullptr, 0);
    PQpipelineSync(to);
    for (int ended = 0; ended < 3;) {
      const Result result(PQgetResult(to), &PQclear);
      if (result == nullptr) {
        ++ended;
      } else if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) {
        give_up(PQerrorMessage(to));
      }
    }
    const Result end(PQgetResult(to), &PQclear);
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  const std::size_t number_;
  core::SystemClock clock_;
  std::uint64_t seq_ = 0;
  sql::Array keys_{sql::Array::Of::integers};
  sql::Array ats_{sql::Array::Of::integers};
  sql::Array directions_{sql::Array::Of::texts};
  sql::Array types_{sql::Array::Of::texts};
  sql::Array payloads_{sql::Array::Of::texts};
};

class BarePostgres {
 public:
  explicit BarePostgres(const std::string& url) {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url.c_str()),
                                                                  &PQfinish);
    PQclear(PQexec(connection.get(),
                   "CREATE TABLE bare (key BIGINT PRIMARY KEY, at BIGINT NOT NULL, direction TEXT"
                   " NOT NULL, type TEXT NOT NULL, payload TEXT NOT NULL)"));
    for (std::size_t i = 0; i < kConnections; ++i) {
      connections_.push_back(std::make_unique<BareConnection>(url, i));
    }
  }

  // Events per second.
  double run(std::size_t writers, std::chrono::milliseconds time) {
    const auto begin = std::chrono::steady_clock::now();
    std::atomic<std::uint64_t> rows{0};
    std::vector<std::thread> threads;
    for (const auto& connection : connections_) {
      threads.emplace_back([&rows, &connection, writers, end = begin + time] {
        rows += connection->run(writers / kConnections, end);
      });
    }
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    return static_cast<double>(rows) / took.count();
  }

 private:
  std::vector<std::unique_ptr<BareConnection>> connections_;
};

int run(const std::string& directory, const std::string& out, const Settings& settings) {
  sql::PrivatePostgres server(sql::PrivatePostgres::Sync::on);
  core::SystemClock clock;
  core::SystemEntropy entropy;
  event::StoreOptions options;
  options.place = directory;
  options.place.url = server.new_database();
  auto store = event::PostgresSessionStore::open(options, clock, entropy);
  if (!store) give_up(store.error().message);
  std::vector<bench::Row> rows;
  {
    bench::BenchScheduler scheduler;
    bench::Writers ours(**store, scheduler);
    BarePostgres bare(options.place.url);
    for (const std::size_t writers : {std::size_t{64}, bench::kMaxWriters}) {
      bench::Row& row = rows.emplace_back();
      row.name = "store.postgres_durable_events_" + std::to_string(writers) + "_writers";
      row.unit = "events/s";
      row.peer = "libpq alone, " + std::to_string(kConnections) + " connections, " +
                 std::to_string(writers / kConnections) + " rows a transaction";
      ours.run(writers, settings.run);
      bare.run(writers, settings.run);
      for (int i = 0; i < settings.repetitions; ++i) {
        row.ours.push_back(ours.run(writers, settings.run));
        row.theirs.push_back(bare.run(writers, settings.run));
      }
    }
  }
  (*store)->close();
  std::vector<const bench::Row*> written;
  for (const bench::Row& row : rows) written.push_back(&row);
  return bench::write_rows(out, written) ? 0 : 1;
}

}  // namespace
}  // namespace parley

// postgres_bench full|quick OUT DIRECTORY
int main(int argc, char** argv) {
  if (argc != 4) parley::bench::give_up("usage: postgres_bench full|quick OUT DIRECTORY");
  parley::Settings settings;
  if (std::string_view(argv[1]) == "quick") settings = {2, std::chrono::milliseconds(200)};
  return parley::run(argv[3], argv[2], settings);
}
