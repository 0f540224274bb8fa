// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <future>

#include "base/core/base64.h"
#include "base/core/percent.h"
#include "base/core/secret.h"
#include "base/core/temp_folder.h"
#include "identity/oauth/routes.h"
#include "identity/oauth/scope.h"
#include "tests/support/auth/fake_verifier.h"
#include "tests/support/net/http_test_world.h"

namespace parley::oauth {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kVerifier = "a-verifier-of-forty-three-characters-or-more";
constexpr const char* kRedirect = "http://127.0.0.1:4711/cb";
constexpr const char* kToken = "prl_the-token-of-a-person";

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string form_text(const Fields& fields) {
  std::string out = "?";
  for (const auto& [name, value] : fields) append_parameter(out, name, value);
  return out.substr(2);
}

class OauthRoutesTest : public ::testing::Test {
 protected:
  OauthRoutesTest() {
    tokens_.allow(kToken, "W", "person", auth::Rights::usual());
    tokens_.allow("reader", "W", "reader", {auth::Right::read});
    tokens_.allow("answerer", "W", "answerer", {auth::Right::answer});
  }
  ~OauthRoutesTest() override { worker_.stop(); }

  void start(std::string origin = "https://parley.example", bool registration = false) {
    if (!origin.empty()) world_.options.allowed_origins = {origin};
    host_ = origin.empty() ? "127.0.0.1:1" : "parley.example";
    issuer_ = origin.empty() ? "http://127.0.0.1:1" : origin;
    context_ = std::make_unique<Context>(
        Dependencies{tokens_, *grants_, nullptr, worker_, world_.clock, entropy_, world_.metrics},
        Options{origin, {{"agent", "Agent", {"http://127.0.0.1/cb"}}}, registration});
    install(world_.router, *context_);
    world_.start();
  }

  // Sends a request and waits for the work that it gave to the disk.
  net::WireResponse send(const std::string& method, const std::string& target,
                         const std::string& fields = {}, const std::string& body = {}) {
    const auto peer = world_.connect();
    std::string wire = method + " " + target + " HTTP/1.1\r\nHost: " + host_ + "\r\n" + fields;
    if (method == "POST") wire += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    peer->send(wire + "\r\n" + body);
    world_.scheduler.run_ready();
    std::promise<void> idle;
    worker_.post([&idle] { idle.set_value(); });
    idle.get_future().wait();
    world_.scheduler.run_ready();
    const auto responses = peer->take();
    return responses.empty() ? net::WireResponse() : responses.front();
  }
  net::WireResponse post(const std::string& target, const Fields& fields,
                         const std::string& more = {}) {
    return send("POST", target, more + "Content-Type: application/x-www-form-urlencoded\r\n",
                form_text(fields));
  }
  Fields asked() const {
    return {{"response_type", "code"},
            {"client_id", "agent"},
            {"redirect_uri", kRedirect},
            {"state", "a state&"},
            {"code_challenge", core::base64url_encode(core::secret_hash(kVerifier))},
            {"code_challenge_method", "S256"},
            {"resource", issuer_ + "/mcp"}};
  }
  Fields with(std::string_view name, const std::string& value) const {
    Fields fields = asked();
    for (auto& field : fields) {
      if (field.first == name) field.second = value;
    }
    return fields;
  }
  net::WireResponse authorize(const Fields& fields) {
    return send("GET", "/authorize?" + form_text(fields));
  }
  // The hidden field of the form.
  std::string sealed() {
    const std::string body = authorize(asked()).body;
    const std::string begin = "name=\"form\" value=\"";
    const std::size_t at = body.find(begin) + begin.size();
    return body.substr(at, body.find('"', at) - at);
  }
  net::WireResponse decide(const std::string& token, const std::string& decision = "allow") {
    return post("/authorize", {{"form", sealed()}, {"token", token}, {"decision", decision}});
  }
  static std::string parameter_of(const net::WireResponse& redirect, std::string_view name) {
    const std::string to(redirect.headers.get("Location"));
    const auto parameters = Parameters::parse(std::string_view(to).substr(to.find('?') + 1));
    return std::string(parameters->get(name));
  }
  std::string new_code() { return parameter_of(decide(kToken), "code"); }
  Fields exchange(const std::string& code) {
    return {{"grant_type", "authorization_code"},
            {"code", code},
            {"client_id", "agent"},
            {"redirect_uri", kRedirect},
            {"code_verifier", kVerifier},
            {"resource", issuer_ + "/mcp"}};
  }
  Fields renewal(const std::string& token) {
    return {{"grant_type", "refresh_token"}, {"refresh_token", token}, {"client_id", "agent"}};
  }
  static std::string member(const net::WireResponse& response, std::string_view name) {
    return std::string(boost::json::parse(response.body).at(name).as_string());
  }

  core::TempFolder folder_;
  net::HttpWorld world_;
  core::SystemEntropy entropy_;
  auth::FakeVerifier tokens_;
  core::Worker worker_{world_.clock};
  std::unique_ptr<GrantStore> grants_ =
      std::move(*GrantStore::open(folder_.path(), world_.clock, entropy_, tokens_.watchers()));
  std::unique_ptr<Context> context_;
  std::string host_;
  std::string issuer_;
};

TEST_F(OauthRoutesTest, Metadata_NamesPublicAddress) {
  start();
  for (const char* path :
       {"/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"}) {
    const auto resource = send("GET", path);
    EXPECT_EQ(resource.status, 200);
    EXPECT_EQ(member(resource, "resource"), "https://parley.example/mcp");
    EXPECT_THAT(resource.body, HasSubstr(R"("authorization_servers":["https://parley.example"])"));
  }
  const auto server = send("GET", "/.well-known/oauth-authorization-server");
  EXPECT_EQ(member(server, "issuer"), "https://parley.example");
  EXPECT_EQ(member(server, "token_endpoint"), "https://parley.example/token");
  EXPECT_THAT(server.body, HasSubstr(R"("code_challenge_methods_supported":["S256"])"));
  EXPECT_THAT(server.body, Not(HasSubstr("registration_endpoint")));
}

TEST_F(OauthRoutesTest, LoopbackServer_IsItsHost) {
  start("");
  EXPECT_EQ(member(send("GET", "/.well-known/oauth-authorization-server"), "issuer"),
            "http://127.0.0.1:1");
  host_ = "localhost:1";
  EXPECT_EQ(member(send("GET", "/.well-known/oauth-authorization-server"), "issuer"),
            "http://localhost:1");
}

TEST_F(OauthRoutesTest, WholeLogin_GivesAccess) {
  start();
  const auto page = authorize(asked());
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("127.0.0.1:4711"));
  const auto back = decide(kToken);
  EXPECT_EQ(back.status, 303);
  EXPECT_THAT(std::string(back.headers.get("Location")), HasSubstr(kRedirect));
  EXPECT_EQ(parameter_of(back, "state"), "a state&");
  EXPECT_EQ(parameter_of(back, "iss"), "https://parley.example");
  const auto tokens = post("/token", exchange(parameter_of(back, "code")));
  ASSERT_EQ(tokens.status, 200) << tokens.body;
  EXPECT_EQ(tokens.headers.get("Cache-Control"), "no-store");
  EXPECT_EQ(member(tokens, "token_type"), "Bearer");
  EXPECT_EQ(member(tokens, "scope"), kAllScopes);
  EXPECT_TRUE(grants_->identify(member(tokens, "access_token")));
  const auto renewed = post("/token", renewal(member(tokens, "refresh_token")));
  ASSERT_EQ(renewed.status, 200) << renewed.body;
  EXPECT_FALSE(grants_->identify(member(tokens, "access_token")));
  const std::string access = member(renewed, "access_token");
  EXPECT_EQ(post("/revoke", {{"token", access}, {"client_id", "agent"}}).status, 200);
  EXPECT_FALSE(grants_->identify(access));
}

TEST_F(OauthRoutesTest, UnsafeRequest_IsNotRedirected) {
  start();
  for (const Fields& fields :
       {with("client_id", "other"), with("redirect_uri", "http://127.0.0.1:4711/other"),
        with("redirect_uri", "https://evil.example/cb"), with("redirect_uri", "")}) {
    const auto page = authorize(fields);
    EXPECT_EQ(page.status, 400);
    EXPECT_FALSE(page.headers.has("Location"));
  }
  EXPECT_EQ(send("GET", "/authorize?" + form_text(asked()) + "&state=again").status, 400);
}

TEST_F(OauthRoutesTest, FaultyRequest_IsRedirectedWithIssuer) {
  start();
  const std::vector<std::pair<Fields, std::string>> cases = {
      {with("response_type", "token"), "unsupported_response_type"},
      {with("code_challenge_method", "plain"), "invalid_request"},
      {with("code_challenge", "short"), "invalid_request"},
      {with("resource", "https://other.example/mcp"), "invalid_target"},
      {with("resource", ""), "invalid_target"},
  };
  for (const auto& [fields, error] : cases) {
    const auto back = authorize(fields);
    EXPECT_EQ(back.status, 302);
    EXPECT_EQ(parameter_of(back, "error"), error);
    EXPECT_EQ(parameter_of(back, "state"), "a state&");
    EXPECT_EQ(parameter_of(back, "iss"), "https://parley.example");
  }
}

TEST_F(OauthRoutesTest, Denial_IsRedirected) {
  start();
  const auto back = decide("", "deny");
  EXPECT_EQ(back.status, 303);
  EXPECT_EQ(parameter_of(back, "error"), "access_denied");
  EXPECT_EQ(parameter_of(back, "iss"), "https://parley.example");
}

TEST_F(OauthRoutesTest, WrongToken_IsNotEchoed) {
  start();
  const auto page = decide("a-wrong-token");
  EXPECT_EQ(page.status, 401);
  EXPECT_THAT(page.body, Not(HasSubstr("a-wrong-token")));
  EXPECT_THAT(page.body, HasSubstr("This token is not valid."));
  tokens_.set_exhausted(true);
  EXPECT_EQ(decide("a-wrong-token").status, 429);
}

TEST_F(OauthRoutesTest, Scopes_AreThoseOfTheToken) {
  start();
  EXPECT_EQ(decide("answerer").status, 403);
  const auto tokens = post("/token", exchange(parameter_of(decide("reader"), "code")));
  EXPECT_EQ(member(tokens, "scope"), "parley:read");
}

TEST_F(OauthRoutesTest, FormOfOtherServer_IsRefused) {
  start();
  const Fields forged = {{"form", "x.y.z"}, {"token", kToken}, {"decision", "allow"}};
  EXPECT_EQ(post("/authorize", forged).status, 400);
  const Fields undecided = {{"form", sealed()}, {"token", kToken}};
  EXPECT_EQ(post("/authorize", undecided).status, 400);
  const Fields old = {{"form", sealed()}, {"token", kToken}, {"decision", "allow"}};
  world_.clock.advance(kFormLife + core::Millis(1));
  EXPECT_EQ(post("/authorize", old).status, 400);
}

TEST_F(OauthRoutesTest, FormOfOtherPage_IsRefused) {
  start();
  const Fields fields = {{"form", sealed()}, {"token", kToken}, {"decision", "allow"}};
  EXPECT_EQ(post("/authorize", fields, "Origin: https://evil.example\r\n").status, 403);
  EXPECT_EQ(post("/authorize", fields, "Origin: https://parley.example\r\n").status, 303);
}

TEST_F(OauthRoutesTest, ReusedCode_EndsGrant) {
  start();
  const std::string code = new_code();
  const auto tokens = post("/token", exchange(code));
  const auto again = post("/token", exchange(code));
  EXPECT_EQ(again.status, 400);
  EXPECT_EQ(member(again, "error"), "invalid_grant");
  EXPECT_FALSE(grants_->identify(member(tokens, "access_token")));
}

TEST_F(OauthRoutesTest, ExchangeThatDoesNotFit_UsesCodeUp) {
  start();
  const auto refused = [this](std::string_view name, const std::string& value) {
    const std::string code = new_code();
    Fields fields = exchange(code);
    for (auto& field : fields) {
      if (field.first == name) field.second = value;
    }
    const auto response = post("/token", fields);
    EXPECT_EQ(response.status, 400) << name;
    EXPECT_EQ(post("/token", exchange(code)).status, 400) << name;
    return member(response, "error");
  };
  EXPECT_EQ(refused("code_verifier", std::string(50, 'x')), "invalid_grant");
  EXPECT_EQ(refused("client_id", "other"), "invalid_grant");
  EXPECT_EQ(refused("redirect_uri", "http://127.0.0.1:1/cb"), "invalid_grant");
  EXPECT_EQ(refused("resource", "https://other.example/mcp"), "invalid_target");
}

TEST_F(OauthRoutesTest, EndedToken_LeavesNoCode) {
  start();
  const std::string code = new_code();
  context_->forget_token("");  // FakeVerifier's tokens have no id
  EXPECT_EQ(member(post("/token", exchange(code)), "error"), "invalid_grant");
}

TEST_F(OauthRoutesTest, BadTokenRequests_HaveTheirCodes) {
  start();
  EXPECT_EQ(member(post("/token", {{"grant_type", "password"}, {"client_id", "agent"}}), "error"),
            "unsupported_grant_type");
  EXPECT_EQ(member(post("/token", {{"grant_type", "refresh_token"}}), "error"), "invalid_request");
  EXPECT_EQ(member(send("POST", "/token", "Content-Type: application/json\r\n", "{}"), "error"),
            "invalid_request");
  Fields unknown = renewal("prlor_x");
  EXPECT_EQ(member(post("/token", unknown), "error"), "invalid_grant");
  unknown.back().second = "other";
  const auto response = post("/token", unknown);
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(member(response, "error"), "invalid_client");
  EXPECT_EQ(post("/revoke", {{"token", "unknown"}, {"client_id", "agent"}}).status, 200);
}

TEST_F(OauthRoutesTest, Registration_NeedsItsSetting) {
  start();
  EXPECT_EQ(send("POST", "/register", "Content-Type: application/json\r\n", "{}").status, 404);
}

// No link leads through this server to the redirect of a client that anybody could have made.
TEST_F(OauthRoutesTest, FaultOfUnconfirmedClient_IsShownOnPage) {
  start("https://parley.example", true);
  const std::string redirect = "https://elsewhere.example/cb";
  const auto created = send("POST", "/register", "Content-Type: application/json\r\n",
                            R"({"client_name":"App","redirect_uris":[")" + redirect + "\"]}");
  ASSERT_EQ(created.status, 201) << created.body;
  const std::string id = member(created, "client_id");
  Fields fields = asked();
  for (auto& [name, value] : fields) {
    if (name == "client_id") value = id;
    if (name == "redirect_uri") value = redirect;
    if (name == "response_type") value = "x";
  }
  const auto page = authorize(fields);
  EXPECT_EQ(page.status, 400);
  EXPECT_FALSE(page.headers.has("Location"));
  EXPECT_THAT(page.body, HasSubstr("response_type must be code."));
  // A person lets the client in: from then on it is told of its faults.
  Consent consent{{.client_id = id,
                   .client_name = "App",
                   .redirect = redirect,
                   .state = {},
                   .challenge = {},
                   .resource = issuer_ + "/mcp",
                   .issuer = issuer_,
                   .scopes = {auth::Right::ask}},
                  *tokens_.verify(kToken, "")};
  ASSERT_TRUE(grants_->create(consent, "code"));
  const auto back = authorize(fields);
  EXPECT_EQ(back.status, 302);
  EXPECT_EQ(parameter_of(back, "error"), "unsupported_response_type");
}

TEST_F(OauthRoutesTest, Registration_MakesClient) {
  start("https://parley.example", true);
  const std::string json = "Content-Type: application/json\r\n";
  const std::string body = R"({"client_name":"App","redirect_uris":["http://127.0.0.1/cb"]})";
  const auto created = send("POST", "/register", json, body);
  ASSERT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(authorize(with("client_id", member(created, "client_id"))).status, 200);
  EXPECT_THAT(send("GET", "/.well-known/oauth-authorization-server").body,
              HasSubstr("https://parley.example/register"));
  EXPECT_EQ(send("POST", "/register", json, "{}").status, 400);
  for (std::size_t i = 1; i < kMaxRegistrationsInMinute; ++i) {
    EXPECT_EQ(send("POST", "/register", json, body).status, 201);
  }
  EXPECT_EQ(send("POST", "/register", json, body).status, 429);
}

}  // namespace
}  // namespace parley::oauth
