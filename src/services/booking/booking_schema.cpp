// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/booking/booking_schema.h"

namespace parley::booking {
namespace {

// AUTOINCREMENT: a key is never reused, so the smallest key is the oldest row. `taken` of a showing
// lists its initially taken seats, one character ("x" or ".") per seat. A row of booking_seats is a
// seat that a confirmed booking holds.
constexpr const char* kSteps[] = {R"sql(
  CREATE TABLE datasets (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    seed INTEGER NOT NULL,
    days INTEGER NOT NULL,
    first_day TEXT NOT NULL,
    created_at INTEGER NOT NULL
  );
  CREATE TABLE movies (
    dataset INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    poster_url TEXT NOT NULL,
    genre TEXT NOT NULL,
    duration INTEGER NOT NULL,
    rating TEXT NOT NULL,
    release_date TEXT NOT NULL,
    PRIMARY KEY (dataset, position)
  ) WITHOUT ROWID;
  CREATE TABLE theaters (
    dataset INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    location TEXT NOT NULL,
    screen_count INTEGER NOT NULL,
    PRIMARY KEY (dataset, position)
  ) WITHOUT ROWID;
  CREATE TABLE ticket_types (
    dataset INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    price INTEGER NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (dataset, position)
  ) WITHOUT ROWID;
  CREATE TABLE showings (
    dataset INTEGER NOT NULL,
    number INTEGER NOT NULL,
    movie INTEGER NOT NULL,
    theater INTEGER NOT NULL,
    screen INTEGER NOT NULL,
    day TEXT NOT NULL,
    time TEXT NOT NULL,
    taken TEXT NOT NULL,
    PRIMARY KEY (dataset, number)
  ) WITHOUT ROWID;
  CREATE TABLE bookings (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    dataset INTEGER NOT NULL,
    showing INTEGER NOT NULL,
    customer_name TEXT NOT NULL,
    customer_email TEXT NOT NULL,
    total_price INTEGER NOT NULL,
    state TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    seats TEXT NOT NULL,
    tickets TEXT NOT NULL
  );
  CREATE INDEX bookings_state ON bookings (dataset, state, number);
  CREATE TABLE booking_seats (
    dataset INTEGER NOT NULL,
    showing INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    PRIMARY KEY (dataset, showing, seat)
  ) WITHOUT ROWID;
)sql"};
constexpr std::int64_t kApplicationId = 0x50726c62;  // "Prlb"
constexpr sql::Schema kSchema{.application_id = kApplicationId, .steps = kSteps};

}  // namespace

const sql::Schema& schema() { return kSchema; }

}  // namespace parley::booking
