// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/http_client/curl_exchange.h"

#include <gtest/gtest.h>

#include <string>

namespace parley::http_client {
namespace {

TEST(ProxyChoice, Proxy_IsChosenByScheme) {
  const ReadVariable secure = [](const char* name) -> const char* {
    return std::string_view(name) == "HTTPS_PROXY" ? "http://p:1" : nullptr;
  };
  EXPECT_EQ(proxy_of_environment("https", "a.example", secure), "http://p:1");
  EXPECT_EQ(proxy_of_environment("http", "a.example", secure), "");
  const ReadVariable plain = [](const char* name) -> const char* {
    return std::string_view(name) == "http_proxy" ? "http://p:2" : nullptr;
  };
  EXPECT_EQ(proxy_of_environment("http", "a.example", plain), "http://p:2");
  EXPECT_EQ(proxy_of_environment("https", "a.example", plain), "");
  // A web server passes the header "Proxy" to CGI programs under this name.
  const ReadVariable header = [](const char* name) -> const char* {
    return std::string_view(name) == "HTTP_PROXY" ? "http://p:3" : nullptr;
  };
  EXPECT_EQ(proxy_of_environment("http", "a.example", header), "");
  const ReadVariable all = [](const char* name) -> const char* {
    return std::string_view(name) == "ALL_PROXY" ? "http://p:4" : nullptr;
  };
  EXPECT_EQ(proxy_of_environment("http", "a.example", all), "http://p:4");
  EXPECT_EQ(proxy_of_environment("https", "a.example", all), "http://p:4");
}

TEST(ProxyChoice, ExceptedHost_IsReachedDirectly) {
  const ReadVariable some = [](const char* name) -> const char* {
    if (std::string_view(name) == "https_proxy") return "http://p:1";
    return std::string_view(name) == "NO_PROXY" ? "b.example, .c.example,[2001:db8::1]" : nullptr;
  };
  const auto direct = [&some](std::string_view host) {
    return proxy_of_environment("https", host, some).empty();
  };
  EXPECT_TRUE(direct("b.example"));
  EXPECT_TRUE(direct("x.B.example."));
  EXPECT_TRUE(direct("c.example"));
  EXPECT_TRUE(direct("x.c.example"));
  EXPECT_TRUE(direct("[2001:db8::1]"));
  EXPECT_FALSE(direct("ab.example"));
  EXPECT_FALSE(direct("a.example"));
  const ReadVariable none = [](const char* name) -> const char* {
    if (std::string_view(name) == "https_proxy") return "http://p:1";
    return std::string_view(name) == "no_proxy" ? "*" : nullptr;
  };
  EXPECT_EQ(proxy_of_environment("https", "a.example", none), "");
}

}  // namespace
}  // namespace parley::http_client
