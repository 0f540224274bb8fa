// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/account_routes.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <chrono>
#include <thread>

#include "base/core/temp_folder.h"
#include "identity/access/access_table.h"
#include "identity/accounts/login_verifier.h"
#include "tests/support/core/fake_scheduler.h"

namespace parley::chat {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kPassword = "correct horse 1";

class RecordedResponse final : public net::Responder::Impl {
 public:
  RecordedResponse(core::Scheduler& scheduler, std::optional<net::Response>& to)
      : scheduler_(scheduler), to_(to) {}
  void send(net::Response response) override { to_ = std::move(response); }
  std::shared_ptr<net::BodyWriter> start(net::Response /*head*/) override { return nullptr; }
  void on_disconnect(core::Task /*task*/) override {}
  core::Scheduler& scheduler() override { return scheduler_; }

 private:
  core::Scheduler& scheduler_;
  std::optional<net::Response>& to_;
};

class AccountRoutesTest : public ::testing::Test {
 protected:
  AccountRoutesTest() {
    install_accounts(router_, {service_, verifier_});
    alice_ = created("alice@example.org", "Alice", false);
    root_ = created("root@example.org", "Root", true);
  }

  accounts::User created(const std::string& email, const std::string& name, bool admin) {
    return *store_->create({email, name, *accounts::hash_password(kPassword, cost_), admin});
  }

  net::Response call(const std::string& method, const std::string& path, const std::string& token,
                     const std::string& body = {}) {
    net::Request request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.peer = peer_;
    if (!token.empty()) request.headers.set("Authorization", "Bearer " + token);
    const net::Router::Match match = router_.match(method, path);
    if (match.handler == nullptr) return net::Response::text(404, "");
    request.path_params = match.params;
    if (match.admit != nullptr && *match.admit) {
      if (const auto admitted = (*match.admit)(request); !admitted) return admitted.error();
    }
    std::optional<net::Response> response;
    (*match.handler)(std::move(request),
                     net::Responder(std::make_unique<RecordedResponse>(scheduler_, response)));
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!response && std::chrono::steady_clock::now() < end) {
      scheduler_.run_ready();
      std::this_thread::yield();
    }
    EXPECT_TRUE(response) << method << " " << path;
    return response.value_or(net::Response());
  }
  // The member `data` of an answer without an error.
  boost::json::value data(const net::Response& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    boost::json::value all = boost::json::parse(response.body);
    EXPECT_EQ(all.at("code"), 200) << response.body;
    EXPECT_TRUE(all.at("timestamp").is_string());
    EXPECT_TRUE(all.at("traceId").is_null());
    return all.at("data");
  }
  // Status and code.
  static std::pair<int, std::int64_t> refusal(const net::Response& response) {
    const boost::json::value all = boost::json::parse(response.body);
    EXPECT_TRUE(all.at("data").is_null());
    return {response.status, all.at("code").as_int64()};
  }
  static std::string login_body(const std::string& name, const std::string& password) {
    return R"({"email":")" + name + R"(","password":")" + password + R"(","rememberMe":true})";
  }
  boost::json::value log_in(const std::string& name) {
    return data(call("POST", "/api/v1/auth/login", "", login_body(name, kPassword)));
  }
  std::string access_of(const std::string& name) {
    return std::string(log_in(name).at("accessToken").as_string());
  }

  const accounts::PasswordCost cost_ = accounts::PasswordCost::least();
  core::TempFolder folder_;
  core::FakeClock clock_;
  core::FakeScheduler scheduler_{clock_};
  core::SeededEntropy entropy_{3};
  std::unique_ptr<auth::TokenStore> tokens_ =
      std::move(*auth::TokenStore::open(folder_.file("data"), clock_, entropy_));
  std::unique_ptr<accounts::AccountStore> store_ = std::move(
      *accounts::AccountStore::open(folder_.file("data"), clock_, entropy_, tokens_->watchers()));
  accounts::LoginVerifier verifier_{*tokens_, *store_};
  accounts::AccountService service_{*store_, clock_, cost_};
  net::Router router_;
  accounts::User alice_;
  accounts::User root_;
  std::string peer_ = "10.0.0.1";
};

TEST_F(AccountRoutesTest, Login_IsAnsweredAsInContract) {
  const boost::json::value login = log_in("alice@example.org");
  EXPECT_EQ(login.at("expiresIn"), "86400");
  EXPECT_TRUE(store_->identify(login.at("accessToken").as_string()));
  const boost::json::value& user = login.at("user");
  EXPECT_EQ(user.at("id").as_string(), std::to_string(alice_.id));
  EXPECT_EQ(user.at("email"), "alice@example.org");
  EXPECT_EQ(user.at("username"), "Alice");
  EXPECT_TRUE(user.at("avatarUrl").is_null());
  EXPECT_EQ(user.at("status"), "ACTIVE");
  EXPECT_EQ(user.at("createTime"), "2023-11-14 22:13:20");
  EXPECT_EQ(user.at("lastLoginTime"), "2023-11-14T22:13:20Z");
  const net::Response answer =
      call("POST", "/api/v1/auth/login", "", login_body("Alice", kPassword));
  EXPECT_EQ(answer.headers.get("Cache-Control"), "no-store");
  EXPECT_THAT(answer.body, Not(HasSubstr("argon2")));
}

TEST_F(AccountRoutesTest, BadLogin_Is401_MissingMemberIs400) {
  const auto login = [this](const std::string& body) {
    return refusal(call("POST", "/api/v1/auth/login", "", body));
  };
  const std::pair<int, std::int64_t> wrong{401, 401};
  const std::pair<int, std::int64_t> invalid{400, 400};
  EXPECT_EQ(login(login_body("alice", "wrong horse 1")), wrong);
  EXPECT_EQ(login(login_body("nobody", kPassword)), wrong);
  EXPECT_EQ(login(login_body("", "")), wrong);
  for (const char* body :
       {"", "{}", "[]", "x", R"({"email":"alice"})", R"({"email":"alice","password":null})",
        R"({"email":1,"password":"x"})"}) {
    EXPECT_EQ(login(body), invalid) << body;
  }
}

TEST_F(AccountRoutesTest, GuessingPasswords_TakesTime) {
  for (std::size_t i = 0; i <= core::kFreeGuesses; ++i) {
    const net::Response answer =
        call("POST", "/api/v1/auth/login", "", login_body("alice", "wrong horse 1"));
    EXPECT_EQ(answer.delay > core::Millis(0), i == core::kFreeGuesses) << i;
  }
  // The right password is delayed as well, so that the delay reveals nothing.
  const net::Response right =
      call("POST", "/api/v1/auth/login", "", login_body("alice", kPassword));
  EXPECT_EQ(right.status, 200);
  EXPECT_GT(right.delay, core::kFirstWait);
}

TEST_F(AccountRoutesTest, Refresh_ReturnsNewAccessToken) {
  const boost::json::value login = log_in("alice");
  const std::string body =
      boost::json::serialize(boost::json::value{{"refreshToken", login.at("refreshToken")}});
  const boost::json::value fresh = data(call("POST", "/api/v1/auth/refresh", "", body));
  EXPECT_EQ(fresh.at("expiresIn"), "86400");
  EXPECT_TRUE(store_->identify(fresh.at("accessToken").as_string()));
  EXPECT_FALSE(store_->identify(login.at("accessToken").as_string()));
  const std::string access =
      boost::json::serialize(boost::json::value{{"refreshToken", fresh.at("accessToken")}});
  EXPECT_EQ(call("POST", "/api/v1/auth/refresh", "", access).status, 401);
  EXPECT_EQ(call("POST", "/api/v1/auth/refresh", "", "{}").status, 400);
}

TEST_F(AccountRoutesTest, Logout_EndsLogin) {
  const std::string token = access_of("alice");
  const std::string other = access_of("alice");
  EXPECT_TRUE(data(call("POST", "/api/v1/auth/logout", token)).is_null());
  EXPECT_EQ(call("GET", "/api/v1/users/me", token).status, 401);
  EXPECT_EQ(call("GET", "/api/v1/users/me", other).status, 200);
}

TEST_F(AccountRoutesTest, RegisteringAndForgetting_NeedAdministrator) {
  for (const char* path :
       {"/api/v1/auth/register", "/api/v1/auth/forgot-password", "/api/v1/auth/reset-password"}) {
    const net::Response answer = call("POST", path, "", R"({"email":"alice@example.org"})");
    EXPECT_EQ(refusal(answer), std::pair(200, std::int64_t{500}));
    EXPECT_THAT(answer.body, HasSubstr("administrator"));
  }
}

TEST_F(AccountRoutesTest, OwnUser_IsReadAndChanged) {
  const std::string token = access_of("alice");
  EXPECT_EQ(data(call("GET", "/api/v1/users/me", token)).at("username"), "Alice");
  const boost::json::value changed =
      data(call("PUT", "/api/v1/users/me", token, R"({"username":"李白","avatarUrl":"/a.png"})"));
  EXPECT_EQ(changed.at("username"), "李白");
  EXPECT_EQ(changed.at("avatarUrl"), "/a.png");
  const auto put = [&](const char* body) {
    return refusal(call("PUT", "/api/v1/users/me", token, body));
  };
  EXPECT_EQ(put(R"({"username":"x"})"), std::pair(400, std::int64_t{400}));
  EXPECT_EQ(put(R"({"avatarUrl":"javascript:1"})"), std::pair(400, std::int64_t{400}));
  EXPECT_EQ(put(R"({"username":"root"})"), std::pair(200, std::int64_t{500}));
  // A caller cannot change its own roles or rights.
  const boost::json::value same = data(
      call("PUT", "/api/v1/users/me", token, R"({"roles":["ADMIN"],"status":"LOCKED","id":"2"})"));
  EXPECT_EQ(same.at("roles"), (boost::json::array{"USER"}));
  EXPECT_EQ(same.at("status"), "ACTIVE");
  EXPECT_EQ(same.at("id").as_string(), std::to_string(alice_.id));
}

TEST_F(AccountRoutesTest, OwnPassword_NeedsOldPassword) {
  const std::string token = access_of("alice");
  const auto put = [&](const std::string& body) {
    return call("PUT", "/api/v1/users/me", token, body);
  };
  EXPECT_EQ(put(R"({"newPassword":"another horse 2"})").status, 400);
  EXPECT_EQ(refusal(put(R"({"oldPassword":"wrong","newPassword":"another horse 2"})")),
            std::pair(200, std::int64_t{500}));
  data(put(R"({"oldPassword":"correct horse 1","newPassword":"another horse 2"})"));
  EXPECT_EQ(call("GET", "/api/v1/users/me", token).status, 401);
  data(call("POST", "/api/v1/auth/login", "", login_body("alice", "another horse 2")));
}

TEST_F(AccountRoutesTest, RolesAndPermissions_AreOfCaller) {
  const std::string user = access_of("alice");
  const std::string admin = access_of("root");
  EXPECT_EQ(data(call("GET", "/api/v1/permissions/my-roles", user)),
            boost::json::parse(R"([{"roleCode":"USER","roleName":"User"}])"));
  EXPECT_EQ(data(call("GET", "/api/v1/permissions/my-roles", admin)).at(0).at("roleCode"), "ADMIN");
  EXPECT_EQ(data(call("GET", "/api/v1/permissions/my-permissions", user)),
            (boost::json::array{"ask", "answer", "read", "run"}));
  EXPECT_EQ(data(call("GET", "/api/v1/permissions/my-permissions", admin)).as_array().size(),
            auth::kAllRights.size());
}

TEST_F(AccountRoutesTest, ParleyToken_IsUser) {
  const std::string token = *tokens_->create({"phone"});
  const std::string admin = *tokens_->create({"boss", {}, auth::Rights::all()});
  const boost::json::value me = data(call("GET", "/api/v1/users/me", token));
  EXPECT_EQ(me.at("id").as_string(), tokens_->verify(token, "")->workspace);
  EXPECT_EQ(me.at("username"), "phone");
  EXPECT_EQ(me.at("roles"), (boost::json::array{"USER"}));
  EXPECT_EQ(data(call("GET", "/api/v1/permissions/my-roles", admin)).at(0).at("roleCode"), "ADMIN");
  EXPECT_EQ(refusal(call("PUT", "/api/v1/users/me", token, R"({"username":"x2"})")).second, 500);
  // A logout leaves a token valid.
  EXPECT_TRUE(data(call("POST", "/api/v1/auth/logout", token)).is_null());
  EXPECT_EQ(call("GET", "/api/v1/users/me", token).status, 200);
}

TEST_F(AccountRoutesTest, Administrator_HandlesUsers) {
  const std::string admin = access_of("root");
  const boost::json::value created = data(call(
      "POST", "/api/v1/users", admin,
      R"({"email":"bob@example.org","username":"Bob","password":"correct horse 1","roles":["USER"]})"));
  const std::string path = "/api/v1/users/" + std::string(created.at("id").as_string());
  EXPECT_EQ(data(call("GET", "/api/v1/users", admin)).as_array().size(), 3U);
  const std::string bob = access_of("bob");
  const boost::json::value locked = data(call("PUT", path, admin, R"({"status":"LOCKED"})"));
  EXPECT_EQ(locked.at("status"), "LOCKED");
  EXPECT_EQ(call("GET", "/api/v1/users/me", bob).status, 401);
  EXPECT_EQ(call("POST", "/api/v1/auth/login", "", login_body("bob", kPassword)).status, 403);
  data(call("PUT", path, admin,
            R"({"status":"ACTIVE","roles":["ADMIN"],"password":"another horse 2"})"));
  const boost::json::value again =
      data(call("POST", "/api/v1/auth/login", "", login_body("bob", "another horse 2")));
  EXPECT_EQ(again.at("user").at("roles").as_array().size(), 2U);
  EXPECT_TRUE(data(call("DELETE", path, admin)).is_null());
  EXPECT_EQ(data(call("GET", "/api/v1/users", admin)).as_array().size(), 2U);
  EXPECT_EQ(refusal(call("DELETE", path, admin)), std::pair(200, std::int64_t{500}));
}

TEST_F(AccountRoutesTest, BadEdits_NameField) {
  const std::string admin = access_of("root");
  const std::string path = "/api/v1/users/" + std::to_string(alice_.id);
  for (const auto& [body, field] :
       std::vector<std::pair<std::string, std::string>>{{R"({"status":"DELETED"})", "status"},
                                                        {R"({"status":"x"})", "status"},
                                                        {R"({"status":1})", "status"},
                                                        {R"({"roles":[]})", "roles"},
                                                        {R"({"roles":["ROOT"]})", "roles"},
                                                        {R"({"roles":"ADMIN"})", "roles"},
                                                        {R"({"password":"short"})", "password"},
                                                        {R"({"username":"a@b"})", "username"},
                                                        {"[]", "body"}}) {
    const net::Response answer = call("PUT", path, admin, body);
    EXPECT_EQ(refusal(answer), std::pair(400, std::int64_t{400})) << body;
    EXPECT_THAT(answer.body, HasSubstr(field)) << body;
  }
  for (const char* id : {"0", "-1", "x", "99999999999999999999", "77"}) {
    EXPECT_EQ(
        refusal(call("PUT", "/api/v1/users/" + std::string(id), admin, R"({"status":"LOCKED"})")),
        std::pair(200, std::int64_t{500}))
        << id;
  }
}

TEST_F(AccountRoutesTest, Administrator_CannotLockItselfOut) {
  const std::string admin = access_of("root");
  const std::string path = "/api/v1/users/" + std::to_string(root_.id);
  for (const char* body : {R"({"status":"LOCKED"})", R"({"roles":["USER"]})"}) {
    EXPECT_EQ(refusal(call("PUT", path, admin, body)).second, 500) << body;
  }
  EXPECT_EQ(refusal(call("DELETE", path, admin)).second, 500);
  EXPECT_EQ(call("GET", "/api/v1/users/me", admin).status, 200);
}

struct AccountCaller {
  std::string name;
  std::string token;
  std::optional<auth::Rights> rights;  // std::nullopt: no identity
};

// Each route with each kind of caller.
TEST_F(AccountRoutesTest, EachRouteAndCaller_MatchTable) {
  const boost::json::value login = log_in("alice");
  const std::string ended = access_of("alice");
  ASSERT_TRUE(store_->log_out(ended));
  const accounts::User locked = created("locked@example.org", "Locked", true);
  const std::string of_locked = access_of("locked");
  accounts::UserChange lock;
  lock.status = accounts::UserStatus::locked;
  ASSERT_TRUE(store_->change(locked.id, lock));
  const std::string deleted_user = access_of("root");
  const accounts::User spare = created("spare@example.org", "Spare", true);
  const std::string admin = access_of("spare");
  ASSERT_TRUE(store_->remove(root_.id));
  const std::vector<AccountCaller> callers = {
      {"nobody", "", std::nullopt},
      {"guess", "prla_guess", std::nullopt},
      {"refresh token", std::string(login.at("refreshToken").as_string()), std::nullopt},
      {"ended login", ended, std::nullopt},
      {"locked user", of_locked, std::nullopt},
      {"deleted user", deleted_user, std::nullopt},
      {"reader's token", *tokens_->create({"r", {}, auth::Rights{auth::Right::read}}),
       auth::Rights{auth::Right::read}},
      {"administrator's token", *tokens_->create({"a", {}, auth::Rights::all()}),
       auth::Rights::all()},
      {"user", std::string(login.at("accessToken").as_string()), accounts::rights_of(alice_)},
      {"administrator", admin, auth::Rights::all()},
  };
  std::size_t tried = 0;
  for (const access::Row& row : access::rows()) {
    std::string path(row.where);
    if (const std::size_t brace = path.find('{'); brace != std::string::npos) {
      path.replace(brace, path.find('}') - brace + 1, "77");
    }
    if (row.method == "WS" || router_.match(std::string(row.method), path).pattern != row.where) {
      continue;
    }
    // A logout would end the login that the other cases use.
    if (path.ends_with("/logout")) continue;
    for (const AccountCaller& caller : callers) {
      peer_ = "10.1." + std::to_string(tried / 200) + "." + std::to_string(tried % 200);
      ++tried;
      const int status = call(std::string(row.method), path, caller.token, "{}").status;
      const std::string what = std::string(row.method) + " " + path + " by " + caller.name;
      if (row.need == access::Need::nothing) {
        EXPECT_TRUE(status == 200 || status == 400) << what;
      } else if (!caller.rights) {
        EXPECT_EQ(status, 401) << what;
      } else if (access::missing(row, *caller.rights)) {
        EXPECT_EQ(status, 403) << what;
      } else {
        EXPECT_TRUE(status == 200 || status == 400) << what << ": " << status;
      }
    }
  }
  EXPECT_EQ(tried, 13 * callers.size());
}

}  // namespace
}  // namespace parley::chat
