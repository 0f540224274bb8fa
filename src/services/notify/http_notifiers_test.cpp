// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "services/notify/http_delivery.h"
#include "services/notify/ntfy_notifier.h"
#include "services/notify/webhook_notifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"

namespace parley::notify {
namespace {

using Kind = Delivery::Kind;
using http_client::FetchEnd;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecret = "0123456789abcdef0123";

class HttpNotifiersTest : public testing::Test {
 protected:
  Notice notice(std::size_t options = 2) {
    Notice created;
    created.id = "0190-id";
    created.key = "k";
    created.title = "Question from reviewer";
    created.body = "Deploy?";
    created.base = "https://parley.example.org";
    created.page_path = "/#/inbox/item/k";
    created.write_path = "/a/WRITE";
    for (std::size_t i = 0; i < options; ++i) {
      created.options.push_back({"O" + std::to_string(i), "/a/S" + std::to_string(i)});
    }
    created.opened_at = clock_.wall();
    created.deadline = clock_.wall() + std::chrono::hours(1);
    return created;
  }
  std::unique_ptr<Notifier> ntfy(NtfySettings settings) {
    auto created =
        make_ntfy_notifier(std::move(settings), {}, Language::english, fetcher_, scheduler_);
    EXPECT_TRUE(created) << created.error().message;
    return std::move(*created);
  }
  Delivery deliver(Notifier& notifier, const Notice& what) {
    std::optional<Delivery> end;
    notifier.deliver(what, "", [&end](Delivery delivery) { end = std::move(delivery); });
    EXPECT_FALSE(end) << "never inside the call";
    scheduler_.run_ready();
    return end.value_or(Delivery{Kind::failed, "no end"});
  }
  const http_client::FetchRequest& sent() { return fetcher_.exchanges.back()->request; }
  boost::json::value body() { return boost::json::parse(sent().body); }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  http_client::FakeFetcher fetcher_;
};

TEST_F(HttpNotifiersTest, Ntfy_PublishesButtonsThatPost) {
  auto phone = ntfy({"phone", "https://ntfy.example.org/sub/my-topic", "tk_1"});
  fetcher_.will_answer({});
  EXPECT_EQ(deliver(*phone, notice()).kind, Kind::delivered);
  EXPECT_EQ(sent().url, "https://ntfy.example.org/sub/");
  EXPECT_EQ(sent().method, "POST");
  EXPECT_TRUE(sent().public_only);
  EXPECT_THAT(sent().headers, Contains("Authorization: Bearer tk_1"));
  EXPECT_EQ(body().at("topic"), "my-topic");
  EXPECT_EQ(body().at("title"), "Question from reviewer");
  EXPECT_EQ(body().at("click"), "https://parley.example.org/#/inbox/item/k");
  const boost::json::value published = body();
  const auto& actions = published.at("actions").as_array();
  ASSERT_EQ(actions.size(), 3U);
  EXPECT_EQ(actions[0].at("action"), "http");
  EXPECT_EQ(actions[0].at("method"), "POST");
  EXPECT_EQ(actions[0].at("url"), "https://parley.example.org/a/S0");
  EXPECT_EQ(actions[2].at("action"), "view");
  EXPECT_EQ(actions[2].at("url"), "https://parley.example.org/a/WRITE");
}

TEST_F(HttpNotifiersTest, Ntfy_OffersPageForManyOptions) {
  auto phone = ntfy({"phone", "http://127.0.0.1:9/t", "", "ann", "pw"});
  fetcher_.will_answer({});
  deliver(*phone, notice(4));
  EXPECT_FALSE(sent().public_only) << "the setting names the address itself";
  EXPECT_THAT(sent().headers, Contains("Authorization: Basic YW5uOnB3"));
  const boost::json::value published = body();
  const auto& actions = published.at("actions").as_array();
  ASSERT_EQ(actions.size(), 1U);
  EXPECT_EQ(actions[0].at("action"), "view");
}

TEST_F(HttpNotifiersTest, Ntfy_NeedsTopic) {
  for (const char* url : {"https://ntfy.sh", "https://ntfy.sh/", "ftp://x/y", "https://u:p@x/t"}) {
    EXPECT_FALSE(make_ntfy_notifier({"phone", url}, {}, Language::english, fetcher_, scheduler_))
        << url;
  }
}

TEST_F(HttpNotifiersTest, Webhook_IsSigned) {
  auto hook = make_webhook_notifier({"hook", "https://hooks.example.org/p", kSecret}, {}, fetcher_,
                                    scheduler_);
  ASSERT_TRUE(hook);
  fetcher_.will_answer({204});
  EXPECT_EQ(deliver(**hook, notice()).kind, Kind::delivered);
  EXPECT_TRUE(sent().public_only);
  EXPECT_EQ(sent().max_redirects, 0);
  EXPECT_EQ(body().at("options").at(1).at("url"), "https://parley.example.org/a/S1");
  const std::string signature = webhook_signature(kSecret, "1700000000", sent().body);
  EXPECT_THAT(sent().headers, Contains("X-Parley-Signature: " + signature));
  EXPECT_THAT(sent().headers, Contains("X-Parley-Timestamp: 1700000000"));
  for (const std::string& header : sent().headers) EXPECT_THAT(header, Not(HasSubstr(kSecret)));
  EXPECT_THAT(sent().body, Not(HasSubstr(kSecret)));
}

// The value is that of `openssl dgst -sha256 -hmac key` for "Hi.There".
TEST(WebhookSignature, Text_HasKnownSignature) {
  EXPECT_EQ(webhook_signature("key", "Hi", "There"),
            "v1=bd383e7626cbbcd781130ea084be0faf64b3cbb99cfadf8089ebc5d00828f19d");
}

TEST_F(HttpNotifiersTest, Webhook_NeedsLongSecret) {
  const auto hook =
      make_webhook_notifier({"hook", "https://h.example.org/", "short"}, {}, fetcher_, scheduler_);
  ASSERT_FALSE(hook);
  EXPECT_EQ(hook.error().field, "secret");
  EXPECT_THAT(hook.error().message, Not(HasSubstr("short")));
}

TEST_F(HttpNotifiersTest, Status_DecidesAboutRetry) {
  auto hook = std::move(*make_webhook_notifier({"hook", "https://h.example.org/", kSecret}, {},
                                               fetcher_, scheduler_));
  const auto end_of = [&](int status) {
    fetcher_.will_answer({status, {{"retry-after", "90"}}});
    return deliver(*hook, notice());
  };
  EXPECT_EQ(end_of(302).kind, Kind::failed);
  EXPECT_THAT(end_of(302).failure, HasSubstr("redirect"));
  EXPECT_EQ(end_of(401).kind, Kind::failed);
  EXPECT_EQ(end_of(410).kind, Kind::failed);
  EXPECT_EQ(end_of(500).kind, Kind::retry);
  EXPECT_EQ(end_of(429).kind, Kind::retry);
  EXPECT_EQ(end_of(429).retry_after, std::chrono::seconds(90));
  fetcher_.will_answer({0, {}, {}, FetchEnd::Kind::unreachable, "No connection."});
  EXPECT_EQ(deliver(*hook, notice()).kind, Kind::retry);
  fetcher_.will_answer({0, {}, {}, FetchEnd::Kind::refused, "Private."});
  EXPECT_EQ(deliver(*hook, notice()).kind, Kind::failed);
}

TEST(RetryAfter, SecondsAndDates_AreRead) {
  const core::WallTime now = core::from_unix_ms(784'111'777'000);  // Sun, 06 Nov 1994 08:49:37 GMT
  EXPECT_EQ(retry_after(" 120", now), std::chrono::seconds(120));
  EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:50:37 GMT", now), std::chrono::seconds(60));
  EXPECT_EQ(retry_after("Sun, 06 Nov 1994 08:48:37 GMT", now), core::Millis(0));
  EXPECT_EQ(retry_after("soon", now), std::nullopt);
  EXPECT_EQ(retry_after("-5", now), std::nullopt);
}

TEST(PrivateHosts, SettingMustNameThem) {
  EXPECT_TRUE(may_be_private("127.0.0.1", {}));
  EXPECT_TRUE(may_be_private("[fd00::1]", {}));
  EXPECT_TRUE(may_be_private("ntfy.lan", {}));
  EXPECT_FALSE(may_be_private("ntfy.example.org", {}));
  EXPECT_TRUE(may_be_private("ntfy.example.org", {"ntfy.example.org"}));
  EXPECT_FALSE(may_be_private("8.8.8.8", {}));
}

}  // namespace
}  // namespace parley::notify
