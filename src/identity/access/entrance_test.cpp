// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/access/entrance.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/auth/fake_verifier.h"

namespace parley::access {
namespace {

// A row that guests may use, or one that they may not.
const Row& row_for_guests(bool guests) {
  return *std::find_if(rows().begin(), rows().end(), [guests](const Row& row) {
    return row.guests == guests && row.method == "GET" && !need_text(row).empty();
  });
}

net::Request head_with(const std::string& token) {
  net::Request head;
  head.method = "GET";
  head.peer = "127.0.0.1";
  head.headers.add("Host", "127.0.0.1:22080");
  if (!token.empty()) head.headers.add("Authorization", "Bearer " + token);
  return head;
}

TEST(Entrance, AdmittedRequest_HasOwnerAndAccount) {
  auth::FakeVerifier verifier;
  verifier.allow("t-1", "ann");
  const auto admitted = admit(verifier, row_for_guests(false), head_with("t-1"), refusal_in_json);
  ASSERT_TRUE(admitted.has_value());
  EXPECT_EQ(admitted->owner, "ann");
  EXPECT_EQ(admitted->account, "ann");
}

TEST(Entrance, AdmittedGuest_HasTheOwnerOfAllGuests_AndNoAccount) {
  auth::FakeVerifier verifier;
  verifier.allow("", "guests");
  const auto admitted = admit(verifier, row_for_guests(true), head_with(""), refusal_in_json);
  ASSERT_TRUE(admitted.has_value()) << admitted.error().body;
  EXPECT_EQ(admitted->owner, "guests");
  EXPECT_EQ(admitted->account, "");
}

TEST(Entrance, WrongToken_IsRefused) {
  auth::FakeVerifier verifier;
  const auto refused = admit(verifier, row_for_guests(false), head_with("t-2"), refusal_in_json);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().status, 401);
}

}  // namespace
}  // namespace parley::access
