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

TEST(OpenAiFailure, TooLongRequest_IsKnownInEverySpelling) {
  struct Case {
    int status;
    const char* body;
    std::optional<std::uint64_t> limit;
  };
  for (
      const Case& one :
      {Case{
           400,
           R"({"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}})",
           8192},
       {400, R"({"error":{"message":"Too much.","code":"context_length_exceeded"}})", {}},
       {400,
        R"({"error":{"type":"invalid_request_error","message":"prompt is too long: 210001 tokens > 200000 maximum"}})",
        200000},
       {400,
        R"({"error":{"code":400,"message":"The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}})",
        1048576},
       {400,
        R"({"error":{"code":400,"message":"the request exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_ctx":4096}})",
        4096},
       {400,
        R"({"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"})",
        32768},
       {400,
        R"({"error":{"message":"Invalid request: Your request exceeded model token limit: 8192"}})",
        8192},
       {400,
        R"({"code":"InvalidParameter","message":"Range of input length should be [1, 30720]"})",
        30720},
       {400,
        R"({"error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."})",
        131072},
       {422,
        R"({"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000"})",
        4097},
       {413,
        R"({"error":{"message":"Please reduce the length of the messages or completion."}})",
        {}},
       {500, "Trying to keep the first 8000 tokens, loaded with context length of only 4096 tokens",
        4096},
       {0, R"({"error":{"message":"x","code":"context_length_exceeded"}})", {}}}) {
    const ProviderFailure failure = failure_of(one.status, one.body);
    EXPECT_EQ(failure.error.code, Code::out_of_range) << one.body;
    EXPECT_FALSE(failure.temporary) << one.body;
    EXPECT_EQ(context_limit_in(failure.error.message), one.limit) << one.body;
  }
  for (const char* other :
       {"Unsupported parameter: temperature", "max_tokens is too large: 9000"}) {
    EXPECT_EQ(failure_of(400, other).error.code, Code::invalid_argument) << other;
  }
  EXPECT_EQ(failure_of(429, "Request too large: reduce the length of the messages").error.code,
            Code::resource_exhausted);
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
