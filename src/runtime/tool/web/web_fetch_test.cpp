// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/web/web_fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"

namespace parley::tool {
namespace {

using http_client::FetchEnd;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Headers = std::vector<std::pair<std::string, std::string>>;

class WebFetchTest : public testing::Test {
 protected:
  void fetch(const boost::json::object& arguments) {
    result_.reset();
    ToolContext context;
    context.scheduler = &scheduler_;
    context.cancel = cancel_.token();
    tool_ = make_web_fetch(fetcher_, background_, options_);
    tool_->run(std::move(context), arguments, [this](ToolResult result) {
      EXPECT_FALSE(result_);
      result_ = std::move(result);
    });
    EXPECT_FALSE(result_);
    scheduler_.run_ready();
  }
  void will(int status, Headers headers, std::string body) {
    fetcher_.will_answer({status, std::move(headers), {std::move(body)}, {}, {}});
  }
  void will_fail(FetchEnd::Kind kind) { fetcher_.will_answer({0, {}, {}, kind, "It failed."}); }
  const http_client::FetchRequest& sent(std::size_t index) {
    return fetcher_.exchanges.at(index)->request;
  }

  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::CancelSource cancel_;
  http_client::FakeFetcher fetcher_;
  WebFetchOptions options_;
  Background background_ = [](core::Task task) {
    task();
    return true;
  };
  ToolPtr tool_;
  std::optional<ToolResult> result_;
};

TEST_F(WebFetchTest, Answer_HasStatusTypeAndReadableText) {
  will(200, {{"content-type", "text/html; charset=utf-8"}}, "<h1>Hi</h1><p>there</p>");
  fetch({{"url", "https://example.org/a"}});
  ASSERT_TRUE(result_);
  EXPECT_EQ(
      result_->content,
      "HTTP 200 https://example.org/a\nContent-Type: text/html; charset=utf-8\n\n# Hi\n\nthere");
  EXPECT_FALSE(result_->is_error);
  EXPECT_TRUE(sent(0).public_only);
  EXPECT_EQ(sent(0).max_redirects, 0) << "each redirect is looked at first";
}

TEST_F(WebFetchTest, ErrorStatus_IsErrorWithText) {
  will(404, {{"content-type", "text/plain"}}, "nothing here");
  fetch({{"url", "https://example.org/a"}});
  EXPECT_TRUE(result_->is_error);
  EXPECT_THAT(result_->content, HasSubstr("nothing here"));
}

TEST_F(WebFetchTest, LocalAndPrivateAddresses_AreRefused) {
  for (const char* url : {"http://127.0.0.1/", "http://localhost:8080/", "http://[::1]/",
                          "http://10.0.0.1/", "http://169.254.169.254/latest", "http://0x7f.1/",
                          "http://router/", "http://a.internal/", "http://2130706433/"}) {
    fetch({{"url", url}});
    ASSERT_TRUE(result_) << url;
    EXPECT_TRUE(result_->is_error);
    EXPECT_THAT(result_->content, HasSubstr("not fetched")) << url;
  }
  EXPECT_THAT(fetcher_.exchanges, IsEmpty());
}

TEST_F(WebFetchTest, LocalAndPrivateAddresses_CanBeAllowed) {
  options_.allow_private = true;
  will(200, {}, "ok");
  fetch({{"url", "http://127.0.0.1:8080/"}});
  EXPECT_FALSE(result_->is_error);
  EXPECT_FALSE(sent(0).public_only);
}

TEST_F(WebFetchTest, Redirect_IsFollowedAndChecked) {
  will(302, {{"location", "/b"}}, "");
  will(302, {{"location", "http://192.168.0.1/admin"}}, "");
  fetch({{"url", "https://example.org/a"}});
  ASSERT_TRUE(result_);
  EXPECT_EQ(sent(1).url, "https://example.org/b");
  EXPECT_EQ(fetcher_.exchanges.size(), 2U);
  EXPECT_TRUE(result_->is_error);
  EXPECT_THAT(result_->content, HasSubstr("redirect is not followed"));
}

TEST_F(WebFetchTest, Redirects_EndAtLimit) {
  for (int i = 0; i < 6; ++i) will(301, {{"location", "/again"}}, "");
  fetch({{"url", "https://example.org/a"}});
  EXPECT_EQ(fetcher_.exchanges.size(), 6U);
  EXPECT_THAT(result_->content, HasSubstr("too many redirects"));
}

TEST_F(WebFetchTest, Secrets_DoNotFollowToOtherHost) {
  will(302, {{"location", "https://other.org/"}}, "");
  will(200, {}, "ok");
  fetch(
      {{"url", "https://example.org/"},
       {"headers", {{"Authorization", "Bearer x"}, {"X-Api-Key", "y"}, {"Accept", "text/plain"}}}});
  EXPECT_THAT(sent(0).headers, Contains("Authorization: Bearer x"));
  EXPECT_THAT(sent(1).headers, ElementsAre("Accept: text/plain"));
}

TEST_F(WebFetchTest, Post_IsSentOnce_BecomesGetAfterRedirect) {
  will(303, {{"location", "/done"}}, "");
  will(200, {}, "ok");
  fetch({{"url", "https://example.org/"}, {"method", "post"}, {"body", "a=b"}});
  EXPECT_EQ(sent(0).method, "POST");
  EXPECT_EQ(sent(0).body, "a=b");
  EXPECT_EQ(sent(1).method, "GET");
  EXPECT_EQ(sent(1).body, "");
  will(307, {{"location", "https://other.org/"}}, "");
  fetch({{"url", "https://example.org/"}, {"method", "POST"}, {"body", "a=b"}});
  EXPECT_THAT(result_->content, HasSubstr("https://other.org"));
  EXPECT_TRUE(result_->is_error);
  will_fail(FetchEnd::Kind::cut);
  fetch({{"url", "https://example.org/"}, {"method", "POST"}});
  EXPECT_TRUE(result_->is_error) << "never sent twice";
}

TEST_F(WebFetchTest, Get_RunsUnasked_PostAsks) {
  tool_ = make_web_fetch(fetcher_, background_, options_);
  EXPECT_EQ(tool_->approval_for({{"url", "x"}}), Approval::automatic);
  EXPECT_EQ(tool_->approval_for({{"url", "x"}, {"method", "get"}}), Approval::automatic);
  EXPECT_EQ(tool_->approval_for({{"url", "x"}, {"method", "post"}}), Approval::ask);
  EXPECT_EQ(tool_->approval_for({{"url", "x"}, {"method", "DELETE"}}), Approval::ask);
  ASSERT_TRUE(tool_->approval_by_call()) << "a list of tools says so";
  EXPECT_EQ(tool_->approval_by_call()->up_to, Approval::ask);
}

TEST_F(WebFetchTest, Get_IsRetriedWithGrowingWaits) {
  will_fail(FetchEnd::Kind::unreachable);
  will(503, {}, "busy");
  will_fail(FetchEnd::Kind::timed_out);
  will(200, {}, "ok");
  fetch({{"url", "https://example.org/"}});
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
  scheduler_.advance(core::Millis(200));
  EXPECT_EQ(fetcher_.exchanges.size(), 2U);
  scheduler_.advance(core::Millis(400));
  EXPECT_EQ(fetcher_.exchanges.size(), 3U);
  scheduler_.advance(core::Millis(799));
  EXPECT_EQ(fetcher_.exchanges.size(), 3U);
  scheduler_.advance(core::Millis(1));
  ASSERT_TRUE(result_);
  EXPECT_FALSE(result_->is_error);
}

TEST_F(WebFetchTest, Retries_AreLimited_HonourRetryAfter) {
  will(429, {{"retry-after", "3"}}, "slow down");
  for (int i = 0; i < 4; ++i) will_fail(FetchEnd::Kind::unreachable);
  fetch({{"url", "https://example.org/"}});
  scheduler_.advance(core::Millis(2'999));
  EXPECT_EQ(fetcher_.exchanges.size(), 1U);
  scheduler_.advance(core::Millis(20'000));
  EXPECT_EQ(fetcher_.exchanges.size(), 5U);
  ASSERT_TRUE(result_);
  EXPECT_THAT(result_->content, HasSubstr("It failed."));
  fetcher_.exchanges.clear();
  will(429, {{"retry-after", "3600"}}, "tomorrow");
  fetch({{"url", "https://example.org/"}});
  ASSERT_TRUE(result_) << "too long to wait for";
  EXPECT_THAT(result_->content, HasSubstr("tomorrow"));
}

TEST_F(WebFetchTest, PermanentFailure_IsNotRetried) {
  will_fail(FetchEnd::Kind::too_large);
  fetch({{"url", "https://example.org/"}});
  ASSERT_TRUE(result_);
  will_fail(FetchEnd::Kind::refused);
  fetch({{"url", "https://example.org/"}});
  ASSERT_TRUE(result_);
  EXPECT_EQ(fetcher_.exchanges.size(), 2U);
}

TEST_F(WebFetchTest, Cancel_EndsExchangeAndWait) {
  fetch({{"url", "https://example.org/"}});
  cancel_.cancel("stop");
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->is_error);
}

TEST_F(WebFetchTest, Cancel_EndsWaitForRetry) {
  will_fail(FetchEnd::Kind::unreachable);
  fetch({{"url", "https://example.org/"}});
  ASSERT_FALSE(result_);
  cancel_.cancel("stop");
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_EQ(scheduler_.timers(), 0U);
}

TEST_F(WebFetchTest, Cancel_DuringBackgroundReading_EndsCall) {
  core::Task later;
  background_ = [&later](core::Task task) {
    later = std::move(task);
    return true;
  };
  will(200, {{"content-type", "text/html"}}, "<p>hi</p>");
  fetch({{"url", "https://example.org/"}});
  ASSERT_FALSE(result_) << "the page is not read on the scheduler";
  cancel_.cancel("stop");
  scheduler_.run_ready();
  ASSERT_TRUE(result_);
  EXPECT_TRUE(result_->is_error);
  later();
  scheduler_.run_ready();
}

TEST_F(WebFetchTest, FullReadingPool_IsError) {
  background_ = [](core::Task) { return false; };
  will(200, {{"content-type", "text/html"}}, "<p>hi</p>");
  fetch({{"url", "https://example.org/"}});
  ASSERT_TRUE(result_);
  EXPECT_THAT(result_->content, HasSubstr("try again later"));
}

TEST_F(WebFetchTest, BadArguments_AreNamed) {
  const std::vector<std::pair<boost::json::object, std::string>> cases = {
      {{}, "url"},
      {{{"url", "ftp://example.org"}}, "http"},
      {{{"url", "http://me:you@example.org"}}, "password"},
      {{{"url", "https://example.org"}, {"method", "DELETE"}}, "method"},
      {{{"url", "https://example.org"}, {"body", "x"}}, "body"},
      {{{"url", "https://example.org"}, {"headers", {{"Host", "x"}}}}, "Host"},
  };
  for (const auto& [arguments, named] : cases) {
    fetch(arguments);
    ASSERT_TRUE(result_) << named;
    EXPECT_THAT(result_->content, HasSubstr(named));
    EXPECT_TRUE(result_->is_error);
  }
  EXPECT_THAT(fetcher_.exchanges, IsEmpty());
}

TEST_F(WebFetchTest, LongTexts_AreCut) {
  will(200, {{"content-type", "text/plain"}}, std::string(300'000, 'x'));
  fetch({{"url", "https://example.org/"}});
  EXPECT_LT(result_->content.size(), 70'000U);
  EXPECT_THAT(result_->content, HasSubstr("bytes are left out"));
}

TEST(ReadableBody, TypesAndEncodings_AreKnown) {
  EXPECT_EQ(readable_body("application/json", "{\"a\":1}"), "{\"a\":1}");
  EXPECT_EQ(readable_body("image/png", "\x89PNG"), "[no text: image/png, 4 bytes]");
  EXPECT_EQ(readable_body("", std::string("a\0b", 3)), "[no text: unknown type, 3 bytes]");
  EXPECT_EQ(readable_body("text/plain; charset=ISO-8859-1", "gr\xfc\xdf \x80"),
            "gr\u00fc\u00df \u20ac");
  EXPECT_EQ(readable_body("text/plain", "a\xff"), "a\ufffd");
  EXPECT_EQ(readable_body("", "<!DOCTYPE html><p>x</p>"), "x");
  EXPECT_EQ(readable_body("text/plain", "<p>x</p>"), "<p>x</p>");
}

}  // namespace
}  // namespace parley::tool
