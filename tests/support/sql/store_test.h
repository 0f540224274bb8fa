// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/core/temp_folder.h"
#include "base/sql/engine.h"
#include "base/sql/store_place.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::sql {

// Base of the tests of a store, which run on each engine:
//   INSTANTIATE_TEST_SUITE_P(Engines, TokenStoreTest, sql::each_engine(), sql::engine_name);
// Those of a file alone are TEST_P of a class derived from it, made for only_sqlite().
class StoreTest : public testing::TestWithParam<Engine> {
 protected:
  StoreTest() {
    if (GetParam() == Engine::postgres) place_.url = PrivatePostgres::shared().new_database();
  }

  core::TempFolder folder_;
  // The place of this test's stores.
  StorePlace place_{folder_.path()};
};

inline auto each_engine() { return testing::Values(Engine::sqlite, Engine::postgres); }
inline auto only_sqlite() { return testing::Values(Engine::sqlite); }
inline std::string engine_name(const testing::TestParamInfo<Engine>& info) {
  return info.param == Engine::sqlite ? "Sqlite" : "Postgres";
}

}  // namespace parley::sql
