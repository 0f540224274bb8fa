// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/notification_planner.h"

#include <gtest/gtest.h>

#include "base/core/temp_folder.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/notify/fake_notifier.h"

namespace parley::notify {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr core::Millis kWait = hours(1);

class NotificationPlannerTest : public testing::Test {
 protected:
  void SetUp() override { store_ = std::move(*NotifyStore::open(folder_.path())); }

  void make(Rule rule, bool start = true) {
    auto fake = std::make_unique<FakeNotifier>(scheduler_);
    phone_ = fake.get();
    std::vector<NotificationPlanner::Channel> channels;
    channels.push_back({std::move(fake), std::move(rule)});
    planner_ = std::make_unique<NotificationPlanner>(
        NotificationPlanner::Dependencies{scheduler_, entropy_, *store_,
                                          [](core::WallTime) { return seconds(0); }},
        std::move(channels));
    if (start) planner_->start([] { return std::string("https://parley.example.org"); });
  }

  session::InteractionPtr question(const std::string& key = "k") {
    auto asked = std::make_shared<session::Interaction>();
    asked->id = "id-" + key;
    asked->key = key;
    asked->session = "assistant-ann";
    asked->prompt.text = "Deploy?";
    asked->prompt.agent_name = "reviewer";
    asked->prompt.project_directory = "/srv/ann/web-shop";
    asked->prompt.questions = {{"Deploy?", "", {{"Yes", ""}, {"No", ""}}, false, false}};
    asked->opened_at = clock_.wall();
    asked->deadline = clock_.wall() + kWait;
    return asked;
  }
  std::string secret_of(const std::string& path) { return path.substr(3); }

  core::TempFolder folder_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{3};
  std::unique_ptr<NotifyStore> store_;
  FakeNotifier* phone_ = nullptr;
  std::unique_ptr<NotificationPlanner> planner_;
};

TEST_F(NotificationPlannerTest, Question_IsSentAtOnceWithLinks) {
  make({});
  planner_->opened("ann", question());
  scheduler_.run_ready();
  ASSERT_EQ(phone_->attempts.size(), 1U);
  const Notice& notice = phone_->attempts[0].notice;
  EXPECT_EQ(notice.title, "Question from reviewer (web-shop)");
  EXPECT_EQ(notice.body, "Deploy?");
  EXPECT_EQ(notice.page_url(), "https://parley.example.org/#/inbox/item/k");
  ASSERT_EQ(notice.options.size(), 2U);
  EXPECT_EQ(notice.options[1].label, "No");
  EXPECT_GE(secret_of(notice.options[1].path).size(), 43U);
  EXPECT_EQ(planner_->states()[0].lane.delivered, 1U);
}

TEST_F(NotificationPlannerTest, Reach_CountsPlacesThatWouldBeTold) {
  make({});
  EXPECT_EQ(planner_->reach("ann"), 1U);
  phone_->devices = {"a", "b"};
  EXPECT_EQ(planner_->reach("ann"), 2U);
  phone_->devices.clear();
  EXPECT_EQ(planner_->reach("ann"), 0U) << "no device has push";
  Rule others;
  others.tokens = {"bob"};
  make(std::move(others));
  EXPECT_EQ(planner_->reach("ann"), 0U);
  EXPECT_EQ(planner_->reach("bob"), 1U);
  Rule quiet;
  quiet.quiet = {std::chrono::minutes(0), std::chrono::minutes(24 * 60 - 1)};
  make(std::move(quiet));
  EXPECT_EQ(planner_->reach("ann"), 0U) << "nobody is told in quiet hours";
}

TEST_F(NotificationPlannerTest, SeenQuestion_IsNotSent) {
  make({When::unseen, minutes(1)});
  planner_->opened("ann", question("a"));
  planner_->opened("ann", question("b"));
  EXPECT_EQ(planner_->states()[0].planned, 2U);
  scheduler_.advance(seconds(30));
  planner_->seen("assistant-ann", "a");
  scheduler_.advance(minutes(2));
  ASSERT_EQ(phone_->attempts.size(), 1U);
  EXPECT_EQ(phone_->attempts[0].notice.key, "b");
  EXPECT_EQ(planner_->states()[0].planned, 0U);
}

TEST_F(NotificationPlannerTest, AnsweredQuestion_IsNotSent) {
  make({When::unseen, minutes(1)});
  const auto asked = question();
  planner_->opened("ann", asked);
  planner_->closed(*asked);
  scheduler_.advance(hours(1));
  EXPECT_TRUE(phone_->attempts.empty());
  EXPECT_EQ(scheduler_.timers(), 1U) << "the sweep alone";
}

TEST_F(NotificationPlannerTest, QuestionOfAnotherNode_IsNeitherSentNorWithdrawn) {
  make({});
  const auto sent = question("a");
  planner_->opened("ann", sent);
  scheduler_.run_ready();
  ASSERT_EQ(phone_->attempts.size(), 1U);
  planner_->left(*sent);
  EXPECT_TRUE(phone_->withdrawn.empty()) << "it is still open";
  make({When::unseen, minutes(1)});
  const auto planned = question("b");
  planner_->opened("ann", planned);
  planner_->left(*planned);
  scheduler_.advance(hours(1));
  EXPECT_TRUE(phone_->attempts.empty());
  EXPECT_EQ(planner_->states()[0].planned, 0U);
}

TEST_F(NotificationPlannerTest, Deadline_IsAnnouncedBefore) {
  make({When::deadline, minutes(5)});
  planner_->opened("ann", question());
  planner_->seen("assistant-ann", "k");
  scheduler_.advance(minutes(54));
  EXPECT_TRUE(phone_->attempts.empty());
  scheduler_.advance(minutes(1));
  EXPECT_EQ(phone_->attempts.size(), 1U) << "a question that was seen may be forgotten";
}

TEST_F(NotificationPlannerTest, QuietHours_DelayNotice) {
  // It is 22:13.
  make({When::at_once, {}, {hours(22), hours(22) + minutes(30)}});
  planner_->opened("ann", question());
  scheduler_.advance(minutes(16));
  EXPECT_TRUE(phone_->attempts.empty());
  scheduler_.advance(minutes(1));
  EXPECT_EQ(phone_->attempts.size(), 1U);
}

TEST_F(NotificationPlannerTest, OtherProject_IsNotSent) {
  Rule rule;
  rule.projects = {"other-*"};
  make(rule);
  planner_->opened("ann", question());
  scheduler_.run_ready();
  EXPECT_TRUE(phone_->attempts.empty());
}

TEST_F(NotificationPlannerTest, Restart_SendsOnlyWhatWasNotDelivered) {
  make({});
  planner_->opened("ann", question("a"));
  scheduler_.run_ready();
  phone_->hangs = true;
  planner_->opened("ann", question("b"));
  scheduler_.run_ready();
  clock_.advance(minutes(1));
  make({}, false);
  planner_->opened("ann", question("a"));
  planner_->opened("ann", question("b"));
  scheduler_.run_ready();
  EXPECT_TRUE(phone_->attempts.empty()) << "before start()";
  planner_->start([] { return std::string("https://parley.example.org"); });
  scheduler_.run_ready();
  ASSERT_EQ(phone_->attempts.size(), 1U);
  EXPECT_EQ(phone_->attempts[0].notice.key, "b");
}

TEST_F(NotificationPlannerTest, EndElsewhere_WithdrawsDeliveredNotice) {
  make({});
  phone_->devices = {"d1", "d2"};
  phone_->answers = {{}, {Delivery::Kind::failed, "401"}};
  const auto asked = question();
  planner_->opened("ann", asked);
  scheduler_.run_ready();
  ASSERT_EQ(phone_->attempts.size(), 2U);
  planner_->closed(*asked);
  EXPECT_EQ(phone_->withdrawn, std::vector<std::string>{"k:d1"});
}

TEST_F(NotificationPlannerTest, Link_TellsItsState) {
  make({});
  const auto asked = question();
  planner_->opened("ann", asked);
  scheduler_.run_ready();
  const Notice notice = phone_->attempts[0].notice;
  const std::string yes = secret_of(notice.options[0].path);
  const std::string no = secret_of(notice.options[1].path);
  EXPECT_EQ(planner_->look_up(yes).state, LinkState::open);
  EXPECT_EQ(planner_->look_up(yes).link.text, "Yes");
  EXPECT_EQ(planner_->look_up("x").state, LinkState::unknown);
  EXPECT_TRUE(planner_->look_up(secret_of(notice.write_path)).link.written);
  planner_->accepted(yes);
  planner_->closed(*asked);
  EXPECT_EQ(planner_->look_up(yes).state, LinkState::used);
  EXPECT_EQ(planner_->look_up(no).state, LinkState::ended);
  clock_.advance(kWait);
  EXPECT_EQ(planner_->look_up(no).state, LinkState::expired);
}

TEST_F(NotificationPlannerTest, Answerer_IsTheDeviceWhoseNoticeHasTheLink) {
  make({});
  PushSubscription device;
  device.id = "d1";
  device.owner = "ann";
  device.token = "t1";
  device.endpoint = "https://push.example/1";
  device.name = "Pixel 9";
  ASSERT_TRUE(store_->subscribe(device));
  phone_->devices = {"d1", ""};
  planner_->opened("ann", question());
  scheduler_.run_ready();
  ASSERT_EQ(phone_->attempts.size(), 2U);
  const auto by = [&](std::size_t notice) {
    const std::string yes = secret_of(phone_->attempts[notice].notice.options[0].path);
    return planner_->answerer_of(planner_->look_up(yes).link);
  };
  EXPECT_EQ(by(0).holder, (session::Holder{"t1", "Pixel 9"}));
  EXPECT_EQ(by(1).holder, (session::Holder{"", phone_->name()}));
  EXPECT_EQ(by(1).channel,
            session::channel_from_name(phone_->kind()).value_or(session::Channel::link));
}

TEST_F(NotificationPlannerTest, Link_IsBoundToItsInteraction) {
  make({});
  planner_->opened("ann", question());
  scheduler_.run_ready();
  const std::string yes = secret_of(phone_->attempts[0].notice.options[0].path);
  const auto again = std::make_shared<session::Interaction>(*question());
  again->id = "another";
  planner_->closed(*question());
  planner_->opened("ann", again);
  EXPECT_EQ(planner_->look_up(yes).state, LinkState::ended);
}

TEST_F(NotificationPlannerTest, ExpiredLink_IsSweptAfterWeek) {
  make({});
  const auto asked = question();
  planner_->opened("ann", asked);
  scheduler_.run_ready();
  const std::string yes = secret_of(phone_->attempts[0].notice.options[0].path);
  planner_->closed(*asked);
  scheduler_.advance(kWait + kKeptAfterEnd);
  EXPECT_EQ(planner_->look_up(yes).state, LinkState::expired);
  scheduler_.advance(kSweepInterval * 2);
  EXPECT_EQ(planner_->look_up(yes).state, LinkState::unknown);
}

TEST_F(NotificationPlannerTest, QuestionReportedTwice_IsSentOnce) {
  make({When::unseen, minutes(1)});
  planner_->opened("ann", question());
  planner_->opened("ann", question());
  EXPECT_EQ(planner_->states()[0].planned, 1U);
  scheduler_.advance(hours(1));
  EXPECT_EQ(phone_->attempts.size(), 1U);
  EXPECT_EQ(planner_->states()[0].planned, 0U);
}

TEST_F(NotificationPlannerTest, QuestionSeenBeforeStart_IsNotSent) {
  make({When::unseen, minutes(1)}, false);
  const auto asked = question();
  clock_.advance(minutes(2));
  planner_->opened("ann", asked);
  EXPECT_TRUE(planner_->seen("assistant-ann", "k"));
  planner_->start([] { return std::string("https://parley.example.org"); });
  scheduler_.run_ready();
  EXPECT_TRUE(phone_->attempts.empty());
}

TEST_F(NotificationPlannerTest, Test_ReportsFailure) {
  make({});
  phone_->answers = {{Delivery::Kind::failed, "The password is wrong."}};
  std::vector<core::Result<void>> ends;
  const auto keep = [&ends](core::Result<void> end) { ends.push_back(std::move(end)); };
  planner_->test("phone", "", keep);
  planner_->test("phone", "", keep);
  planner_->test("nobody", "", keep);
  scheduler_.run_ready();
  planner_->test("phone", "", keep);
  scheduler_.run_ready();
  ASSERT_EQ(ends.size(), 4U);
  EXPECT_EQ(ends[0].error().code, core::Code::resource_exhausted) << "one test at a time";
  EXPECT_EQ(ends[1].error().code, core::Code::not_found);
  EXPECT_EQ(ends[2].error().message, "The password is wrong.");
  EXPECT_TRUE(ends[3]);
  EXPECT_EQ(phone_->attempts[0].notice.kind, NoticeKind::test);
}

}  // namespace
}  // namespace parley::notify
