// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/guest_obstacle.h"

#include <gmock/gmock.h>

namespace parley::net {
namespace {

using testing::HasSubstr;

Request local_request() {
  Request request;
  request.method = "GET";
  request.peer = "127.0.0.1";
  request.headers.add("Host", "127.0.0.1:22080");
  return request;
}

std::string why(const Request& request) {
  const auto obstacle = guest_obstacle(request);
  return obstacle ? obstacle->why : std::string();
}

TEST(GuestObstacle, LocalClient_HasNoObstacle) {
  Request request = local_request();
  for (const char* peer : {"127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"}) {
    for (const char* host :
         {"127.0.0.1", "localhost", "LOCALHOST:80", "[::1]:22080", "a.localhost"}) {
      request.peer = peer;
      request.headers.set("Host", host);
      EXPECT_EQ(why(request), "") << peer << " " << host;
    }
  }
}

TEST(GuestObstacle, EachProxyField_IsObstacle) {
  for (const char* field :
       {"Forwarded", "Via", "X-Real-IP", "x-forwarded-for", "X-Forwarded-Proto", "X-FORWARDED-HOST",
        "X-Forwarded-Anything", "CF-Connecting-IP", "True-Client-IP", "X-Client-IP"}) {
    Request request = local_request();
    request.headers.add(field, "");
    EXPECT_THAT(why(request), HasSubstr(field));
  }
}

TEST(GuestObstacle, RemoteClient_IsObstacle) {
  for (const char* peer : {"192.0.2.7", "10.0.0.1", "128.0.0.1", "::2", "::ffff:10.0.0.1",
                           "fe80::1", "127.evil.example", ""}) {
    Request request = local_request();
    request.peer = peer;
    EXPECT_THAT(why(request), HasSubstr("another computer")) << peer;
  }
}

TEST(GuestObstacle, NonLocalHost_IsObstacle) {
  for (const char* host : {"parley.example.org", "127.0.0.1.example.org", "localhost.example.org",
                           "localhost.example.org:22080", "192.0.2.7", ""}) {
    Request request = local_request();
    request.headers.set("Host", host);
    EXPECT_THAT(why(request), HasSubstr("Host")) << host;
  }
}

TEST(GuestObstacle, Http10_IsObstacle) {
  Request request = local_request();
  request.http_1_1 = false;
  EXPECT_THAT(why(request), HasSubstr("HTTP/1.0"));
}

TEST(GuestObstacle, ForeignPage_IsObstacleUnlessOriginAllowed) {
  Request request = local_request();
  request.headers.add("Sec-Fetch-Site", "cross-site");
  ASSERT_TRUE(guest_obstacle(request).has_value());
  EXPECT_TRUE(guest_obstacle(request)->foreign_page);
  request.headers.add("Origin", "https://allowed.example.org");
  EXPECT_FALSE(guest_obstacle(request).has_value());
  for (const char* site : {"same-origin", "same-site", "none"}) {
    Request own = local_request();
    own.headers.add("Sec-Fetch-Site", site);
    EXPECT_FALSE(guest_obstacle(own).has_value()) << site;
  }
}

}  // namespace
}  // namespace parley::net
