// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/doctor_tls.h"

#include <gmock/gmock.h>

#include "base/core/temp_folder.h"

namespace parley::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr core::WallTime kTlsNow = core::WallTime(core::Millis(1'700'000'000'000));

// The flags of the running server are not in the settings of the command.
class CheckTls : public ::testing::Test {
 protected:
  CheckTls() {
    settings_.data = dir_.path();
    state_.server = mcp::RunningServer{{"https://127.0.0.1:1", "t", {}, {}, {}}, 77, "1", 1};
  }
  Finding first() const { return check_tls(state_, settings_, kTlsNow).front(); }

  core::TempFolder dir_;
  Settings settings_;
  ServerState state_;
};

TEST_F(CheckTls, ModeOfRunningServer_CountsInPlaceOfSettings) {
  EXPECT_EQ(first().detail, "off");
  state_.tls = "auto";
  EXPECT_THAT(first().detail, HasSubstr("auto"));
  settings_.tls_mode = "auto";
  state_.tls = "off";
  EXPECT_EQ(first().detail, "off");
}

TEST_F(CheckTls, OwnCertificateOfRunningServer_HasItsEnd) {
  state_.tls = "own";
  state_.tls_end = kTlsNow + std::chrono::days(100);
  EXPECT_EQ(first().state, Finding::State::good);
  EXPECT_THAT(first().detail, AllOf(HasSubstr("own"), HasSubstr("2024-02-22")));
  state_.tls_end = kTlsNow + std::chrono::days(3);
  EXPECT_EQ(first().state, Finding::State::warning);
  EXPECT_THAT(first().detail, HasSubstr("SIGHUP"));
  state_.tls_end = kTlsNow - std::chrono::days(1);
  EXPECT_EQ(first().state, Finding::State::fault);
}

}  // namespace
}  // namespace parley::app
