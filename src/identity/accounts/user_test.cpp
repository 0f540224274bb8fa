// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/accounts/user.h"

#include <gtest/gtest.h>

#include "identity/accounts/password.h"

namespace parley::accounts {
namespace {

TEST(UserRules, Email_HasSingleAtSignAndNoBlanks) {
  for (const char* good : {"a@b", "Alice.B+x@example.org", "李@例子.测试"}) {
    EXPECT_TRUE(check_email(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("alice"), std::string("@b"), std::string("a@"),
        std::string("a@b@c"), std::string("a b@c"), std::string("a@b\n"),
        std::string("a@b\xe2\x80\xae"), std::string(300, 'a') + "@b"}) {
    const auto checked = check_email(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().field, "email");
  }
}

TEST(UserRules, Username_CountsCharacters_AndIsNoEmail) {
  std::string fifty;
  for (int i = 0; i < 50; ++i) fifty += "李";
  for (const std::string& good : {std::string("李白"), std::string("Al"), fifty}) {
    EXPECT_TRUE(check_username(good)) << good;
  }
  for (const std::string& bad :
       {std::string("a"), fifty + "x", std::string("a@b"), std::string(" ab"), std::string("a\tb"),
        std::string("a\xe2\x80\x8b"
                    "b"),
        std::string("ab\xff")}) {
    const auto checked = check_username(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().field, "username");
  }
}

TEST(UserRules, Password_NeedsLengthLetterAndDigit) {
  EXPECT_TRUE(check_password("abcdefg1"));
  EXPECT_TRUE(check_password("密码密码密码密1"));
  for (const std::string& bad : {std::string("abcdef1"), std::string("abcdefgh"),
                                 std::string("12345678"), std::string(1'025, 'a') + "1"}) {
    const auto checked = check_password(bad, "newPassword");
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().field, "newPassword");
    EXPECT_EQ(checked.error().message.find(bad), std::string::npos);
  }
}

TEST(UserRules, AvatarUrl_IsNoScript) {
  for (const char* good : {"", "https://x.org/a.png", "/api/v1/files/1"}) {
    EXPECT_TRUE(check_avatar_url(good)) << good;
  }
  for (const char* bad : {"javascript:alert(1)", "//x.org/a", "data:text/html,x"}) {
    EXPECT_FALSE(check_avatar_url(bad)) << bad;
  }
}

TEST(UserRules, User_MayNotHandleTokens_AndAdministratorMay) {
  User user;
  EXPECT_FALSE(rights_of(user).has(auth::Right::admin));
  EXPECT_FALSE(rights_of(user).has(auth::Right::run_auto));
  EXPECT_TRUE(rights_of(user).has(auth::Right::run));
  user.admin = true;
  EXPECT_EQ(rights_of(user), auth::Rights::all());
}

TEST(Password, Hash_IsArgon2idWithOwnSalt) {
  const auto one = hash_password("secret 1", PasswordCost::least());
  const auto two = hash_password("secret 1", PasswordCost::least());
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(one->starts_with("$argon2id$v=19$"));
  EXPECT_NE(*one, *two);
  EXPECT_TRUE(is_password("secret 1", *one));
  EXPECT_FALSE(is_password("secret 2", *one));
  EXPECT_FALSE(is_password("", *one));
  EXPECT_FALSE(is_password("secret 1", ""));
}

TEST(Password, UsualCost_Is64MiB) {
  const auto hash = hash_password("secret 1");
  ASSERT_TRUE(hash);
  EXPECT_NE(hash->find("$m=65536,t=2,p=1$"), std::string::npos) << *hash;
}

}  // namespace
}  // namespace parley::accounts
