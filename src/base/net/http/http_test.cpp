// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http.h"

#include <gtest/gtest.h>

#include "base/core/time_text.h"
#include "base/net/http/http_gate.h"
#include "base/net/http/http_text.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::net {
namespace {

TEST(Headers, Names_CompareWithoutCase_SetReplacesAll) {
  Headers headers;
  headers.add("X-One", "1");
  headers.add("x-one", "2");
  EXPECT_EQ(headers.get("X-ONE"), "1");
  headers.set("x-One", "3");
  EXPECT_EQ(headers.all().size(), 1U);
  EXPECT_EQ(headers.get("x-one"), "3");
  headers.remove("X-ONE");
  EXPECT_FALSE(headers.has("x-one"));
}

TEST(Headers, Lists_FindTokenUnlessWeightIsZero) {
  Headers headers;
  headers.add("Accept-Encoding", "br;q=0, GZIP ; q=0.5");
  headers.add("Accept-Encoding", "zstd,identity;q=0.000");
  EXPECT_TRUE(headers.lists("accept-encoding", "gzip"));
  EXPECT_TRUE(headers.lists("accept-encoding", "zstd"));
  EXPECT_FALSE(headers.lists("accept-encoding", "br"));
  EXPECT_FALSE(headers.lists("accept-encoding", "identity"));
  EXPECT_FALSE(headers.lists("accept-encoding", "zip"));
}

struct TargetCase {
  std::string_view target;
  std::string_view path;  // empty: refused
  std::string_view query;
};

TEST(HttpTarget, Path_IsDecodedNormalized_StaysInRoot) {
  using std::string_view_literals::operator""sv;
  const std::vector<TargetCase> cases = {
      {"/", "/", ""},
      {"/a/b?c=d&e", "/a/b", "c=d&e"},
      {"/a/../../../etc/passwd", "/etc/passwd", ""},
      {"/%2e%2e/%2E%2e/x", "/x", ""},
      {"/a%2f..%2f..%2fb", "/b", ""},
      {"/..", "/", ""},
      {"/a/.", "/a/", ""},
      {"//host//a/", "/host/a/", ""},
      {"/?token=x?y", "/", "token=x?y"},
      {"/gr%C3%BC%C3%9Fe", "/grüße", ""},
      {"/a+b", "/a+b", ""},
      {"http://h:1/x?y", "/x", "y"},
      {"HTTPS://h", "/", ""},
      {"http://h?q", "/", "q"},
      {"*", "*", ""},
      {"", "", ""},
      {"a/b", "", ""},
      {"h:443", "", ""},
      {"ftp://h/x", "", ""},
      {"http:///x", "", ""},
      {"/%", "", ""},
      {"/%4", "", ""},
      {"/%zz", "", ""},
      {"/%00", "", ""},
      {"/a%0d%0ab", "", ""},
      {"/%7f", "", ""},
      {"/%ff", "", ""},
      {"/#part", "", ""},
  };
  for (const TargetCase& one : cases) {
    const auto target = parse_target(one.target);
    ASSERT_EQ(target.has_value(), !one.path.empty()) << one.target;
    if (!target) continue;
    EXPECT_EQ(target->path, one.path) << one.target;
    EXPECT_EQ(target->query, one.query) << one.target;
  }
  EXPECT_EQ(parse_target("http://h:1/x")->authority, "h:1");
}

TEST(Request, QueryParameters_AreDecoded_FirstCounts) {
  Request request;
  request.query = "a=1&b=x+y%21&a=2&empty=&bare&%63=3&bad=%zz";
  EXPECT_EQ(request.query_param("a"), "1");
  EXPECT_EQ(request.query_param("b"), "x y!");
  EXPECT_EQ(request.query_param("empty"), "");
  EXPECT_EQ(request.query_param("bare"), "");
  EXPECT_EQ(request.query_param("c"), "3");
  EXPECT_EQ(request.query_param("bad"), "%zz");
  EXPECT_EQ(request.query_param("none"), std::nullopt);
}

TEST(Request, BearerToken_WinsOverQuery) {
  Request request;
  EXPECT_EQ(request.token(), "");
  request.query = "token=from%20query";
  EXPECT_EQ(request.token(), "from query");
  request.headers.add("Authorization", "bearer  abc ");
  EXPECT_EQ(request.token(), "abc");
  request.headers.set("Authorization", "Basic abc");
  EXPECT_EQ(request.token(), "from query");
}

TEST(Response, Error_HasStatusOfCode_NamesField) {
  const Response response =
      Response::error({core::Code::not_found, "No session has this id.", "session"});
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.get("Content-Type"), "application/json");
  EXPECT_EQ(response.body,
            R"({"code":"not_found","message":"No session has this id.","field":"session"})");
}

class RecordingImpl final : public Responder::Impl {
 public:
  RecordingImpl(std::vector<int>& statuses, core::Scheduler& scheduler)
      : statuses_(statuses), scheduler_(scheduler) {}
  void send(Response response) override { statuses_.push_back(response.status); }
  std::shared_ptr<BodyWriter> start(Response head) override {
    statuses_.push_back(head.status);
    return nullptr;
  }
  void on_disconnect(core::Task) override {}
  core::Scheduler& scheduler() override { return scheduler_; }

 private:
  std::vector<int>& statuses_;
  core::Scheduler& scheduler_;
};

TEST(Responder, DestroyedUnused_Answers500_SecondIsIgnored) {
  core::FakeClock clock;
  core::FakeScheduler scheduler(clock);
  std::vector<int> statuses;
  {
    Responder first(std::make_unique<RecordingImpl>(statuses, scheduler));
    Responder moved(std::move(first));
  }
  EXPECT_EQ(statuses, std::vector<int>({500}));
  Responder second(std::make_unique<RecordingImpl>(statuses, scheduler));
  second.send(Response::text(200, "one"));
  second.send(Response::text(201, "two"));
  EXPECT_EQ(statuses, std::vector<int>({500, 200}));
}

TEST(HttpText, Dates_UseRfcForm) {
  EXPECT_EQ(core::http_date(core::from_unix_ms(784'111'777'000)), "Sun, 06 Nov 1994 08:49:37 GMT");
}

}  // namespace
}  // namespace parley::net
