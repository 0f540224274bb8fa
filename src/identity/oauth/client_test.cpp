// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/client.h"

#include <gmock/gmock.h>

#include "identity/oauth/consent_page.h"
#include "identity/oauth/scope.h"

namespace parley::oauth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kClientId = "https://app.example.org/oauth/client.json";

std::string document(std::string_view more) {
  return std::string(R"({"client_id":")") + kClientId + "\"" + std::string(more) + "}";
}

TEST(Redirect, SafeAddresses_AreTaken) {
  for (const char* uri : {"https://app.example.org/cb", "http://127.0.0.1/cb",
                          "http://127.0.0.1:4711/cb?x=1", "http://localhost:80/",
                          "http://[::1]:9/cb", "cursor://any.thing/cb", "com.example.app:/cb"}) {
    EXPECT_TRUE(check_redirect(uri)) << uri;
  }
}

TEST(Redirect, UnsafeAddresses_AreRefused) {
  for (const std::string& uri :
       {std::string(), std::string("http://app.example.org/cb"), std::string("javascript:alert(1)"),
        std::string("data:text/html,x"), std::string("https://a.example/cb#x"),
        std::string("https://u:p@a.example/cb"), std::string("/cb"), std::string("https://a b/"),
        std::string("https://a;x/"), std::string("https://a%3bx/"),
        std::string("https://a.example/\r\nX: y"), std::string("x:"),
        "https://a.example/" + std::string(kMaxRedirectBytes, 'x')}) {
    EXPECT_FALSE(check_redirect(uri)) << uri;
  }
}

TEST(Redirect, OnlyPortOfLoopback_IsFree) {
  const Client client{"c", "C", {"http://127.0.0.1/cb", "https://a.example/cb"}};
  EXPECT_TRUE(allows_redirect(client, "http://127.0.0.1:1234/cb"));
  EXPECT_TRUE(allows_redirect(client, "https://a.example/cb"));
  EXPECT_FALSE(allows_redirect(client, "http://127.0.0.1:1234/cb/x"));
  EXPECT_FALSE(allows_redirect(client, "http://localhost:1234/cb"));
  EXPECT_FALSE(allows_redirect(client, "https://a.example:8443/cb"));
  EXPECT_FALSE(allows_redirect(client, "https://a.example/CB"));
  EXPECT_FALSE(allows_redirect(client, "https://a.example/cb?x"));
  EXPECT_FALSE(allows_redirect(client, ""));
}

TEST(DocumentId, OnlyPublicHttpsWithPath_IsOne) {
  EXPECT_TRUE(is_document_id(kClientId));
  for (const char* id : {"https://app.example.org", "https://app.example.org/",
                         "http://app.example.org/c", "https://localhost/c", "https://127.0.0.1/c",
                         "https://10.0.0.1/c", "https://[::1]/c", "https://printer/c",
                         "https://a.example/../c", "https://a.example/c?x", "https://a.example/c#x",
                         "https://u@a.example/c", "https://a.example/%2e%2e/c", "my-agent"}) {
    EXPECT_FALSE(is_document_id(id)) << id;
  }
}

TEST(ClientDocument, GoodOne_IsRead) {
  const auto client = parse_document(
      kClientId,
      document(R"(,"client_name":" My\u202e App\n","redirect_uris":["http://localhost/cb"])"));
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_EQ(client->id, kClientId);
  EXPECT_THAT(client->name, Not(HasSubstr("\u202e")));
  EXPECT_THAT(client->name, Not(HasSubstr("\n")));
  EXPECT_THAT(client->redirects, ElementsAre("http://localhost/cb"));
  EXPECT_TRUE(only_loopback_redirects(*client));
}

TEST(ClientDocument, FaultyOnes_AreRefused) {
  const std::string rest = R"(,"client_name":"A","redirect_uris":["http://localhost/cb"])";
  EXPECT_FALSE(parse_document("https://other.example/c", document(rest)));
  EXPECT_FALSE(parse_document(kClientId, "[]"));
  EXPECT_FALSE(parse_document(kClientId, document(R"(,"redirect_uris":["http://localhost/cb"])")));
  EXPECT_FALSE(parse_document(kClientId, document(R"(,"client_name":"A","redirect_uris":[])")));
  EXPECT_FALSE(parse_document(kClientId, document(R"(,"client_name":"A","redirect_uris":["x:"])")));
  EXPECT_FALSE(parse_document(
      kClientId, document(rest + R"(,"token_endpoint_auth_method":"private_key_jwt")")));
}

TEST(Registration, Fault_HasCodeOfRfc7591) {
  EXPECT_EQ(parse_registration("x").error().field, "invalid_client_metadata");
  EXPECT_EQ(parse_registration(R"({"redirect_uris":["ftp://a/"]})").error().field,
            "invalid_redirect_uri");
  EXPECT_EQ(parse_registration(R"({"redirect_uris":["x://a"]})")->name, "MCP client");
}

TEST(Preregistered, Entry_IsIdAndRedirects) {
  const auto clients = parse_preregistered({"agent http://127.0.0.1/cb https://a.example/cb"});
  ASSERT_TRUE(clients);
  EXPECT_EQ(clients->front().id, "agent");
  EXPECT_THAT(clients->front().redirects,
              ElementsAre("http://127.0.0.1/cb", "https://a.example/cb"));
  EXPECT_FALSE(parse_preregistered({"agent"}));
  EXPECT_FALSE(parse_preregistered({"agent http://a.example/cb"}));
}

TEST(Scopes, Text_IsReadAndWritten) {
  EXPECT_EQ(*parse_scopes(""), kScopeRights);
  EXPECT_EQ(*parse_scopes("parley:read"), auth::Rights({auth::Right::read}));
  EXPECT_EQ(*parse_scopes("parley:all"), kScopeRights);
  EXPECT_EQ(*parse_scopes("offline_access parley:ask"), auth::Rights({auth::Right::ask}));
  EXPECT_EQ(parse_scopes("parley:admin").error().field, "invalid_scope");
  EXPECT_EQ(scope_text(auth::Rights::all()), kAllScopes);
}

TEST(ConsentPage, Names_AreEscaped) {
  AuthorizeRequest request;
  request.client_name = "<script>x</script>";
  request.redirect = "http://127.0.0.1:4711/cb";
  request.scopes = kScopeRights;
  request.only_loopback = true;
  const net::Response page = consent_page(request, "sealed", PageFault::none, "en");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, Not(HasSubstr("<script")));
  EXPECT_THAT(page.body, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page.body, HasSubstr("127.0.0.1:4711"));
  EXPECT_THAT(page.body, HasSubstr("class=\"warning\""));
  const std::string policy(page.headers.get("Content-Security-Policy"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, HasSubstr("form-action 'self' http://127.0.0.1:4711;"));
  EXPECT_THAT(consent_page(request, "", PageFault::none, "zh-CN").body, HasSubstr("拒绝"));
}

}  // namespace
}  // namespace parley::oauth
