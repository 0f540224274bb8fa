// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/notify_store.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/sql/store_test.h"

namespace parley::notify {
namespace {

const core::WallTime kStoreNow = core::from_unix_ms(1'700'000'000'000);

class NotifyStoreTest : public sql::StoreTest {
 protected:
  void reopen() {
    store_.reset();
    auto opened = NotifyStore::open(place_);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  void SetUp() override { reopen(); }

  PushSubscription device(const std::string& id, const std::string& owner = "ann") {
    return {id,
            owner,
            owner + "'s phone",
            "https://push.example.org/" + id,
            std::string(65, 'k'),
            std::string(16, 'a'),
            "Phone",
            kStoreNow,
            {},
            {}};
  }

  std::unique_ptr<NotifyStore> store_;
};
INSTANTIATE_TEST_SUITE_P(Engines, NotifyStoreTest, sql::each_engine(), sql::engine_name);

class NotifyFileTest : public NotifyStoreTest {};
INSTANTIATE_TEST_SUITE_P(Files, NotifyFileTest, sql::only_sqlite(), sql::engine_name);

TEST_P(NotifyStoreTest, Delivery_IsKnownAfterReopening) {
  ASSERT_TRUE(store_->set_delivered("i1", "phone", "", kStoreNow));
  reopen();
  EXPECT_TRUE(store_->was_delivered("i1", "phone", "").value());
  EXPECT_FALSE(store_->was_delivered("i1", "phone", "other").value());
  EXPECT_FALSE(store_->was_delivered("i1", "mail", "").value());
  ASSERT_TRUE(store_->sweep(kStoreNow + core::Millis(1), kStoreNow + core::Millis(1)));
  EXPECT_FALSE(store_->was_delivered("i1", "phone", "").value());
}

TEST_P(NotifyStoreTest, Link_IsFoundByHashAlone) {
  AnswerLink link{"i1", "s", "ann", "k", "phone", "Yes", "yes", false, kStoreNow, {}};
  ASSERT_TRUE(store_->add_links({"hash-1"}, {link}));
  reopen();
  const auto found = store_->link("hash-1").value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->label, "Yes");
  EXPECT_EQ(found->expires_at, kStoreNow);
  EXPECT_FALSE(found->used_at);
  EXPECT_FALSE(store_->link("hash-2").value());
  ASSERT_TRUE(store_->set_used("hash-1", kStoreNow));
  EXPECT_EQ(store_->link("hash-1").value()->used_at, kStoreNow);
  ASSERT_TRUE(store_->sweep(kStoreNow + core::Millis(1), kStoreNow + core::Millis(1)));
  EXPECT_FALSE(store_->link("hash-1").value());
}

TEST_P(NotifyFileTest, File_IsPrivate) {
  struct stat info {};
  ASSERT_EQ(::stat(folder_.file("notify.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_P(NotifyStoreTest, Subscription_BelongsToItsToken) {
  ASSERT_TRUE(store_->subscribe(device("d1")));
  ASSERT_TRUE(store_->subscribe(device("d2", "bob")));
  EXPECT_EQ(store_->subscriptions("ann").value().size(), 1U);
  EXPECT_FALSE(store_->unsubscribe("bob", "d1").value());
  EXPECT_TRUE(store_->unsubscribe("ann", "d1").value());
  EXPECT_TRUE(store_->subscriptions("ann").value().empty());
}

TEST_P(NotifyStoreTest, ForgottenOwner_LosesDevicesAndLinks) {
  ASSERT_TRUE(store_->subscribe(device("d1", "bob")));
  AnswerLink link{"i1", "s", "ann", "k", "phone", "Yes", "yes", false, kStoreNow, {}};
  ASSERT_TRUE(store_->add_links({"hash-1"}, {link}));
  link.owner = "bob";
  ASSERT_TRUE(store_->add_links({"hash-2", "hash-3"}, {link, link}));
  EXPECT_EQ(store_->owners().value(), (std::vector<std::string>{"ann", "bob"}));
  ASSERT_TRUE(store_->forget_owner("bob"));
  EXPECT_EQ(store_->owners().value(), std::vector<std::string>{"ann"});
  EXPECT_TRUE(store_->link("hash-1").value());
  EXPECT_FALSE(store_->link("hash-2").value());
}

TEST_P(NotifyStoreTest, ForgottenToken_LosesItsDevicesOnly) {
  ASSERT_TRUE(store_->subscribe(device("d1")));
  PushSubscription laptop = device("d2");
  laptop.token = "";
  ASSERT_TRUE(store_->subscribe(laptop));
  ASSERT_TRUE(store_->forget_token("ann's phone"));
  ASSERT_TRUE(store_->forget_token(""));
  const auto kept = store_->subscriptions("ann").value();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].id, "d2");
}

TEST_P(NotifyStoreTest, SameEndpoint_ReplacesSubscription) {
  ASSERT_TRUE(store_->subscribe(device("d1")));
  PushSubscription again = device("d1");
  again.id = "d9";
  ASSERT_TRUE(store_->subscribe(again));
  const auto kept = store_->subscriptions("ann").value();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].id, "d9");
}

TEST_P(NotifyStoreTest, SubscriptionsOfToken_AreLimited) {
  for (std::size_t i = 0; i < kMaxSubscriptionsOfToken; ++i) {
    ASSERT_TRUE(store_->subscribe(device("d" + std::to_string(i))));
  }
  const auto more = store_->subscribe(device("more"));
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, core::Code::resource_exhausted);
  EXPECT_TRUE(store_->subscribe(device("d3"))) << "a known device is replaced";
  EXPECT_TRUE(store_->subscribe(device("other", "bob")));
}

TEST_P(NotifyStoreTest, Attempt_IsKept) {
  ASSERT_TRUE(store_->subscribe(device("d1")));
  ASSERT_TRUE(store_->set_attempt("d1", kStoreNow, "It did not answer."));
  EXPECT_EQ(store_->subscription("d1").value()->failure, "It did not answer.");
  ASSERT_TRUE(store_->set_attempt("d1", kStoreNow, ""));
  EXPECT_EQ(store_->subscription("d1").value()->failure, "");
  EXPECT_EQ(store_->subscription("d1").value()->delivered_at, kStoreNow);
}

}  // namespace
}  // namespace parley::notify
