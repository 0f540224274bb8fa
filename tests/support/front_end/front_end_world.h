// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/temp_folder.h"
#include "services/front_end/front_end_store.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::front_end {

// A store in a folder of its own, with a fake clock. For tests.
class FrontEndWorld {
 public:
  explicit FrontEndWorld(const std::string& url = {}) {
    place_.url = url;
    open();
  }
  FrontEndWorld(const FrontEndWorld&) = delete;
  FrontEndWorld& operator=(const FrontEndWorld&) = delete;

  void open() { store = std::move(FrontEndStore::open(place_, clock, entropy).value()); }
  void restart() {
    store.reset();
    open();
  }
  std::string file(std::string_view name) const { return folder_.file(name); }

  // Runs `work` on the store's thread and returns its result.
  template <typename Call>
  auto run(Call work) {
    using Returned = std::invoke_result_t<Call, const FrontEndStore::Tables&>;
    using T = typename Returned::value_type;
    std::optional<Returned> out;
    store->run<T>(scheduler, 0, std::move(work), [&](Returned result) { out = std::move(result); });
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!out && std::chrono::steady_clock::now() < end) {
      if (scheduler.run_ready() == 0) std::this_thread::yield();
    }
    EXPECT_TRUE(out) << "it takes too long";
    return out ? std::move(*out)
               : Returned(core::fail(core::Code::internal, "Nothing was answered."));
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{7};
  std::unique_ptr<FrontEndStore> store;

 private:
  core::TempFolder folder_{"parley-front-end"};
  sql::StorePlace place_{folder_.path()};
};

}  // namespace parley::front_end
