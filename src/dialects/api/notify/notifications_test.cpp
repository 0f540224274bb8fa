// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "base/core/base64.h"
#include "base/core/temp_folder.h"
#include "base/net/server/home_passage.h"
#include "dialects/api/notify/answer_page.h"
#include "tests/support/api/api_world.h"
#include "tests/support/notify/fake_notifier.h"

namespace parley::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::Reply;
using testing::World;

constexpr const char* kDeploy =
    R"({"key":"k","prompt":{"text":"Deploy <b>?","questions":[{"text":"Deploy <b>?","choices":[)"
    R"({"label":"Yes"},{"label":"No & never"}]}]}})";

class NotificationsTest : public ::testing::Test {
 protected:
  NotificationsTest() {
    auto fake = std::make_unique<notify::FakeNotifier>(world_.disk());
    phone_ = fake.get();
    std::vector<notify::NotificationPlanner::Channel> channels;
    channels.push_back({std::move(fake), {}});
    auto store = std::move(*notify::NotifyStore::open(folder_.path()));
    notify::NotificationPlanner::Dependencies dependencies{world_.disk(), world_.entropy(), *store};
    service_ = std::make_unique<notify::NotificationService>(
        notify::NotificationService::Dependencies{
            world_.disk(), world_.entropy(), world_.hub(), "KEY", {}},
        std::move(store), std::move(dependencies), std::move(channels));
    world_.hub().watch(*service_);
    world_.set_notify(service_.get());
    service_->start([] { return std::string("https://parley.example.org"); });
    world_.settle();
  }

  void ask(const char* body = kDeploy) {
    EXPECT_EQ(world_.call("POST", "/v1/interactions", "alice", body).status(), 201);
    ASSERT_FALSE(phone_->attempts.empty());
  }
  const notify::Notice& notice() { return phone_->attempts.back().notice; }
  Reply open(const std::string& path, const std::string& method = "GET",
             const std::string& body = {}, const std::string& language = "en") {
    return world_.call(method, path, "", body, {{"Accept-Language", language}});
  }
  boost::json::value state() { return world_.call("GET", "/v1/interactions/k", "alice").json(); }
  std::string given() {
    return std::string(
        state().at("outcome").at("answer").at("contents").at(0).at("text").as_string());
  }

  core::TempFolder folder_;
  std::unique_ptr<notify::NotificationService> service_;
  notify::FakeNotifier* phone_ = nullptr;
  World world_;  // destroyed first: its shards call the service
};

TEST_F(NotificationsTest, OpeningLink_AnswersNothing) {
  ask();
  for (int i = 0; i < 3; ++i) {
    const Reply page = open(notice().options[1].path);
    EXPECT_EQ(page.status(), 200);
    EXPECT_THAT(page.response->body, HasSubstr("Deploy &lt;b&gt;?"));
    EXPECT_THAT(page.response->body, HasSubstr("No &amp; never"));
    EXPECT_THAT(page.response->body, Not(HasSubstr(notice().options[1].path.substr(3))));
  }
  EXPECT_EQ(state().at("state"), "pending");
}

TEST_F(NotificationsTest, Button_AnswersOnce) {
  ask();
  const std::string path = notice().options[1].path;
  EXPECT_EQ(open(path, "POST").status(), 200);
  EXPECT_EQ(given(), "No & never");
  EXPECT_EQ(state().at("outcome").at("nickname"), "phone (link)");
  EXPECT_EQ(state().at("outcome").at("by").at("name"), "phone");
  EXPECT_EQ(state().at("outcome").at("shown").at("told"), "server");
  EXPECT_EQ(open(path, "POST").status(), 410);
  EXPECT_THAT(open(path).response->body, HasSubstr("Already answered"));
  EXPECT_EQ(open(notice().options[0].path).status(), 409) << "its question is answered";
  EXPECT_EQ(open(notice().options[0].path, "POST").status(), 409);
}

// The way to another node, which answers.
struct OtherHome final : net::HomePassage {
  bool pass_on(std::string_view owner, net::Request& /*request*/,
               net::Responder& responder) override {
    owners.emplace_back(owner);
    if (is_home_here) return false;
    responder.send(net::Response::text(299, "of another node"));
    return true;
  }
  bool pass_on(std::string_view /*owner*/, const net::Request& /*handshake*/,
               const std::vector<std::string>& /*messages*/, net::WebSocket& /*socket*/) override {
    return false;
  }
  std::vector<std::string> owners;
  bool is_home_here = false;
};

TEST_F(NotificationsTest, Link_IsServedAtTheHomeOfItsOwner) {
  ask();
  OtherHome homes;
  world_.set_homes(&homes);
  const std::string path = notice().options[1].path;
  EXPECT_EQ(open(path).status(), 299);
  EXPECT_EQ(open(path, "POST").status(), 299);
  EXPECT_EQ(homes.owners, (std::vector<std::string>{"id-alice", "id-alice"}));
  EXPECT_EQ(state().at("state"), "pending") << "nothing is answered here";
  EXPECT_EQ(open("/a/unknown").status(), 404);
  EXPECT_EQ(homes.owners.size(), 2U) << "an unknown link has no home";
  homes.is_home_here = true;
  EXPECT_EQ(open(path, "POST").status(), 200);
  EXPECT_EQ(given(), "No & never");
  world_.set_homes(nullptr);
}

// An approval of a command whose end is not in the notice.
TEST_F(NotificationsTest, LinksOfCutApproval_DoNotAllow_PageShowsAll) {
  const std::string command = "echo harmless" + std::string(30'000, ' ') + "; touch C";
  const std::string body =
      R"({"key":"k","kind":"tool_approval","prompt":{"text":"Run this? )" + command + R"("}})";
  ask(body.c_str());
  ASSERT_EQ(notice().options.size(), 1U);
  EXPECT_EQ(notice().options[0].label, "Deny");
  const std::string path = notice().write_path;
  EXPECT_EQ(open(path, "POST").status(), 400);
  EXPECT_EQ(state().at("state"), "pending");
  for (const std::string& page : {path, notice().options[0].path}) {
    EXPECT_THAT(open(page).response->body, HasSubstr("; touch C"));
  }
  EXPECT_EQ(open(path, "POST", "choice=Allow").status(), 200) << "the page has shown all of it";
  EXPECT_EQ(given(), "Allow");
}

TEST_F(NotificationsTest, ConsentWithoutDecision_IsAskedAgain) {
  ask(R"({"key":"k","kind":"tool_approval","prompt":{"text":"Run make?"}})");
  const Reply page = open(notice().write_path, "POST", "text=ok%2C+do+it");
  EXPECT_EQ(page.status(), 400);
  EXPECT_THAT(page.response->body, HasSubstr("Choose Allow or Deny."));
  EXPECT_EQ(state().at("state"), "pending");
}

TEST_F(NotificationsTest, QuestionBeyondPage_CanOnlyBeRefusedThere) {
  const std::string body = R"({"key":"k","kind":"tool_approval","prompt":{"text":")" +
                           std::string(notify::kMaxPageQuestionBytes + 1, 'x') + R"("}})";
  ask(body.c_str());
  const std::string path = notice().write_path;
  const std::string page = open(path).response->body;
  EXPECT_THAT(page, HasSubstr("too long to be shown whole"));
  EXPECT_THAT(page, HasSubstr("href=\"/#/inbox/item/k\""));
  EXPECT_THAT(page, Not(HasSubstr("value=\"Allow\"")));
  for (const char* form : {"choice=Allow", "text=allow+it"}) {
    EXPECT_EQ(open(path, "POST", form).status(), 400) << form;
  }
  EXPECT_EQ(state().at("state"), "pending");
  EXPECT_EQ(open(path, "POST", "choice=Deny").status(), 200);
}

TEST_F(NotificationsTest, WrittenAnswer_IsOneOfTheChoices) {
  ask();
  const std::string path = notice().write_path;
  EXPECT_THAT(open(path).response->body, HasSubstr("name=\"choice\" value=\"No &amp; never\""));
  const Reply empty = open(path, "POST");
  EXPECT_EQ(empty.status(), 400);
  EXPECT_THAT(empty.response->body, HasSubstr("Choose or write an answer first."));
  EXPECT_EQ(open(path, "POST", "choice=Maybe").status(), 400);
  EXPECT_EQ(state().at("state"), "pending");
  EXPECT_EQ(open(path, "POST", "choice=No+%26+never").status(), 200);
  EXPECT_EQ(given(), "No & never");
}

TEST_F(NotificationsTest, PlainQuestion_TakesText) {
  ask(R"({"key":"k","prompt":{"text":"Which port?"}})");
  EXPECT_TRUE(notice().options.empty());
  const std::string path = notice().write_path;
  EXPECT_THAT(open(path).response->body, HasSubstr("<textarea"));
  const std::string text(notify::kMaxWrittenAnswerBytes + 1, 'x');
  const Reply longer = open(path, "POST", "text=" + text);
  EXPECT_EQ(longer.status(), 400);
  EXPECT_THAT(longer.response->body, HasSubstr(text)) << "nothing typed is lost";
  EXPECT_EQ(open(path, "POST", "text=%E5%A5%BD+8080%0D%0A9090").status(), 200);
  EXPECT_EQ(given(), "好 8080\n9090") << "line breaks of a form are those of the console";
}

TEST_F(NotificationsTest, Page_FollowsLanguageAndPolicy) {
  ask();
  const Reply page = open(notice().options[0].path, "GET", "", "de, zh-CN;q=0.9, en;q=0.8");
  EXPECT_THAT(page.response->body, HasSubstr("<html lang=\"zh-CN\">"));
  EXPECT_THAT(page.response->body, HasSubstr("发送此回答"));
  EXPECT_THAT(page.response->body, Not(HasSubstr("<script")));
  const std::string policy(page.response->headers.get("Content-Security-Policy"));
  EXPECT_THAT(policy, HasSubstr("default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_EQ(page.response->headers.get("Cache-Control"), "no-store");
}

TEST(PageLanguage, Weights_AreCompared) {
  EXPECT_EQ(page_language(""), notify::Language::english);
  EXPECT_EQ(page_language("zh"), notify::Language::chinese);
  EXPECT_EQ(page_language("en-GB,en;q=0.9,zh;q=0.8"), notify::Language::english);
  EXPECT_EQ(page_language("en;q=0.5, zh-TW;q=0.75"), notify::Language::chinese);
  EXPECT_EQ(page_language("en ; q=0.5, zh-TW; q=0.75"), notify::Language::chinese);
  EXPECT_EQ(page_language("fr"), notify::Language::english);
}

TEST_F(NotificationsTest, UnknownLinks_WaitAndAreRefused) {
  std::size_t refused = 0;
  bool waited = false;
  for (int i = 0; i < 40; ++i) {
    const Reply page = open("/a/guess-" + std::to_string(i));
    waited = waited || page.response->delay > core::Millis(0);
    if (page.status() == 429) {
      ++refused;
    } else {
      EXPECT_EQ(page.status(), 404);
    }
  }
  EXPECT_TRUE(waited);
  EXPECT_GT(refused, 0U);
  EXPECT_EQ(service_->wrong_links(), 40U);
}

TEST_F(NotificationsTest, Question_IsSeenByItsOwner) {
  ask();
  EXPECT_EQ(world_.call("POST", "/v1/interactions/k/seen", "alice").status(), 204);
  EXPECT_EQ(world_.call("POST", "/v1/interactions/k/seen", "bob").status(), 404);
  EXPECT_EQ(world_.call("POST", "/v1/interactions/other/seen", "alice").status(), 404);
}

TEST_F(NotificationsTest, ExpiredQuestion_HasItsPage) {
  ask(R"({"key":"k","prompt":{"text":"Go?","timeout_s":2}})");
  const std::string path = notice().write_path;
  world_.advance(std::chrono::seconds(3));
  EXPECT_EQ(open(path, "POST", "text=late").status(), 410);
  EXPECT_THAT(open(path).response->body, HasSubstr("The question has expired"));
  EXPECT_EQ(state().at("state"), "expired");
}

TEST_F(NotificationsTest, Notifiers_AreShownToAdministrators) {
  ask();
  const auto list = world_.call("GET", "/v1/notifiers", "default");
  EXPECT_EQ(list.status(), 200);
  EXPECT_EQ(list.json().at("notifiers").at(0).at("delivered"), 1);
  EXPECT_EQ(world_.call("POST", "/v1/notifiers/phone/test", "default").status(), 204);
  phone_->answers = {{notify::Delivery::Kind::failed, "The password is wrong."}};
  const auto failed = world_.call("POST", "/v1/notifiers/phone/test", "default");
  EXPECT_EQ(failed.status(), 503);
  EXPECT_EQ(failed.json().at("message"), "The password is wrong.");
  EXPECT_EQ(world_.call("POST", "/v1/notifiers/nobody/test", "default").status(), 404);
}

std::string device(const std::string& endpoint) {
  const std::string key = core::base64url_encode("\x04" + std::string(64, 'k'));
  return R"({"endpoint":")" + endpoint + R"(","keys":{"p256dh":")" + key + R"(","auth":")" +
         core::base64url_encode(std::string(16, 'a')) + R"("},"name":"Phone"})";
}

TEST_F(NotificationsTest, Subscription_BelongsToCaller) {
  EXPECT_EQ(world_.call("GET", "/v1/push/key", "alice").json().at("key"), "KEY");
  const auto created =
      world_.call("POST", "/v1/push/subscriptions", "alice", device("https://push.example.org/1"));
  ASSERT_EQ(created.status(), 201);
  EXPECT_THAT(created.response->body, Not(HasSubstr("push.example.org")))
      << "a secret of the browser";
  const std::string at =
      "/v1/push/subscriptions/" + std::string(created.json().at("id").as_string());
  EXPECT_EQ(world_.call("DELETE", at, "bob").status(), 404);
  EXPECT_EQ(world_.call("POST", at + "/test", "bob").status(), 404);
  const auto list = world_.call("GET", "/v1/push/subscriptions", "alice").json();
  EXPECT_EQ(list.at("subscriptions").as_array().size(), 1U);
  EXPECT_EQ(world_.call("DELETE", at, "alice").status(), 204);
}

TEST_F(NotificationsTest, WrongSubscription_IsNamed) {
  const auto field_of = [this](const std::string& body) {
    const auto reply = world_.call("POST", "/v1/push/subscriptions", "alice", body);
    EXPECT_EQ(reply.status(), 400) << body;
    return std::string(reply.json().at("field").as_string());
  };
  for (const char* endpoint :
       {"http://push.example.org/1", "https://127.0.0.1/1", "https://localhost/1",
        "https://10.1.2.3/x", "https://[::1]/x", "nonsense"}) {
    EXPECT_EQ(field_of(device(endpoint)), "endpoint");
  }
  EXPECT_EQ(field_of(R"({"endpoint":"https://p.org/1","keys":{"p256dh":"AAAA","auth":"AAAA"}})"),
            "p256dh");
}

TEST_F(NotificationsTest, EndedToken_LosesSubscriptions) {
  world_.call("POST", "/v1/push/subscriptions", "alice", device("https://push.example.org/1"));
  service_->forget_owner("id-alice");
  world_.settle();
  const auto list = world_.call("GET", "/v1/push/subscriptions", "alice").json();
  EXPECT_TRUE(list.at("subscriptions").as_array().empty());
}

// The inbox shows it; its notice, its "seen" and its answer reach the session of the run.
TEST_F(NotificationsTest, ApprovalOfRun_IsToldSeenAndAnswered) {
  world_.hub().with_session({"run", "loom", "id-alice"}, [](core::Result<session::Session*> run) {
    session::AskRequest request{session::Authority::of_run()};
    request.key = "r/approval/c";
    request.kind = session::InteractionKind::tool_approval;
    request.prompt.text = "Allow `bash` to run?";
    request.in_inbox = true;
    (*run)->ask(std::move(request), [](const core::Result<session::InteractionPtr>&) {});
  });
  world_.settle();
  ASSERT_EQ(phone_->attempts.size(), 1U);
  const auto list = world_.call("GET", "/v1/interactions", "alice").json();
  ASSERT_EQ(list.at("interactions").as_array().size(), 1U);
  EXPECT_EQ(list.at("interactions").at(0).at("session"), "run");
  EXPECT_EQ(world_.call("POST", "/v1/interactions/r%2Fapproval%2Fc/seen", "alice").status(), 204);
  EXPECT_EQ(world_.call("POST", "/v1/interactions/r%2Fapproval%2Fc/seen", "bob").status(), 404);
  const auto answered = world_.call("POST", "/v1/interactions/r%2Fapproval%2Fc/answer", "alice",
                                    R"({"text":"Allow"})");
  EXPECT_EQ(answered.status(), 200);
  const auto ended = world_.call("GET", "/v1/interactions/r%2Fapproval%2Fc", "alice").json();
  EXPECT_EQ(ended.at("state"), "answered");
  EXPECT_EQ(ended.at("session"), "run");
  const auto all = world_.call("GET", "/v1/interactions?state=all", "alice").json();
  EXPECT_EQ(all.at("last_change"), 2);
}

}  // namespace
}  // namespace parley::api
