// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/phone_token.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/core/entropy.h"
#include "base/core/temp_folder.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::app {
namespace {

class PhoneTokenTest : public ::testing::Test {
 protected:
  std::string ensured(std::string_view from) {
    const auto text = ensure_phone_token(folder.path(), *tokens, from);
    EXPECT_TRUE(text.has_value());
    return text.value_or("");
  }

  core::TempFolder folder;
  core::FakeClock clock;
  core::SystemEntropy entropy;
  std::unique_ptr<auth::TokenStore> tokens = *auth::TokenStore::open(folder.path(), clock, entropy);
  std::string own = *tokens->create({std::string(auth::kDefaultTokenName)});
};

TEST_F(PhoneTokenTest, Code_HasOwnTokenWithUsualRightsAndSameInbox) {
  const std::string text = ensured(own);
  EXPECT_NE(text, own);
  const auto phone = tokens->verify(text, "");
  ASSERT_TRUE(phone.has_value());
  EXPECT_EQ(phone->name, "phone");
  EXPECT_EQ(phone->rights, auth::Rights::usual());
  EXPECT_EQ(phone->workspace, tokens->verify(own, "")->workspace);
  struct stat info {};
  ASSERT_EQ(::stat(folder.file(kPhoneTokenFile).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(PhoneTokenTest, LaterStart_ShowsTheSame) { EXPECT_EQ(ensured(own), ensured(own)); }

TEST_F(PhoneTokenTest, RevokedOrRenamedToken_IsReplacedUnderAFreeName) {
  const std::string first = ensured(own);
  ASSERT_TRUE(tokens->revoke("phone").has_value());
  const std::string second = ensured(own);
  EXPECT_NE(first, second);
  ASSERT_TRUE(tokens->rename("phone", "Pocket").has_value());
  EXPECT_EQ(ensured(own), second) << "a name is the person's choice";
  ASSERT_TRUE(tokens->revoke("Pocket").has_value());
  ASSERT_TRUE(tokens->create({"phone"}).has_value());
  EXPECT_EQ(tokens->verify(ensured(own), "")->name, "phone 2");
}

TEST_F(PhoneTokenTest, OtherWorkspace_GetsAnotherToken) {
  const std::string first = ensured(own);
  const std::string other = *tokens->create({"other"});
  const std::string second = ensured(other);
  EXPECT_NE(first, second);
  EXPECT_EQ(tokens->verify(second, "")->workspace, tokens->verify(other, "")->workspace);
}

TEST_F(PhoneTokenTest, UnknownOwnToken_MakesNone) {
  EXPECT_EQ(ensured(""), "");
  EXPECT_EQ(ensured("wrong"), "");
  EXPECT_EQ(tokens->list()->size(), 1U);
}

}  // namespace
}  // namespace parley::app
