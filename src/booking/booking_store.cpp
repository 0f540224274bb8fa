// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "booking/booking_store.h"

#include <charconv>
#include <utility>

#include "booking/booking_schema.h"
#include "booking/seat_names.h"
#include "sql/data_dir.h"
#include "sql/opening.h"

namespace parley::booking {
namespace {

using sql::Database;
using sql::Statement;
using sql::StatementScope;

constexpr std::uint64_t kTrimInterval = 128;  // cancellations

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

// Runs `use` for each row of a query; stops at the first error.
template <typename Use>
core::Result<void> each_row(Statement& query, Use use) {
  const StatementScope scope(query);
  while (true) {
    const core::Result<bool> row = query.step();
    if (!row) return core::fail(row.error());
    if (!*row) return {};
    core::Result<void> used = use(query);
    if (!used) return used;
  }
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
    return core::fail(broken("a showing cannot be read"));
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
  if (!kind || !from) return core::fail(broken("a data set cannot be read"));
  info.kind = *kind;
  info.spec = {static_cast<std::uint32_t>(row.integer(3)),
               static_cast<std::uint32_t>(row.integer(4))};
  info.from = *from;
  info.created_at = core::from_unix_ms(row.integer(6));
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
  out.booking.created_at = core::from_unix_ms(row.integer(7));
  if (!read_seats(row.text(8), out.booking.seats) ||
      !read_tickets(row.text(9), out.booking.tickets)) {
    return core::fail(broken("a booking cannot be read"));
  }
  return out;
}

}  // namespace

std::string store_path(const std::string& data_dir) { return data_dir + "/booking.db"; }

core::Result<std::unique_ptr<BookingStore>> BookingStore::open(const std::string& data_dir,
                                                               const std::string& vfs) {
  core::Result<void> made = sql::make_data_dir(data_dir);
  if (!made) return core::fail(std::move(made.error()));
  core::Result<Database> database = sql::open_file(store_path(data_dir), schema(), {.vfs = vfs});
  if (!database) return core::fail(std::move(database.error()));
  std::unique_ptr<BookingStore> store(new BookingStore(std::move(*database)));
  core::Result<void> done = store->prepare();
  if (!done) return core::fail(std::move(done.error()));
  return store;
}

core::Result<std::unique_ptr<BookingStore>> BookingStore::open_read_only(
    const std::string& data_dir) {
  core::Result<Database> database = Database::open(store_path(data_dir), sql::OpenMode::read_only);
  if (!database) return core::fail(std::move(database.error()));
  const core::Result<std::int64_t> version = sql::file_version(*database, file_kind());
  if (!version) return core::fail(version.error());
  if (*version == 0) return core::fail(core::Code::not_found, "The file booking.db is empty.");
  return std::unique_ptr<BookingStore>(new BookingStore(std::move(*database)));
}

void BookingStore::roll_back() {
  // A failure of the rollback is ignored: the failure that led here is reported.
  if (database_.in_transaction()) static_cast<void>(database_.execute("ROLLBACK"));
}

core::Result<void> BookingStore::prepare() {
  const std::pair<Statement*, const char*> statements[] = {
      {&add_booking_,
       "INSERT INTO bookings (id, dataset, showing, customer_name, customer_email, total_price,"
       " state, created_at, seats, tickets) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'confirmed', ?7, ?8,"
       " ?9)"},
      {&add_seat_, "INSERT INTO booking_seats (dataset, showing, seat) VALUES (?1, ?2, ?3)"},
      {&find_booking_,
       "SELECT id, dataset, showing, customer_name, customer_email, total_price, state,"
       " created_at, seats, tickets FROM bookings WHERE id = ?1"},
      {&cancel_, "UPDATE bookings SET state = 'cancelled' WHERE id = ?1"},
      {&free_seat_, "DELETE FROM booking_seats WHERE dataset = ?1 AND showing = ?2 AND seat = ?3"},
      {&trim_,
       "DELETE FROM bookings WHERE number IN (SELECT number FROM bookings WHERE dataset = ?1 AND"
       " state = 'cancelled' ORDER BY number DESC LIMIT -1 OFFSET ?2)"},
  };
  for (const auto& [statement, sql] : statements) {
    core::Result<Statement> prepared = database_.prepare(sql);
    if (!prepared) return core::fail(std::move(prepared.error()));
    *statement = std::move(*prepared);
  }
  return {};
}

core::Result<std::vector<Dataset>> BookingStore::load() {
  std::vector<Dataset> out;
  core::Result<Statement> query = database_.prepare(
      "SELECT key, name, kind, seed, days, first_day, created_at FROM datasets ORDER BY key");
  if (!query) return core::fail(query.error());
  core::Result<void> done = each_row(*query, [&](const Statement& row) -> core::Result<void> {
    core::Result<DatasetInfo> info = read_info(row);
    if (!info) return core::fail(info.error());
    core::Result<Catalogue> catalogue = load_catalogue(info->key);
    if (!catalogue) return core::fail(catalogue.error());
    Dataset dataset(std::move(*info), std::make_shared<const Catalogue>(std::move(*catalogue)));
    core::Result<void> loaded = load_showings(dataset);
    if (loaded) loaded = load_seats(dataset);
    if (loaded) out.push_back(std::move(dataset));
    return loaded;
  });
  if (!done) return core::fail(std::move(done.error()));
  return out;
}

core::Result<Catalogue> BookingStore::load_catalogue(std::int64_t dataset) {
  Catalogue out;
  core::Result<Statement> movies = database_.prepare(
      "SELECT id, title, poster_url, genre, duration, rating, release_date FROM movies"
      " WHERE dataset = ?1 ORDER BY position");
  core::Result<Statement> theaters = database_.prepare(
      "SELECT id, name, location, screen_count FROM theaters WHERE dataset = ?1"
      " ORDER BY position");
  core::Result<Statement> types = database_.prepare(
      "SELECT id, name, price, description FROM ticket_types WHERE dataset = ?1"
      " ORDER BY position");
  for (core::Result<Statement>* query : {&movies, &theaters, &types}) {
    if (!*query) return core::fail(query->error());
    (*query)->bind(1, dataset);
  }
  core::Result<void> done = each_row(*movies, [&](const Statement& row) -> core::Result<void> {
    out.movies.push_back({std::string(row.text(0)), std::string(row.text(1)),
                          std::string(row.text(2)), split(row.text(3)),
                          static_cast<int>(row.integer(4)), std::string(row.text(5)),
                          std::string(row.text(6))});
    return {};
  });
  if (!done) return core::fail(std::move(done.error()));
  done = each_row(*theaters, [&](const Statement& row) -> core::Result<void> {
    out.theaters.push_back({std::string(row.text(0)), std::string(row.text(1)),
                            std::string(row.text(2)), static_cast<int>(row.integer(3))});
    return {};
  });
  if (!done) return core::fail(std::move(done.error()));
  done = each_row(*types, [&](const Statement& row) -> core::Result<void> {
    out.ticket_types.push_back({std::string(row.text(0)), std::string(row.text(1)),
                                static_cast<int>(row.integer(2)), std::string(row.text(3))});
    return {};
  });
  if (!done) return core::fail(std::move(done.error()));
  return out;
}

core::Result<void> BookingStore::load_showings(Dataset& dataset) {
  core::Result<Statement> query = database_.prepare(
      "SELECT number, movie, theater, screen, day, time, taken FROM showings WHERE dataset = ?1"
      " ORDER BY number");
  if (!query) return core::fail(query.error());
  query->bind(1, dataset.info().key);
  std::vector<SampleShowing> showings;
  core::Result<void> done = each_row(*query, [&](const Statement& row) -> core::Result<void> {
    core::Result<SampleShowing> one = read_showing(row, dataset.catalogue());
    if (!one) return core::fail(one.error());
    showings.push_back(*one);
    return {};
  });
  if (done) dataset.append(showings);
  return done;
}

core::Result<void> BookingStore::load_seats(Dataset& dataset) {
  core::Result<Statement> query =
      database_.prepare("SELECT showing, seat FROM booking_seats WHERE dataset = ?1");
  if (!query) return core::fail(query.error());
  query->bind(1, dataset.info().key);
  return each_row(*query, [&dataset](const Statement& row) -> core::Result<void> {
    const auto seat = row.number(1);
    if (seat >= kSeatsPerShowing) return core::fail(broken("a seat cannot be read"));
    dataset.set_taken(static_cast<std::uint32_t>(row.integer(0)), seat, true);
    return {};
  });
}

core::Result<std::int64_t> BookingStore::add_dataset(const DatasetInfo& info,
                                                     const Catalogue& catalogue) {
  core::Result<Statement> insert = database_.prepare(
      "INSERT INTO datasets (name, kind, seed, days, first_day, created_at)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  if (!insert) return core::fail(insert.error());
  const std::string from = format_day(info.from);
  insert->bind(1, info.name).bind(2, kind_name(info.kind));
  insert->bind(3, static_cast<std::int64_t>(info.spec.seed));
  insert->bind(4, static_cast<std::int64_t>(info.spec.days)).bind(5, std::string_view(from));
  core::Result<void> done = insert->bind(6, core::to_unix_ms(info.created_at)).run();
  if (!done) return core::fail(std::move(done.error()));
  core::Result<std::int64_t> key = database_.query_integer("SELECT last_insert_rowid()");
  if (!key) return key;
  done = add_catalogue(*key, catalogue);
  if (!done) return core::fail(std::move(done.error()));
  return key;
}

core::Result<void> BookingStore::add_catalogue(std::int64_t dataset, const Catalogue& catalogue) {
  core::Result<Statement> movie =
      database_.prepare("INSERT INTO movies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
  core::Result<Statement> theater =
      database_.prepare("INSERT INTO theaters VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  core::Result<Statement> type =
      database_.prepare("INSERT INTO ticket_types VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
  for (const core::Result<Statement>* insert : {&movie, &theater, &type}) {
    if (!*insert) return core::fail(insert->error());
  }
  core::Result<void> done;
  int position = 0;
  for (const Movie& one : catalogue.movies) {
    const std::string genre = join(one.genre);
    movie->bind(1, dataset).bind(2, position++).bind(3, one.id).bind(4, one.title);
    movie->bind(5, one.poster_url).bind(6, std::string_view(genre)).bind(7, one.duration);
    done = movie->bind(8, one.rating).bind(9, one.release_date).run();
    if (!done) return done;
  }
  position = 0;
  for (const Theater& one : catalogue.theaters) {
    theater->bind(1, dataset).bind(2, position++).bind(3, one.id).bind(4, one.name);
    done = theater->bind(5, one.location).bind(6, one.screen_count).run();
    if (!done) return done;
  }
  position = 0;
  for (const TicketType& one : catalogue.ticket_types) {
    type->bind(1, dataset).bind(2, position++).bind(3, one.id).bind(4, one.name);
    done = type->bind(5, one.price).bind(6, one.description).run();
    if (!done) return done;
  }
  return done;
}

core::Result<void> BookingStore::add_showings(std::int64_t dataset,
                                              const std::vector<SampleShowing>& showings) {
  core::Result<Statement> insert =
      database_.prepare("INSERT INTO showings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
  if (!insert) return core::fail(insert.error());
  for (const auto& [showing, taken] : showings) {
    const std::string day = format_day(showing.day);
    const std::string time = format_time(showing.minute);
    const std::string seats = taken_text(taken);
    insert->bind(1, dataset).bind(2, static_cast<std::int64_t>(showing.number));
    insert->bind(3, static_cast<int>(showing.movie)).bind(4, static_cast<int>(showing.theater));
    insert->bind(5, static_cast<int>(showing.screen)).bind(6, std::string_view(day));
    core::Result<void> done =
        insert->bind(7, std::string_view(time)).bind(8, std::string_view(seats)).run();
    if (!done) return done;
  }
  return {};
}

core::Result<void> BookingStore::execute_with(std::string_view sql, std::int64_t first,
                                              std::string_view second) {
  core::Result<Statement> statement = database_.prepare(sql);
  if (!statement) return core::fail(statement.error());
  statement->bind(1, first);
  if (!second.empty()) statement->bind(2, second);
  return statement->run();
}

core::Result<void> BookingStore::remove_before(std::int64_t dataset, Day day) {
  const std::string text = format_day(day);
  for (const char* table : {"bookings", "booking_seats"}) {
    core::Result<void> done =
        execute_with("DELETE FROM " + std::string(table) +
                         " WHERE dataset = ?1 AND showing IN"
                         " (SELECT number FROM showings WHERE dataset = ?1 AND day < ?2)",
                     dataset, text);
    if (!done) return done;
  }
  return execute_with("DELETE FROM showings WHERE dataset = ?1 AND day < ?2", dataset, text);
}

core::Result<void> BookingStore::remove_dataset(std::int64_t dataset) {
  for (const char* table :
       {"movies", "theaters", "ticket_types", "showings", "bookings", "booking_seats"}) {
    core::Result<void> done =
        execute_with("DELETE FROM " + std::string(table) + " WHERE dataset = ?1", dataset);
    if (!done) return done;
  }
  return execute_with("DELETE FROM datasets WHERE key = ?1", dataset);
}

core::Result<void> BookingStore::add_booking(const StoredBooking& stored) {
  const Booking& one = stored.booking;
  const auto showing = static_cast<std::int64_t>(one.showing);
  const std::string seats = seats_text(one.seats);
  const std::string tickets = tickets_text(one.tickets);
  add_booking_.bind(1, one.id).bind(2, stored.dataset).bind(3, showing);
  add_booking_.bind(4, one.customer_name).bind(5, one.customer_email).bind(6, one.total_price);
  add_booking_.bind(7, core::to_unix_ms(one.created_at));
  core::Result<void> done =
      add_booking_.bind(8, std::string_view(seats)).bind(9, std::string_view(tickets)).run();
  for (std::size_t i = 0; done && i < one.seats.size(); ++i) {
    done = add_seat_.bind(1, stored.dataset).bind(2, showing).bind(3, int{one.seats[i]}).run();
  }
  return done;
}

core::Result<std::optional<StoredBooking>> BookingStore::find_booking(std::string_view id) {
  const StatementScope scope(find_booking_);
  const core::Result<bool> row = find_booking_.bind(1, id).step();
  if (!row) return core::fail(row.error());
  if (!*row) return std::nullopt;
  core::Result<StoredBooking> found = read_booking(find_booking_);
  if (!found) return core::fail(std::move(found.error()));
  return std::move(*found);
}

core::Result<void> BookingStore::cancel_booking(const StoredBooking& stored) {
  core::Result<void> done = cancel_.bind(1, stored.booking.id).run();
  for (std::size_t i = 0; done && i < stored.booking.seats.size(); ++i) {
    free_seat_.bind(1, stored.dataset).bind(2, static_cast<std::int64_t>(stored.booking.showing));
    done = free_seat_.bind(3, int{stored.booking.seats[i]}).run();
  }
  if (!done || ++cancels_ % kTrimInterval != 0) return done;
  return trim_.bind(1, stored.dataset).bind(2, kMaxCancelled).run();
}

core::Result<std::int64_t> BookingStore::count_confirmed(std::int64_t dataset) {
  core::Result<Statement> query =
      database_.prepare("SELECT count(*) FROM bookings WHERE dataset = ?1 AND state = 'confirmed'");
  if (!query) return core::fail(query.error());
  const core::Result<bool> row = query->bind(1, dataset).step();
  if (!row) return core::fail(row.error());
  return *row ? query->integer(0) : 0;
}

}  // namespace parley::booking
