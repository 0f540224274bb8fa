// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/console_address.h"

#include <gtest/gtest.h>

namespace parley::desktop {
namespace {

TEST(ConsoleAddress, Link_OfTheServer_IsSplit) {
  for (const char* typed :
       {"http://127.0.0.1:22080/?token=a%2Bb", " http://127.0.0.1:22080/#/?token=a%2Bb ",
        "http://127.0.0.1:22080/#/inbox?x=1&token=a%2Bb"}) {
    const auto link = read_server_link(typed);
    ASSERT_TRUE(link) << typed;
    EXPECT_EQ(link->url, "http://127.0.0.1:22080") << typed;
    EXPECT_EQ(link->token, "a+b") << typed;
  }
}

TEST(ConsoleAddress, Address_WithoutScheme_IsCompleted) {
  EXPECT_EQ(read_server_link("localhost:22080")->url, "http://localhost:22080");
  EXPECT_EQ(read_server_link("[::1]:22080")->url, "http://[::1]:22080");
  EXPECT_EQ(read_server_link("parley.example")->url, "https://parley.example");
  EXPECT_EQ(read_server_link("https://parley.example/console/")->url,
            "https://parley.example/console");
}

TEST(ConsoleAddress, Address_OfNoServer_IsRefused) {
  for (const char* typed : {"", "  ", "ftp://host", "file:///etc/passwd", "http://", "two words",
                            "http://user:secret@host", "javascript:alert(1)"}) {
    const auto link = read_server_link(typed);
    ASSERT_FALSE(link) << typed;
    EXPECT_EQ(link.error().field, "url");
    EXPECT_EQ(link.error().message.find("secret"), std::string::npos);
  }
}

TEST(ConsoleAddress, Links_EscapeTheirParts) {
  EXPECT_EQ(sign_in_link("http://h:1", "a/b c"), "http://h:1/#/inbox?token=a%2Fb%20c");
  EXPECT_TRUE(contains_token(sign_in_link("http://h:1", "a")));
  EXPECT_FALSE(contains_token(item_link("http://h:1", "?token=")));
  EXPECT_EQ(item_link("http://h:1", "k/1?"), "http://h:1/#/inbox/item/k%2F1%3F");
}

TEST(ConsoleAddress, WebSocket_IsAtTheOrigin) {
  EXPECT_EQ(websocket_url("http://h:1"), "ws://h:1/ws?gen=3");
  EXPECT_EQ(websocket_url("https://h/console"), "wss://h/ws?gen=3");
}

TEST(ConsoleAddress, Origin_IsSchemeHostAndPort) {
  EXPECT_TRUE(same_origin("http://h", "http://H:80/x#y"));
  EXPECT_FALSE(same_origin("http://h", "https://h/"));
  EXPECT_FALSE(same_origin("http://h:1", "http://h:2/"));
  EXPECT_FALSE(same_origin("http://h", "http://h.evil.example/"));
  EXPECT_FALSE(same_origin("http://h", "http://h@evil.example/"));
  EXPECT_FALSE(same_origin("http://h", "javascript:1"));
}

}  // namespace
}  // namespace parley::desktop
