// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/booking_store.h"

#include <charconv>
#include <limits>
#include <utility>

#include "base/core/result.h"
#include "base/sql/data_dir.h"
#include "base/sql/database.h"
#include "base/sql/opening.h"
#include "base/sql/transaction.h"
#include "services/booking/booking_schema.h"
#include "services/booking/seat_names.h"

namespace parley::booking {
namespace {

using sql::Database;
using sql::Statement;

constexpr std::uint64_t kTrimInterval = 128;  // cancellations
constexpr std::int64_t kAllRows = std::numeric_limits<std::int64_t>::max();

core::Error broken(std::string what) {
  return {core::Code::data_loss, "The file booking.db is damaged: " + std::move(what) + ".", {}};
}

std::string_view kind_name(DatasetKind kind) {
  if (kind == DatasetKind::standard) return "standard";
  return kind == DatasetKind::named ? "named" : "copy";
}

std::optional<DatasetKind> kind_of(std::string_view name) {
  for (const DatasetKind kind : {DatasetKind::standard, DatasetKind::named, DatasetKind::copy}) {
    if (kind_name(kind) == name) return kind;
  }
  return std::nullopt;
}

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ",") + part;
  return out;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    out.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return out;
}

std::string seats_text(const std::vector<std::uint8_t>& seats) {
  std::vector<std::string> labels;
  labels.reserve(seats.size());
  for (const std::uint8_t seat : seats) labels.push_back(seat_label(seat));
  return join(labels);
}

// "tt1:2,tt2:1". Ids of ticket types come from the catalogue.
std::string tickets_text(const std::vector<TicketCount>& tickets) {
  std::vector<std::string> parts;
  parts.reserve(tickets.size());
  for (const TicketCount& one : tickets) {
    parts.push_back(one.ticket_type + ":" + std::to_string(one.quantity));
  }
  return join(parts);
}

bool read_seats(std::string_view text, std::vector<std::uint8_t>& out) {
  for (const std::string& label : split(text)) {
    const auto seat = seat_of_label(label);
    if (!seat) return false;
    out.push_back(static_cast<std::uint8_t>(*seat));
  }
  return true;
}

bool read_tickets(std::string_view text, std::vector<TicketCount>& out) {
  for (const std::string& part : split(text)) {
    const std::size_t colon = part.rfind(':');
    if (colon == std::string::npos) return false;
    TicketCount& one = out.emplace_back();
    one.ticket_type = part.substr(0, colon);
    const char* begin = part.data() + colon + 1;
    const char* end = part.data() + part.size();
    if (std::from_chars(begin, end, one.quantity).ptr != end) return false;
  }
  return true;
}

std::string taken_text(const SeatSet& taken) {
  std::string out(kSeatsPerShowing, '.');
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (taken.test(i)) out[i] = 'x';
  }
  return out;
}

core::Result<SampleShowing> read_showing(const Statement& row, const Catalogue& catalogue) {
  SampleShowing out;
  out.showing.number = static_cast<std::uint32_t>(row.integer(0));
  out.showing.movie = static_cast<std::uint16_t>(row.integer(1));
  out.showing.theater = static_cast<std::uint16_t>(row.integer(2));
  out.showing.screen = static_cast<std::uint16_t>(row.integer(3));
  const auto day = parse_day(row.text(4));
  const auto minute = parse_time(row.text(5));
  const std::string_view taken = row.text(6);
  if (!day || !minute || taken.size() != kSeatsPerShowing ||
      out.showing.movie >= catalogue.movies.size() ||
      out.showing.theater >= catalogue.theaters.size()) {
    return core::fail(broken("a row of a showing is not valid"));
  }
  out.showing.day = *day;
  out.showing.minute = static_cast<std::uint16_t>(*minute);
  for (std::size_t i = 0; i < taken.size(); ++i) out.taken.set(i, taken[i] == 'x');
  return out;
}

core::Result<DatasetInfo> read_info(const Statement& row) {
  DatasetInfo info;
  info.key = row.integer(0);
  info.name = std::string(row.text(1));
  const auto kind = kind_of(row.text(2));
  const auto from = parse_day(row.text(5));
  if (!kind || !from) return core::fail(broken("a row of a dataset is not valid"));
  info.kind = *kind;
  info.spec = {static_cast<std::uint32_t>(row.integer(3)),
               static_cast<std::uint32_t>(row.integer(4))};
  info.from = *from;
  info.created_at = row.time(6);
  return info;
}

core::Result<StoredBooking> read_booking(const Statement& row) {
  StoredBooking out;
  out.booking.id = std::string(row.text(0));
  out.dataset = row.integer(1);
  out.booking.showing = static_cast<std::uint32_t>(row.integer(2));
  out.booking.customer_name = std::string(row.text(3));
  out.booking.customer_email = std::string(row.text(4));
  out.booking.total_price = row.integer(5);
  out.booking.state =
      row.text(6) == "confirmed" ? BookingState::confirmed : BookingState::cancelled;
  out.booking.created_at = row.time(7);
  if (!read_seats(row.text(8), out.booking.seats) ||
      !read_tickets(row.text(9), out.booking.tickets)) {
    return core::fail(broken("a row of a booking is not valid"));
  }
  return out;
}

class SqlBookingStore final : public BookingStore {
 public:
  explicit SqlBookingStore(sql::Database database, Fence fence = nullptr)
      : database_(std::move(database)), fence_(std::move(fence)) {}

  core::Result<void> prepare() {
    return database_.prepare_all({
        {&add_booking_,
         "INSERT INTO bookings (id, dataset, showing, customer_name, customer_email, total_price,"
         " state, created_at, seats, tickets) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'confirmed', ?7, ?8,"
         " ?9)"},
        {&add_seat_, "INSERT INTO booking_seats (dataset, showing, seat) VALUES (?1, ?2, ?3)"},
        {&find_booking_,
         "SELECT id, dataset, showing, customer_name, customer_email, total_price, state,"
         " created_at, seats, tickets FROM bookings WHERE id = ?1"},
        {&cancel_, "UPDATE bookings SET state = 'cancelled' WHERE id = ?1"},
        {&free_seat_,
         "DELETE FROM booking_seats WHERE dataset = ?1 AND showing = ?2 AND seat = ?3"},
        {&trim_,
         "DELETE FROM bookings WHERE number IN (SELECT number FROM bookings WHERE dataset = ?1 AND"
         " state = 'cancelled' ORDER BY number DESC LIMIT ?3 OFFSET ?2)"},
    });
  }

  core::Result<void> begin() override {
    PARLEY_TRY_VOID(database_.begin_writing());
    if (!fence_) return {};
    core::Result<void> may = fence_(database_);
    if (!may) roll_back();
    return may;
  }

  core::Result<void> commit() override { return database_.execute("COMMIT"); }

  void roll_back() override {
    // A failure of the rollback is ignored, because the failure that caused it is reported.
    if (database_.in_transaction()) static_cast<void>(database_.execute("ROLLBACK"));
  }

  core::Result<std::vector<Dataset>> load() override {
    std::vector<Dataset> out;
    core::Result<void> done = database_.each(
        "SELECT key, name, kind, seed, days, first_day, created_at FROM datasets ORDER BY key",
        [&](const Statement& row) -> core::Result<void> {
          PARLEY_TRY(DatasetInfo info, read_info(row));
          PARLEY_TRY(Catalogue catalogue, load_catalogue(info.key));
          Dataset dataset(std::move(info), std::make_shared<const Catalogue>(std::move(catalogue)));
          core::Result<void> loaded = load_showings(dataset);
          if (loaded) loaded = load_seats(dataset);
          if (loaded) out.push_back(std::move(dataset));
          return loaded;
        });
    if (!done) return core::fail(std::move(done.error()));
    return out;
  }

  core::Result<std::int64_t> add_dataset(const DatasetInfo& info,
                                         const Catalogue& catalogue) override {
    core::Result<std::int64_t> key = database_.integer(
        "INSERT INTO datasets (name, kind, seed, days, first_day, created_at)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING key",
        info.name, kind_name(info.kind), info.spec.seed, info.spec.days, format_day(info.from),
        info.created_at);
    if (!key) return key;
    PARLEY_TRY_VOID(add_catalogue(*key, catalogue));
    return key;
  }

  core::Result<void> add_showings(std::int64_t dataset,
                                  const std::vector<SampleShowing>& showings) override {
    core::Result<Statement> insert =
        database_.prepare("INSERT INTO showings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
    if (!insert) return core::fail(insert.error());
    for (const auto& [showing, taken] : showings) {
      core::Result<void> done =
          insert
              ->bind_all(dataset, showing.number, showing.movie, showing.theater, showing.screen,
                         format_day(showing.day), format_time(showing.minute), taken_text(taken))
              .run();
      if (!done) return done;
    }
    return {};
  }

  core::Result<void> remove_before(std::int64_t dataset, Day day) override {
    const std::string text = format_day(day);
    for (const char* table : {"bookings", "booking_seats"}) {
      core::Result<void> done =
          database_.run("DELETE FROM " + std::string(table) +
                            " WHERE dataset = ?1 AND showing IN"
                            " (SELECT number FROM showings WHERE dataset = ?1 AND day < ?2)",
                        dataset, text);
      if (!done) return done;
    }
    return database_.run("DELETE FROM showings WHERE dataset = ?1 AND day < ?2", dataset, text);
  }

  core::Result<void> remove_dataset(std::int64_t dataset) override {
    for (const char* table :
         {"movies", "theaters", "ticket_types", "showings", "bookings", "booking_seats"}) {
      core::Result<void> done =
          database_.run("DELETE FROM " + std::string(table) + " WHERE dataset = ?1", dataset);
      if (!done) return done;
    }
    return database_.run("DELETE FROM datasets WHERE key = ?1", dataset);
  }

  core::Result<void> add_booking(const StoredBooking& stored) override {
    // A refused booking leaves the others of its transaction as they are.
    PARLEY_TRY_VOID(database_.execute("SAVEPOINT booking"));
    core::Result<void> done = insert(stored);
    PARLEY_TRY_VOID(database_.execute(done ? "RELEASE booking" : "ROLLBACK TO booking"));
    return done;
  }

  core::Result<void> insert(const StoredBooking& stored) {
    const Booking& one = stored.booking;
    core::Result<void> done = add_booking_
                                  .bind_all(one.id, stored.dataset, one.showing, one.customer_name,
                                            one.customer_email, one.total_price, one.created_at,
                                            seats_text(one.seats), tickets_text(one.tickets))
                                  .run();
    for (std::size_t i = 0; done && i < one.seats.size(); ++i) {
      done = add_seat_.bind_all(stored.dataset, one.showing, one.seats[i]).run();
    }
    return done;
  }

  core::Result<std::optional<StoredBooking>> find_booking(std::string_view id) override {
    return find_booking_.bind_all(id).first(read_booking);
  }

  core::Result<void> cancel_booking(const StoredBooking& stored) override {
    const Booking& one = stored.booking;
    core::Result<void> done = cancel_.bind_all(one.id).run();
    for (std::size_t i = 0; done && i < one.seats.size(); ++i) {
      done = free_seat_.bind_all(stored.dataset, one.showing, one.seats[i]).run();
    }
    if (!done || ++cancels_ % kTrimInterval != 0) return done;
    return trim_.bind_all(stored.dataset, kMaxCancelled, kAllRows).run();
  }

  core::Result<std::int64_t> count_confirmed(std::int64_t dataset) override {
    return database_.integer(
        "SELECT count(*) FROM bookings WHERE dataset = ?1 AND state = 'confirmed'", dataset);
  }

 private:
  core::Result<Catalogue> load_catalogue(std::int64_t dataset) {
    auto movies = database_.rows(
        "SELECT id, title, poster_url, genre, duration, rating, release_date FROM movies"
        " WHERE dataset = ?1 ORDER BY position",
        [](const Statement& row) {
          return Movie{row.string(0),
                       row.string(1),
                       row.string(2),
                       split(row.text(3)),
                       static_cast<int>(row.integer(4)),
                       row.string(5),
                       row.string(6)};
        },
        dataset);
    if (!movies) return core::fail(std::move(movies.error()));
    auto theaters = database_.rows(
        "SELECT id, name, location, screen_count FROM theaters WHERE dataset = ?1"
        " ORDER BY position",
        [](const Statement& row) {
          return Theater{row.string(0), row.string(1), row.string(2),
                         static_cast<int>(row.integer(3))};
        },
        dataset);
    if (!theaters) return core::fail(std::move(theaters.error()));
    auto types = database_.rows(
        "SELECT id, name, price, description FROM ticket_types WHERE dataset = ?1"
        " ORDER BY position",
        [](const Statement& row) {
          return TicketType{row.string(0), row.string(1), static_cast<int>(row.integer(2)),
                            row.string(3)};
        },
        dataset);
    if (!types) return core::fail(std::move(types.error()));
    return Catalogue{std::move(*movies), std::move(*theaters), std::move(*types)};
  }

  core::Result<void> load_showings(Dataset& dataset) {
    const auto showings = database_.rows(
        "SELECT number, movie, theater, screen, day, time, taken FROM showings WHERE dataset = ?1"
        " ORDER BY number",
        [&](const Statement& row) { return read_showing(row, dataset.catalogue()); },
        dataset.info().key);
    if (!showings) return core::fail(showings.error());
    dataset.append(*showings);
    return {};
  }

  core::Result<void> load_seats(Dataset& dataset) {
    return database_.each(
        "SELECT showing, seat FROM booking_seats WHERE dataset = ?1",
        [&dataset](const Statement& row) -> core::Result<void> {
          const auto seat = row.number(1);
          if (seat >= kSeatsPerShowing) return core::fail(broken("a row of a seat is not valid"));
          dataset.set_taken(static_cast<std::uint32_t>(row.integer(0)), seat, true);
          return {};
        },
        dataset.info().key);
  }

  core::Result<void> add_catalogue(std::int64_t dataset, const Catalogue& catalogue) {
    core::Result<void> done;
    int position = 0;
    for (const Movie& one : catalogue.movies) {
      if (!done) return done;
      done = database_.run("INSERT INTO movies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                           dataset, position++, one.id, one.title, one.poster_url, join(one.genre),
                           one.duration, one.rating, one.release_date);
    }
    position = 0;
    for (const Theater& one : catalogue.theaters) {
      if (!done) return done;
      done = database_.run("INSERT INTO theaters VALUES (?1, ?2, ?3, ?4, ?5, ?6)", dataset,
                           position++, one.id, one.name, one.location, one.screen_count);
    }
    position = 0;
    for (const TicketType& one : catalogue.ticket_types) {
      if (!done) return done;
      done = database_.run("INSERT INTO ticket_types VALUES (?1, ?2, ?3, ?4, ?5, ?6)", dataset,
                           position++, one.id, one.name, one.price, one.description);
    }
    return done;
  }

  sql::Database database_;
  const Fence fence_;
  sql::Statement add_booking_;
  sql::Statement add_seat_;
  sql::Statement find_booking_;
  sql::Statement cancel_;
  sql::Statement free_seat_;
  sql::Statement trim_;
  std::uint64_t cancels_ = 0;
};

}  // namespace

std::string store_path(const std::string& data_dir) { return data_dir + "/booking.db"; }

core::Result<std::unique_ptr<BookingStore>> BookingStore::open(const sql::StorePlace& place,
                                                               const std::string& vfs,
                                                               Fence fence) {
  PARLEY_TRY_VOID(sql::make_data_dir(place.data_dir));
  PARLEY_TRY(Database database, sql::open_store(place, "booking", schema(), {.vfs = vfs}));
  std::unique_ptr<SqlBookingStore> store(
      new SqlBookingStore(std::move(database), std::move(fence)));
  PARLEY_TRY_VOID(store->prepare());
  return store;
}

core::Result<std::unique_ptr<BookingStore>> BookingStore::open_read_only(
    const sql::StorePlace& place) {
  PARLEY_TRY(Database database, sql::open_store_to_read(place, "booking", schema()));
  return std::unique_ptr<BookingStore>(new SqlBookingStore(std::move(database)));
}

}  // namespace parley::booking
