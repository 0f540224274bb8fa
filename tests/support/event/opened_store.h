// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "base/core/clock.h"
#include "base/core/entropy.h"
#include "base/sql/opening.h"
#include "model/event/postgres_session_store.h"
#include "tests/support/event/store_fixture.h"
#include "tests/support/sql/store_test.h"

namespace parley::event {

// Base of the tests of the store of sessions, which run on each engine.
class OpenedStoreTest : public sql::StoreTest {
 protected:
  core::Result<std::unique_ptr<ThreadedSessionStore>> try_open(StoreOptions options = {}) {
    options.place = place();
    return open_session_store(options, clock_, entropy_);
  }
  void open(StoreOptions options = {}) {
    close();
    core::Result<std::unique_ptr<ThreadedSessionStore>> opened = try_open(std::move(options));
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
    caller_ = std::make_unique<StoreCaller>(*store_);
  }
  void close() {
    caller_.reset();
    store_.reset();
  }
  std::string data_dir() const { return place_.data_dir + "/data"; }
  sql::StorePlace place() const {
    sql::StorePlace place(data_dir());
    place.url = place_.url;
    return place;
  }
  // Another connection to the store's tables, as another node has.
  sql::Database connect() {
    auto database = place_.url.empty()
                        ? sql::Database::open(store_path(data_dir()), sql::OpenMode::read_write)
                        : sql::connect_store(place(), "events", schema());
    EXPECT_TRUE(database) << database.error().message;
    return std::move(*database);
  }

  core::FakeClock clock_;
  core::SeededEntropy entropy_{1};
  std::unique_ptr<ThreadedSessionStore> store_;
  std::unique_ptr<StoreCaller> caller_;
};

}  // namespace parley::event
