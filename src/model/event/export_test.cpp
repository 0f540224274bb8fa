// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "model/event/export.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/core/temp_folder.h"
#include "model/event/offline_store.h"
#include "model/event/sqlite_session_store.h"
#include "tests/support/event/store_fixture.h"

namespace parley::event {
namespace {

class ExportTest : public testing::Test {
 protected:
  void SetUp() override {
    StoreOptions options;
    options.place = directory_.path();
    core::Result<std::unique_ptr<SqliteSessionStore>> opened =
        SqliteSessionStore::open(options, clock_, entropy_);
    ASSERT_TRUE(opened);
    store_ = std::move(*opened);
    caller_ = std::make_unique<StoreCaller>(*store_);
  }
  std::unique_ptr<SessionReader> reader() const {
    return std::move(*open_offline_reader(directory_.path()));
  }
  core::Result<std::uint64_t> run(const std::string& session) {
    return export_events(*reader(), session, [this](std::string_view lines) {
      out_ += lines;
      return core::Result<void>();
    });
  }

  core::TempFolder directory_;
  core::FakeClock clock_;
  core::SeededEntropy entropy_{1};
  std::unique_ptr<SqliteSessionStore> store_;
  std::unique_ptr<StoreCaller> caller_;
  std::string out_;
};

TEST_F(ExportTest, RunningServer_IsExportedAsLines) {
  ASSERT_TRUE(caller_->commit(unit_of("a", 1, "{\"text\":\"x\\n\",\n\"n\":1}")));
  ASSERT_TRUE(caller_->commit(unit_of("b", 1)));
  const core::Result<std::uint64_t> count = run("a");
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(*count, 1U);
  EXPECT_EQ(out_, R"({"session":"a","seq":1,"at":"2023-11-14T22:13:20.001Z","direction":"in",)"
                  R"("type":"message","payload":{"text":"x\n", "n":1}})"
                  "\n");
}

TEST_F(ExportTest, AllSessions_AreWrittenInPages) {
  Unit many;
  many.session = session_row("a");
  for (std::uint64_t seq = 1; seq <= 2'500; ++seq) many.events.push_back(event_of("a", seq));
  ASSERT_TRUE(caller_->commit(std::move(many)));
  ASSERT_TRUE(caller_->commit(unit_of("b", 1)));
  store_->close();
  const core::Result<std::uint64_t> count = run("");
  ASSERT_TRUE(count) << count.error().message;
  EXPECT_EQ(*count, 2'501U);
  EXPECT_EQ(std::count(out_.begin(), out_.end(), '\n'), 2'501);
}

TEST_F(ExportTest, EmptyStore_IsReported) {
  EXPECT_EQ(run("unknown").error().code, core::Code::not_found);
}

TEST_F(ExportTest, FailedSink_EndsExport) {
  ASSERT_TRUE(caller_->commit(unit_of("a", 1)));
  const auto full = export_events(*reader(), "", [](std::string_view) {
    return core::Result<void>(core::fail(core::Code::resource_exhausted, "Full."));
  });
  EXPECT_EQ(full.error().code, core::Code::resource_exhausted);
}

}  // namespace
}  // namespace parley::event
