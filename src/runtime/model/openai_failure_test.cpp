// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/openai_failure.h"

#include <gmock/gmock.h>

#include <string>

namespace parley::model {
namespace {

using core::Code;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(OpenAiFailure, Statuses_BecomeModelCodes) {
  struct Case {
    int status;
    Code code;
    bool temporary;
  };
  for (const Case& one : {Case{400, Code::invalid_argument, false},
                          {401, Code::unauthenticated, false},
                          {402, Code::resource_exhausted, false},
                          {403, Code::unauthenticated, false},
                          {404, Code::invalid_argument, false},
                          {408, Code::unavailable, true},
                          {413, Code::invalid_argument, false},
                          {422, Code::invalid_argument, false},
                          {429, Code::resource_exhausted, true},
                          {500, Code::unavailable, true},
                          {503, Code::unavailable, true},
                          {529, Code::unavailable, true},
                          {301, Code::invalid_argument, false}}) {
    const ProviderFailure failure = failure_of(one.status, "");
    EXPECT_EQ(failure.error.code, one.code) << one.status;
    EXPECT_EQ(failure.temporary, one.temporary) << one.status;
    EXPECT_THAT(failure.error.message, HasSubstr(std::to_string(one.status)));
  }
}

TEST(OpenAiFailure, ExhaustedQuota_IsNotRetried) {
  EXPECT_FALSE(failure_of(429, R"({"error":{"code":"insufficient_quota"}})").temporary);
}

TEST(OpenAiFailure, EveryErrorForm_IsRead) {
  for (const char* body : {R"({"error":{"message":"no such model","type":"x"}})",
                           R"({"error":"no such model"})", R"({"message":"no such model"})",
                           R"({"detail":"no such model"})", "no such model\nand more"}) {
    EXPECT_THAT(failure_of(404, body).error.message, HasSubstr(": no such model")) << body;
  }
  EXPECT_THAT(failure_of(502, "<html>Bad gateway").error.message, Not(HasSubstr("html")));
  EXPECT_LT(failure_of(500, std::string(100'000, 'x')).error.message.size(), 700U);
  EXPECT_THAT(failure_of(500,
                         "a\x01"
                         "b")
                  .error.message,
              HasSubstr("a b"));
}

TEST(OpenAiFailure, ErrorInStream_IsJudgedByCode) {
  EXPECT_EQ(failure_of(0, R"({"error":{"message":"x","code":429}})").error.code,
            Code::resource_exhausted);
  EXPECT_EQ(failure_of(0, R"({"error":{"message":"x","type":"authentication_error"}})").error.code,
            Code::unauthenticated);
  EXPECT_EQ(failure_of(0, R"({"error":{"type":"invalid_request_error"}})").error.code,
            Code::invalid_argument);
  EXPECT_TRUE(failure_of(0, R"({"error":{"type":"overloaded_error"}})").temporary);
}

TEST(RetryAfter, RetryAfter_IsSecondsOrDate) {
  const core::WallTime now = core::from_unix_ms(784'111'777'000);  // Sun, 06 Nov 1994 08:49:37 GMT
  EXPECT_EQ(read_retry_after("7", now), core::Millis(7'000));
  EXPECT_EQ(read_retry_after("0", now), core::Millis(0));
  EXPECT_EQ(read_retry_after("1.5 ", now), core::Millis(1'500));
  EXPECT_EQ(read_retry_after("Sun, 06 Nov 1994 08:49:57 GMT", now), core::Millis(20'000));
  EXPECT_EQ(read_retry_after("Sun, 06 Nov 1994 08:49:17 GMT", now), core::Millis(0));
  for (const char* bad : {"", "soon", "-1", "1e99", "nan", "Sun, 06 Nox 1994 08:49:57 GMT",
                          "Sun, 99 Nov 1994 08:49:57 GMT", "Sun, 06 Nov 1994 08:49:5x GMT"}) {
    EXPECT_EQ(read_retry_after(bad, now), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace parley::model
