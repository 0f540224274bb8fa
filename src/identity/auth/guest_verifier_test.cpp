// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/auth/guest_verifier.h"

#include <gtest/gtest.h>

#include "tests/support/auth/fake_verifier.h"

namespace parley::auth {
namespace {

class GuestVerifierTest : public testing::Test {
 protected:
  GuestVerifierTest() { tokens_.allow("shared", "workspace", "default", Rights::all()); }

  FakeVerifier tokens_;
};

TEST_F(GuestVerifierTest, Guests_ShareWorkspace_MayOnlyStudy) {
  GuestVerifier guests(tokens_, "shared");
  const auto guest = guests.verify("", "192.0.2.1");
  ASSERT_TRUE(guest);
  EXPECT_EQ(guest->workspace, "workspace");
  EXPECT_EQ(guest->name, "guest");
  EXPECT_EQ(guest->token_id, "");
  EXPECT_EQ(guest->rights, Rights{Right::study});
  EXPECT_EQ(guests.judge("", "192.0.2.1").identity->workspace, "workspace");
  EXPECT_EQ(guests.verify("shared", "192.0.2.1")->rights, Rights::all());
}

TEST_F(GuestVerifierTest, NoGuestToken_NoGuests) {
  GuestVerifier guests(tokens_, "");
  EXPECT_FALSE(guests.verify("", "192.0.2.1"));
  EXPECT_FALSE(guests.judge("", "192.0.2.1").identity);
}

TEST_F(GuestVerifierTest, EndOfGuestToken_EndsGuestAccess) {
  GuestVerifier guests(tokens_, "shared");
  ASSERT_TRUE(guests.verify("", "192.0.2.1"));
  tokens_.forget("shared");
  EXPECT_FALSE(guests.verify("", "192.0.2.1"));
  EXPECT_FALSE(guests.judge("", "192.0.2.1").identity);
  EXPECT_TRUE(guests.check_guest(core::GuestObstacle{"it came through a proxy"}));
}

}  // namespace
}  // namespace parley::auth
