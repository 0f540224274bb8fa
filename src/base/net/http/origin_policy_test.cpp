// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/origin_policy.h"

#include <gtest/gtest.h>

namespace parley::net {
namespace {

OriginPolicy policy(const std::string& host, const std::vector<std::string>& allowed = {}) {
  return OriginPolicy(Endpoint{host, 22080}, allowed);
}

struct HostCase {
  std::string_view host;
  bool on_loopback;
  bool on_all;
};

TEST(OriginPolicy, OwnNames_AreAnswered_OthersAreNot) {
  const std::vector<HostCase> cases = {
      {"localhost:22080", true, true},
      {"LOCALHOST", true, true},
      {"127.0.0.1:22080", true, true},
      {"127.8.8.8", true, true},
      {"[::1]:22080", true, true},
      {"192.168.1.7:22080", false, true},
      {"[fe80::1]:22080", false, true},
      {"evil.example:22080", false, false},
      {"127.0.0.1.evil.example", false, false},
      {"localhost.evil.example", false, false},
      {"app.localhost", false, false},
      {"x.org", true, true},
      {"x.org:8443", true, true},
      {"", false, false},
      {"a b", false, false},
      {"localhost:", false, false},
      {"localhost:99999", false, false},
      {"[::1", false, false},
      {"user@localhost", false, false},
      {"localhost/x", false, false},
      {"127.1", false, false},
  };
  const OriginPolicy loopback = policy("127.0.0.1", {"https://x.org"});
  const OriginPolicy all = policy("0.0.0.0", {"https://x.org"});
  for (const HostCase& one : cases) {
    EXPECT_EQ(loopback.is_own_host(one.host), one.on_loopback) << one.host;
    EXPECT_EQ(all.is_own_host(one.host), one.on_all) << one.host;
  }
  EXPECT_TRUE(policy("127.0.0.1", {"*"}).is_own_host("evil.example"));
  EXPECT_TRUE(policy("box.local").is_own_host("box.local:22080"));
}

struct OriginCase {
  std::string_view origin;
  std::string_view host;
  bool allowed;
};

TEST(OriginPolicy, OwnPagesAndAllowedOrigins_AreLetIn) {
  const std::vector<OriginCase> cases = {
      {"http://127.0.0.1:22080", "127.0.0.1:22080", true},
      {"http://localhost:22080", "localhost:22080", true},
      {"http://[::1]:22080", "[::1]:22080", true},
      {"HTTP://LocalHost:22080", "localhost:22080", true},
      {"http://localhost", "localhost:80", true},
      {"https://localhost", "localhost", true},
      {"http://localhost:22080", "127.0.0.1:22080", false},
      {"http://localhost:5173", "localhost:22080", false},
      {"http://evil.example", "127.0.0.1:22080", false},
      {"http://evil.example:22080", "evil.example:22080", false},
      {"https://x.org", "127.0.0.1:22080", true},
      {"https://X.org", "x.org", true},
      {"http://x.org", "127.0.0.1:22080", false},
      {"https://x.org.evil.example", "127.0.0.1:22080", false},
      {"null", "127.0.0.1:22080", false},
      {"", "127.0.0.1:22080", false},
      {"file://", "127.0.0.1:22080", false},
      {"http://127.0.0.1:22080/path", "127.0.0.1:22080", false},
  };
  const OriginPolicy loopback = policy("127.0.0.1", {"https://x.org/"});
  for (const OriginCase& one : cases) {
    EXPECT_EQ(loopback.is_allowed_origin(one.origin, one.host), one.allowed)
        << one.origin << " at " << one.host;
  }
  EXPECT_TRUE(policy("127.0.0.1", {"*"}).is_allowed_origin("null", "127.0.0.1"));
  EXPECT_TRUE(policy("127.0.0.1", {"null"}).is_allowed_origin("null", "127.0.0.1"));
}

}  // namespace
}  // namespace parley::net
