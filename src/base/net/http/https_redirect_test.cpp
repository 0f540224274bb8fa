// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/https_redirect.h"

#include <gmock/gmock.h>

namespace parley::net {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const OriginPolicy kPolicy({"0.0.0.0", 22'080}, {"https://parley.example.org"});

std::string redirect(const std::string& head) { return https_redirect(head, kPolicy); }

std::string request_for(const std::string& host) {
  return "GET /a HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}

TEST(HttpsRedirect, GetAndHead_AreRedirectedToSameTarget) {
  for (const std::string method : {"GET", "HEAD"}) {
    EXPECT_THAT(redirect(method + " /a/b?c=d%20e HTTP/1.1\r\nHost: 192.168.1.5:22080\r\n\r\n"),
                AllOf(StartsWith("HTTP/1.1 307 "), HasSubstr("\r\nConnection: close\r\n"),
                      HasSubstr("\r\nLocation: https://192.168.1.5:22080/a/b?c=d%20e\r\n")));
  }
  EXPECT_THAT(redirect("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"),
              HasSubstr("Location: https://[::1]:80/\r\n"));
}

TEST(HttpsRedirect, NameOfServer_IsRedirected) {
  for (const std::string host : {"localhost", "Parley.example.org", "parley.example.org:8443"}) {
    EXPECT_THAT(redirect(request_for(host)), HasSubstr("\r\nLocation: https://" + host + "/a\r\n"));
  }
}

TEST(HttpsRedirect, ForeignHost_IsNotRepeated) {
  for (const std::string host : {"evil.example", "parley.example.org.evil.example",
                                 "evil.example:80", "localhost.evil.example"}) {
    EXPECT_THAT(redirect(request_for(host)),
                AllOf(StartsWith("HTTP/1.1 421 "), Not(HasSubstr("Location")),
                      Not(HasSubstr("evil")), HasSubstr("allowed_origins")))
        << host;
  }
  const OriginPolicy local({"127.0.0.1", 22'080}, {});
  EXPECT_THAT(https_redirect(request_for("192.168.1.5"), local), StartsWith("HTTP/1.1 421 "));
}

TEST(HttpsRedirect, OtherRequests_AreRefused) {
  for (const std::string head : {
           "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
           "GET / HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: user@a\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
           "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
           "GET /\x80 HTTP/1.1\r\nHost: a\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\n",
           "SSH-2.0-x\r\n\r\n",
           "",
       }) {
    EXPECT_THAT(redirect(head), AllOf(StartsWith("HTTP/1.1 400 "), Not(HasSubstr("Location")),
                                      HasSubstr("https://")))
        << head;
  }
}

}  // namespace
}  // namespace parley::net
