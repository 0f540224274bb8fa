// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <boost/json.hpp>

#include "base/core/base64.h"
#include "base/core/temp_folder.h"
#include "base/core/utf8.h"
#include "services/notify/push_message.h"
#include "services/notify/push_notifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"

namespace parley::notify {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// RFC 8291 appendix A.
constexpr const char* kVectorText = "When I grow up, I want to be a watermelon";
constexpr const char* kVectorSenderPublic =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
constexpr const char* kVectorSenderPrivate = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";
constexpr const char* kVectorReceiver =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
constexpr const char* kVectorSalt = "DGv6ra1nlYgDCS1FRnbzlw";
constexpr const char* kVectorAuth = "BTBZMqHH6r4Tts7J_aSIgg";
constexpr const char* kVectorMessage =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_"
    "c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6Tlz"
    "AC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-"
    "fN";

std::string decoded(std::string_view text) { return core::base64_decode(text).value_or(""); }

TEST(PushEncryption, Message_IsThatOfRfc8291) {
  const auto sender =
      EllipticKey::from_raw(decoded(kVectorSenderPrivate), decoded(kVectorSenderPublic));
  ASSERT_TRUE(sender);
  const auto message = encrypt_push(kVectorText, decoded(kVectorReceiver), decoded(kVectorAuth),
                                    *sender, decoded(kVectorSalt));
  ASSERT_TRUE(message) << message.error().message;
  EXPECT_EQ(core::base64url_encode(*message), kVectorMessage);
}

TEST(PushEncryption, PointOffTheCurve_IsRefused) {
  std::string point = decoded(kVectorReceiver);
  point.back() = static_cast<char>(point.back() ^ 1);
  const auto message =
      encrypt_push("x", point, decoded(kVectorAuth), EllipticKey::generate(), decoded(kVectorSalt));
  ASSERT_FALSE(message);
  EXPECT_EQ(message.error().code, core::Code::invalid_argument);
}

TEST(VapidKey, Key_IsMadeOncePrivately) {
  const core::TempFolder folder;
  const auto first = vapid_key(folder.path());
  ASSERT_TRUE(first) << first.error().message;
  const auto second = vapid_key(folder.path());
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ((*first)->public_bytes(), (*second)->public_bytes());
  struct stat info {};
  ASSERT_EQ(::stat(folder.file("vapid.pem").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST(VapidToken, Claims_NameAudienceAndContact) {
  const EllipticKey key = EllipticKey::generate();
  const std::string value = vapid_authorization(key, "https://push.example.org",
                                                "mailto:a@example.org", core::from_unix_ms(5'000));
  ASSERT_THAT(value, StartsWith("vapid t="));
  const std::size_t dot = value.find('.');
  const std::size_t last = value.find('.', dot + 1);
  EXPECT_EQ(decoded(value.substr(dot + 1, last - dot - 1)),
            R"({"aud":"https://push.example.org","exp":5,"sub":"mailto:a@example.org"})");
  const std::size_t comma = value.find(", k=");
  EXPECT_EQ(decoded(value.substr(last + 1, comma - last - 1)).size(), 64U);
  EXPECT_EQ(decoded(value.substr(comma + 4)), key.public_bytes());
}

TEST(PushPayload, LongNotice_IsCutBetweenCharacters) {
  Notice notice;
  notice.key = "k";
  notice.title = "Question";
  for (int i = 0; i < 1'500; ++i) notice.body += "审\n";
  notice.options = {{"Yes", "/a/SECRET"}, {"No", "/a/SAFE", true}};
  notice.page_path = "/#/inbox/item/k";
  const std::string payload = push_payload(notice);
  EXPECT_LE(payload.size(), kMaxPushBytes);
  EXPECT_GT(payload.size(), kMaxPushBytes - 500);
  EXPECT_TRUE(core::is_utf8(payload));
  const auto json = boost::json::parse(payload);
  ASSERT_EQ(json.at("options").as_array().size(), 1U) << "what is not shown cannot be allowed";
  EXPECT_EQ(json.at("options").at(0).at("url"), "/a/SAFE");
  EXPECT_EQ(json.at("options").at(0).at("safe"), true);
  EXPECT_EQ(json.at("url"), "/#/inbox/item/k");
}

TEST(PushPayload, LongLabels_AreDropped) {
  Notice notice;
  for (int i = 0; i < 8; ++i) notice.options.push_back({std::string(600, 'x'), "/a/S"});
  const std::string payload = push_payload(notice);
  EXPECT_LE(payload.size(), kMaxPushBytes);
  EXPECT_EQ(boost::json::parse(payload).at("options").as_array().size(), 4U);
}

class PushNotifierTest : public testing::Test {
 protected:
  void SetUp() override {
    store_ = std::move(*NotifyStore::open(folder_.path()));
    ASSERT_TRUE(store_->subscribe({"d1",
                                   "ann",
                                   {},
                                   "https://push.example.org/x/1",
                                   decoded(kVectorReceiver),
                                   decoded(kVectorAuth),
                                   "Phone",
                                   clock_.wall(),
                                   {},
                                   {}}));
    push_ = make_push_notifier({*vapid_key(folder_.path()), "mailto:a@example.org", {}}, *store_,
                               fetcher_, entropy_, scheduler_);
  }
  Delivery deliver(const std::string& target) {
    Notice notice;
    notice.id = "i1";
    notice.deadline = clock_.wall() + std::chrono::minutes(10);
    std::optional<Delivery> end;
    push_->deliver(notice, target, [&end](Delivery delivery) { end = std::move(delivery); });
    scheduler_.run_ready();
    return end.value_or(Delivery{Delivery::Kind::failed, "no end"});
  }

  core::TempFolder folder_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{5};
  http_client::FakeFetcher fetcher_;
  std::unique_ptr<NotifyStore> store_;
  std::unique_ptr<Notifier> push_;
};

TEST_F(PushNotifierTest, Request_HasFieldsOfRfc8030) {
  EXPECT_EQ(push_->targets("ann"), std::vector<std::string>{"d1"});
  EXPECT_TRUE(push_->targets("bob").empty());
  fetcher_.will_answer({201});
  EXPECT_EQ(deliver("d1").kind, Delivery::Kind::delivered);
  const auto& request = fetcher_.exchanges.back()->request;
  EXPECT_EQ(request.url, "https://push.example.org/x/1");
  EXPECT_TRUE(request.public_only);
  EXPECT_THAT(request.headers, Contains("TTL: 600"));
  EXPECT_THAT(request.headers, Contains("Urgency: high"));
  EXPECT_THAT(request.headers, Contains("Content-Encoding: aes128gcm"));
  EXPECT_THAT(request.headers, Contains("Topic: " + push_topic("i1")));
  EXPECT_EQ(push_topic("i1").size(), 32U);
}

TEST_F(PushNotifierTest, DeadSubscription_IsGone) {
  fetcher_.will_answer({410});
  EXPECT_EQ(deliver("d1").kind, Delivery::Kind::gone);
  fetcher_.will_answer({503});
  EXPECT_EQ(deliver("d1").kind, Delivery::Kind::retry);
  EXPECT_EQ(deliver("nobody").kind, Delivery::Kind::gone);
}

}  // namespace
}  // namespace parley::notify
