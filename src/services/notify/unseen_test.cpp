// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// A notice that does not show the whole question, in every form in which it is sent: none of them
// has a link by which one press allows what was asked.
#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "base/core/base64.h"
#include "base/core/secret.h"
#include "base/core/temp_folder.h"
#include "model/session/approval.h"
#include "services/notify/email_message.h"
#include "services/notify/notification_planner.h"
#include "services/notify/ntfy_notifier.h"
#include "services/notify/push_message.h"
#include "services/notify/webhook_notifier.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"
#include "tests/support/notify/fake_notifier.h"

namespace parley::notify {
namespace {

using testing::HasSubstr;
using testing::Not;

class UnseenTest : public testing::Test {
 protected:
  UnseenTest() {
    auto fake = std::make_unique<FakeNotifier>(scheduler_);
    phone_ = fake.get();
    std::vector<NotificationPlanner::Channel> channels;
    channels.push_back({std::move(fake), {}});
    planner_ = std::make_unique<NotificationPlanner>(
        NotificationPlanner::Dependencies{scheduler_, entropy_, *store_,
                                          [](core::WallTime) { return std::chrono::seconds(0); }},
        std::move(channels));
    planner_->start([] { return std::string("https://parley.example.org"); });
  }

  // The notice of an approval of this command.
  const Notice& notice(const std::string& command) {
    auto asked = std::make_shared<session::Interaction>();
    asked->id = "id";
    asked->key = "k";
    asked->session = "assistant-ann";
    asked->kind = session::InteractionKind::tool_approval;
    asked->prompt.text = "Allow `bash` to run?\n\n```json\n" + command + "\n```";
    asked->opened_at = clock_.wall();
    asked->deadline = clock_.wall() + std::chrono::hours(1);
    asked_ = asked;
    planner_->opened("ann", asked);
    scheduler_.run_ready();
    return phone_->attempts.back().notice;
  }
  // True if one POST of a link in this text, without more, would allow the call.
  bool allows(std::string_view text) {
    constexpr std::string_view kLink = "/a/";
    for (std::size_t at = text.find(kLink); at != std::string_view::npos;
         at = text.find(kLink, at + 1)) {
      const LinkView view = planner_->look_up(text.substr(at + kLink.size(), 43));
      EXPECT_EQ(view.state, LinkState::open) << text.substr(at, 60);
      if (!view.link.written &&
          session::approval_verdict(core::text_answer(view.link.text)).allow) {
        return true;
      }
    }
    return false;
  }
  std::string sent_by(Notifier& notifier, const Notice& what) {
    fetcher_.will_answer({});
    notifier.deliver(what, "", [](const Delivery&) {});
    scheduler_.run_ready();
    return fetcher_.exchanges.back()->request.body;
  }
  // What each kind of notifier sends.
  std::map<std::string, std::string> forms(const Notice& what) {
    auto ntfy = std::move(*make_ntfy_notifier({"phone", "https://ntfy.example.org/topic"}, {},
                                              Language::english, fetcher_, scheduler_));
    auto webhook = std::move(*make_webhook_notifier(
        {"hook", "https://hooks.example.org/p", "0123456789abcdef"}, {}, fetcher_, scheduler_));
    // The parts of a mail are base64.
    const std::string mail = email_message({}, what, Language::english);
    std::string parts;
    for (std::size_t at = mail.find("base64\r\n\r\n"); at != std::string::npos;
         at = mail.find("base64\r\n\r\n", at + 1)) {
      std::string encoded = mail.substr(at + 10, mail.find("\r\n--", at) - at - 10);
      std::erase_if(encoded, [](char c) { return c == '\r' || c == '\n'; });
      parts += core::base64_decode(encoded).value_or(std::string());
    }
    return {{"ntfy", sent_by(*ntfy, what)},
            {"webhook", sent_by(*webhook, what)},
            {"push", push_payload(what)},
            {"mail", parts}};
  }

  core::TempFolder folder_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{3};
  http_client::FakeFetcher fetcher_;
  std::unique_ptr<NotifyStore> store_ = std::move(*NotifyStore::open(folder_.path()));
  FakeNotifier* phone_ = nullptr;
  std::unique_ptr<NotificationPlanner> planner_;
  session::InteractionPtr asked_;
};

TEST_F(UnseenTest, ShortApproval_HasBothButtons) {
  for (const auto& [kind, text] : forms(notice(R"({"command":"make"})"))) {
    EXPECT_TRUE(allows(text)) << kind;
    EXPECT_THAT(text, HasSubstr("Deny")) << kind;
  }
}

TEST_F(UnseenTest, CutApproval_CanOnlyBeDenied) {
  const std::string command = "echo harmless" + std::string(6'000, ' ') + "; touch C";
  for (const auto& [kind, text] : forms(notice(R"({"command":")" + command + R"("})"))) {
    EXPECT_THAT(text, Not(HasSubstr("touch C"))) << kind;
    EXPECT_FALSE(allows(text)) << kind;
    EXPECT_THAT(text, HasSubstr("Deny")) << kind;
    EXPECT_THAT(text, HasSubstr("/#/inbox/item/k")) << kind;
  }
}

TEST_F(UnseenTest, ApprovalOutOfSight_CanOnlyBeDenied) {
  for (const std::string& gap : {std::string(300, ' '), std::string(350, 'x')}) {
    const std::string command = "echo harmless" + gap + "; touch C";
    for (const auto& [kind, text] : forms(notice(R"({"command":")" + command + R"("})"))) {
      EXPECT_FALSE(allows(text)) << kind;
    }
  }
}

// Links of questions that were open when the server was replaced by this version.
TEST_F(UnseenTest, EarlierLink_BecomesForm) {
  notice(R"({"command":")" + std::string(6'000, ' ') + R"("})");
  const std::string hash = core::secret_hash("earlier");
  ASSERT_TRUE(
      store_->add_links({hash}, {{asked_->id, asked_->session, "ann", asked_->key, "phone", "Allow",
                                  "Allow", false, asked_->deadline, std::nullopt}}));
  EXPECT_TRUE(planner_->look_up("earlier").link.written);
}

}  // namespace
}  // namespace parley::notify
