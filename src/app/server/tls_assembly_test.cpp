// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/tls_assembly.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/core/temp_folder.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::app {
namespace {

using certificate::TlsMode;

class TlsAssemblyTest : public ::testing::Test {
 protected:
  TlsAssemblyTest() {
    settings.data = folder.path();
    settings.tls_mode = "auto";
  }
  std::string path(std::string_view name) const { return folder.file(name); }

  core::TempFolder folder;
  core::FakeClock clock;
  core::FakeScheduler worker{clock};
  net::MemoryNetwork plain{{}};
  Settings settings;
};

TEST_F(TlsAssemblyTest, Off_ListensWithoutTls) {
  settings.tls_mode = "off";
  TlsAssembly tls(settings, clock, plain);
  ASSERT_TRUE(tls.load().has_value());
  EXPECT_EQ(&tls.network(), &plain);
  EXPECT_TRUE(tls.reload().has_value());
  EXPECT_EQ(tls.authority_file(), "");
  EXPECT_FALSE(std::filesystem::exists(path("authority.key")));
}

TEST_F(TlsAssemblyTest, HourlyCheck_RenewsCertificate) {
  TlsAssembly tls(settings, clock, plain);
  ASSERT_TRUE(tls.load().has_value());
  EXPECT_NE(&tls.network(), &plain);
  tls.watch(worker);
  worker.run_ready();
  const auto first = tls.report().facts().expires_at;
  clock.advance(*first - std::chrono::days(30) - clock.wall());
  worker.run_ready();
  EXPECT_EQ(tls.report().facts().expires_at, first);
  worker.advance(TlsAssembly::kCheckInterval);
  EXPECT_GT(tls.report().facts().expires_at, first);
}

TEST_F(TlsAssemblyTest, FailedCheck_IsRepeated) {
  TlsAssembly tls(settings, clock, plain);
  ASSERT_TRUE(tls.load().has_value());
  tls.watch(worker);
  worker.run_ready();
  // A folder in the place of the file cannot be replaced.
  ASSERT_EQ(::unlink(path("server.pem").c_str()), 0);
  std::filesystem::create_directories(path("server.pem/x"));
  worker.advance(TlsAssembly::kCheckInterval);
  EXPECT_EQ(tls.report().facts().mode, TlsMode::automatic) << "the old certificate stays in use";
  std::filesystem::remove_all(path("server.pem"));
  worker.advance(TlsAssembly::kCheckInterval);
  EXPECT_TRUE(std::filesystem::is_regular_file(path("server.pem")));
}

TEST_F(TlsAssemblyTest, OwnCertificate_ShowsItsEnd) {
  TlsAssembly maker(settings, clock, plain);
  ASSERT_TRUE(maker.load().has_value());
  settings.tls_cert = path("server.pem");
  settings.tls_key = path("server.key");
  TlsAssembly tls(settings, clock, plain);
  ASSERT_TRUE(tls.load().has_value());
  const certificate::TlsFacts facts = tls.report().facts();
  EXPECT_EQ(facts.mode, TlsMode::own);
  EXPECT_EQ(facts.expires_at, maker.report().facts().expires_at);
  EXPECT_EQ(facts.fingerprint, "");
}

}  // namespace
}  // namespace parley::app
