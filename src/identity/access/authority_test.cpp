// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/access/authority.h"

#include <gtest/gtest.h>

#include "model/session/interaction.h"

namespace parley::access {
namespace {

auth::Identity caller(auth::Rights rights) {
  auth::Identity identity{"workspace", "name", std::nullopt, rights};
  identity.token_id = "t1";
  return identity;
}

session::Interaction asked_by(const session::Authority& by) {
  session::Interaction interaction;
  interaction.key = "k";
  interaction.asker = by.asker();
  return interaction;
}

bool may(const auth::Identity& who, const session::Interaction& interaction, session::Deed deed) {
  return session::permitted(authority_of(who), interaction, deed).has_value();
}

TEST(Authority, Asker_IsTokenElseUser_NeverAGuest) {
  auth::Identity one = caller({});
  EXPECT_EQ(asker_id(one), "t1");
  one.token_id.clear();
  one.user = "user-7";
  EXPECT_EQ(asker_id(one), "user-7");
  one.user.clear();
  EXPECT_EQ(asker_id(one), "");
  EXPECT_FALSE(may(one, asked_by(authority_of(one)), session::Deed::read))
      << "two guests are not one asker";
}

// Each right alone, for an interaction of another asker.
TEST(Authority, OnlyAnswerAndRead_CountForOthersInteractions) {
  const session::Interaction foreign = asked_by(session::Authority::of_token("t2", {}));
  for (const auth::Right right : auth::kAllRights) {
    const auth::Identity one = caller({right});
    const bool answers = right == auth::Right::answer;
    EXPECT_EQ(may(one, foreign, session::Deed::answer), answers) << auth::right_name(right);
    EXPECT_EQ(may(one, foreign, session::Deed::cancel), answers) << auth::right_name(right);
    EXPECT_EQ(may(one, foreign, session::Deed::read), right == auth::Right::read)
        << auth::right_name(right);
  }
}

TEST(Authority, Window_HasNoRightsOfItsToken) {
  const session::Authority window = window_of(caller(auth::Rights::all()));
  EXPECT_EQ(window.asker(), (session::Asker{"t1", true}));
  const session::Interaction foreign = asked_by(session::Authority::of_token("t2", {}));
  for (const session::Deed deed :
       {session::Deed::answer, session::Deed::cancel, session::Deed::read}) {
    EXPECT_FALSE(session::permitted(window, foreign, deed));
    EXPECT_TRUE(session::permitted(window, asked_by(window), deed));
  }
}

}  // namespace
}  // namespace parley::access
