// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of rights against the real server: each row, tried with each kind of token.
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "base/sql/database.h"
#include "identity/access/access_table.h"
#include "program.h"
#include "tools/conformance/wire.h"

namespace parley::tests {
namespace {

using access::Need;
using access::Row;

constexpr const char* kAll = "a-token-with-every-right";

std::vector<std::string> data_flags(const core::TempFolder& dir) {
  return {"--data", dir.file("data")};
}

std::string made_token(const core::TempFolder& dir, const std::string& name,
                       const std::string& rights) {
  std::vector<std::string> arguments = {"token", "create", "--name", name, "--rights", rights};
  for (const std::string& flag : data_flags(dir)) arguments.push_back(flag);
  Ran ran = run(dir, std::move(arguments));
  EXPECT_EQ(ran.status, 0) << ran.errors;
  return ran.out.substr(0, ran.out.find('\n'));
}

// A token, and the outcome expected for it.
struct Kind {
  std::string name;
  std::string token;
  bool valid = true;
  auth::Rights rights = {};
};

std::vector<Kind> kinds_of_tokens(const core::TempFolder& dir) {
  std::vector<Kind> kinds = {{"none", "", false},
                             {"wrong", "prl_wrong-token-of-a-stranger", false}};
  for (const auth::Right right : auth::kAllRights) {
    const std::string name(auth::right_name(right));
    kinds.push_back({name, made_token(dir, name, name), true, auth::Rights{right}});
  }
  kinds.push_back({"all", kAll, true, auth::Rights::all()});
  kinds.push_back({"expired", made_token(dir, "expired", "all"), false});
  kinds.push_back({"revoked", made_token(dir, "revoked", "all"), false});
  auto tokens = sql::Database::open(dir.file("data/tokens.db"), sql::OpenMode::read_write);
  EXPECT_TRUE(tokens && tokens->execute("UPDATE tokens SET expires_at = 1 WHERE name = 'expired';"
                                        "UPDATE tokens SET revoked_at = 1 WHERE name = 'revoked'"));
  return kinds;
}

constexpr const char* kPassword = "correct horse 1";

void make_users(const core::TempFolder& dir) {
  for (const std::string name : {"user", "boss", "locked"}) {
    const std::vector<std::string> more =
        name == "user" ? std::vector<std::string>() : std::vector<std::string>{"--admin"};
    EXPECT_EQ(add_user(dir, name + "@example.org", name, kPassword, more).status, 0);
  }
}

// Valid logins at a running server, and tokens that are no longer logins.
std::vector<Kind> kinds_of_logins(const core::TempFolder& dir, const Server& server) {
  const auto token = [](const boost::json::value& login, const char* member) {
    return std::string(login.at(member).as_string());
  };
  const boost::json::value of_user = server.log_in("user", kPassword);
  const std::string of_locked = token(server.log_in("locked", kPassword), "accessToken");
  const std::string ended = token(server.log_in("boss", kPassword), "accessToken");
  EXPECT_EQ(server.call("POST", "/api/v1/auth/logout", ended).status, 200);
  std::vector<std::string> lock = {"user", "lock", "locked"};
  for (const std::string& flag : data_flags(dir)) lock.push_back(flag);
  EXPECT_EQ(run(dir, std::move(lock)).status, 0);
  const auto end = in_ms(kPatience);
  while (server.call("GET", "/v1/me", of_locked).status != 401 &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  using auth::Right;
  return {{"a user", token(of_user, "accessToken"), true,
           auth::Rights{Right::ask, Right::answer, Right::read, Right::run}},
          {"an administrator", token(server.log_in("boss", kPassword), "accessToken"), true,
           auth::Rights::all()},
          {"a refresh token", token(of_user, "refreshToken"), false},
          {"a locked user", of_locked, false},
          {"a login that has ended", ended, false}};
}

std::vector<std::string> server_flags(const core::TempFolder& dir) {
  return {"--listen", "127.0.0.1:0", "--data", dir.file("data"), "--token", kAll};
}

std::string target_of(const Row& row) {
  std::string target(row.where);
  while (target.find('{') != std::string::npos) {
    const std::size_t begin = target.find('{');
    target.replace(begin, target.find('}') - begin + 1, "x");
  }
  if (target.ends_with('*')) target.replace(target.size() - 1, 1, "x/y/z");
  return target;
}

// The answer of a chat socket to a caller with the right, for an unknown session: the protocol
// answers 403, which does not mean a missing right.
constexpr std::string_view kNoChat = "There is no such chat session of yours.";

// The status of one request from 127.0.0.`host`: wrong tokens are counted per address, and an
// address of its own keeps each caller below the limit.
int status_of(const Server& server, const Row& row, const std::string& token, int host) {
  const Wire wire(server, host);
  const bool socket = row.method == "WS";
  std::string head = (socket ? "GET" : std::string(row.method)) + " " + target_of(row) +
                     " HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\n";
  if (!token.empty()) head += "Authorization: Bearer " + token + "\r\n";
  if (socket) {
    head +=
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
  } else {
    head += "Connection: close\r\n";
    const bool body = row.method != "GET" && row.method != "DELETE";
    head += body ? "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" : "\r\n";
  }
  wire.send(head);
  std::string answer;
  char byte = 0;
  const auto read_to = [&](std::string_view end) {
    while (!answer.ends_with(end) && ::recv(wire.fd(), &byte, 1, 0) == 1) answer.push_back(byte);
  };
  read_to("\r");
  const int status = answer.size() > 12 ? std::stoi(answer.substr(9, 3)) : 0;
  if (status != 403) return status;
  read_to("\r\n\r\n");
  read_to(".");
  return answer.ends_with(kNoChat) ? 404 : status;
}

// 401, 403, or 0 for any other status.
int expected(const Row& row, const Kind& kind) {
  if (row.need == Need::nothing) return 0;
  if (kind.token.empty() && row.guests) return 0;
  if (!kind.valid) return 401;
  return access::missing(row, kind.rights) ? 403 : 0;
}

TEST(Access, EachRowAndToken_OnRealServer_MatchTable) {
  const core::TempFolder dir;
  make_users(dir);
  std::vector<Kind> kinds = kinds_of_tokens(dir);
  const Server server(dir, server_flags(dir));
  for (Kind& kind : kinds_of_logins(dir, server)) kinds.push_back(std::move(kind));
  constexpr int kGuessesOfOneHost = 8;
  int guesses = 0;
  for (const Row& row : access::rows()) {
    // A logout would end the login that the other rows use.
    if (row.method == "message" || row.where == "/api/v1/auth/logout") continue;
    for (const Kind& kind : kinds) {
      const int host = 2 + (kind.valid ? 0 : 1 + guesses++ / kGuessesOfOneHost);
      const int status = status_of(server, row, kind.token, host);
      const std::string what = std::string(row.method) + " " + std::string(row.where) + " with " +
                               kind.name + " answered " + std::to_string(status);
      const int wanted = expected(row, kind);
      EXPECT_NE(status, 0) << what;
      if (wanted == 0) {
        EXPECT_TRUE(status != 401 && status != 403) << what;
      } else {
        EXPECT_EQ(status, wanted) << what;
      }
    }
  }
}

// The smallest request of each type that passes its parser.
boost::json::value loom_request(std::string_view type) {
  return {{"type", type},    {"id", "1"},           {"run_id", "x"},
          {"call_id", "x"},  {"allow", true},       {"name", "x"},
          {"model_id", "x"}, {"workspace_id", "x"}, {"thread_id", "x"}};
}

TEST(Access, EachMessageOfLoom_NeedsItsRight) {
  const core::TempFolder dir;
  // A connection without the right to read is refused.
  const std::string reader = made_token(dir, "reader", "read");
  const Server server(dir, server_flags(dir));
  const auto target = conformance::Target::parse(server.url());
  for (const Kind& kind : {Kind{"reader", reader, true, auth::Rights{auth::Right::read}},
                           Kind{"all", kAll, true, auth::Rights::all()}}) {
    conformance::WebSocketSettings settings;
    settings.path = "/loom/ws";
    settings.headers = {{"Authorization", "Bearer " + kind.token}};
    auto wire = conformance::open_websocket(*target, settings, in_ms(kPatience));
    ASSERT_TRUE(wire) << wire.error().message;
    for (const Row& row : access::rows()) {
      constexpr std::string_view kSocket = "/loom/ws ";
      if (row.method != "message" || !row.where.starts_with(kSocket)) continue;
      const std::string_view type = row.where.substr(kSocket.size());
      conformance::Outgoing out;
      out.message = loom_request(type);
      ASSERT_TRUE((*wire)->send(out, in_ms(kPatience)));
      const auto answer = (*wire)->receive(in_ms(kPatience));
      ASSERT_TRUE(answer) << type;
      const auto right = access::missing(row, kind.rights);
      const std::string lacks =
          "lacks the right \\\"" + (right ? std::string(auth::right_name(*right)) : "");
      EXPECT_EQ(answer->bytes.find(lacks) != std::string::npos, right.has_value())
          << kind.name << ": " << type << ": " << answer->bytes;
    }
  }
}

// After a lock, a logout or a refresh the sockets of that login are closed in every dialect, and
// those of another login in the same workspace stay.
TEST(Access, SocketsOfEndedLogin_AreClosed_OthersStay) {
  const core::TempFolder dir;
  ASSERT_EQ(add_user(dir, "a@example.org", "Al", kPassword, {"--admin"}).status, 0);
  const Server server(dir, server_flags(dir));
  const auto target = conformance::Target::parse(server.url());
  const auto access = [&server] {
    return std::string(server.log_in("al", kPassword).at("accessToken").as_string());
  };
  const std::string first = access();
  const std::string second = access();
  const auto created = server.call("POST", "/api/v1/sessions", first, R"({"title":"t"})");
  ASSERT_EQ(created.status, 200) << created.body;
  const std::string code(created.json().at("data").as_string());
  const auto open = [&](const std::string& token) {
    std::vector<std::unique_ptr<conformance::Wire>> all;
    for (const std::string& path : {std::string("/loom/ws"), std::string("/agent/ws"),
                                    "/ws/chat/" + code, "/api/ws/chat/" + code}) {
      conformance::WebSocketSettings settings;
      settings.path = path;
      settings.headers = {{"Authorization", "Bearer " + token}};
      auto wire = conformance::open_websocket(*target, settings, in_ms(kPatience));
      EXPECT_TRUE(wire) << path;
      if (wire) all.push_back(std::move(*wire));
    }
    return all;
  };
  const auto closed_with = [](conformance::Wire& wire) {
    auto received = wire.receive(in_ms(kPatience));
    while (received && received->kind != conformance::Received::Kind::closed) {
      received = wire.receive(in_ms(kPatience));
    }
    return received ? received->code : 0;
  };
  const auto of_first = open(first);
  const auto of_second = open(second);
  ASSERT_EQ(server.call("POST", "/api/v1/auth/logout", first).status, 200);
  for (const auto& wire : of_first) EXPECT_EQ(closed_with(*wire), 4401);
  // The answer shows that the connection is open.
  conformance::Outgoing ping;
  ping.message = {{"type", "PING"}, {"sessionCode", code}, {"requestId", "p"}};
  ASSERT_TRUE(of_second.back()->send(ping, in_ms(kPatience)));
  const auto pong = of_second.back()->receive(in_ms(kPatience));
  ASSERT_TRUE(pong);
  EXPECT_THAT(pong->bytes, ::testing::HasSubstr("PONG"));
  std::vector<std::string> lock = {"user", "lock", "al"};
  for (const std::string& flag : data_flags(dir)) lock.push_back(flag);
  ASSERT_EQ(run(dir, std::move(lock)).status, 0);
  for (const auto& wire : of_second) EXPECT_EQ(closed_with(*wire), 4401);
  EXPECT_EQ(server.call("GET", "/api/v1/users/me", second).status, 401);
}

TEST(Access, SecretsOfLogins_AreInNoLog) {
  const core::TempFolder dir;
  ASSERT_EQ(add_user(dir, "a@example.org", "Al", kPassword).status, 0);
  std::vector<std::string> flags = server_flags(dir);
  flags.insert(flags.end(), {"--log-level", "trace"});
  Server server(dir, std::move(flags));
  const boost::json::value login = server.log_in("al", kPassword);
  const std::string access(login.at("accessToken").as_string());
  const std::string refresh(login.at("refreshToken").as_string());
  server.call("POST", "/api/v1/auth/login", "", R"({"email":"al","password":"wrong horse 77"})");
  server.call("GET", "/api/v1/users/me?token=" + access, "");
  server.call("GET", "/api/v1/users/me", refresh);
  server.call("POST", "/api/v1/auth/refresh", "", R"({"refreshToken":")" + refresh + "\"}");
  server.call("POST", "/api/v1/auth/logout", access);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  const std::string log = server.errors();
  EXPECT_THAT(log, ::testing::HasSubstr("stopped"));
  for (const std::string& secret : {access, refresh, std::string(kPassword),
                                    std::string("wrong horse 77"), std::string("argon2")}) {
    EXPECT_THAT(log, ::testing::Not(::testing::HasSubstr(secret)));
  }
}

TEST(Access, RunExceedingItsToken_IsRefusedByName) {
  const core::TempFolder dir;
  const core::TempFolder elsewhere;
  const std::string runner = made_token(dir, "runner", "run,read");
  const Server server(dir, server_flags(dir));
  const auto start = [&server](const std::string& token, const std::string& more) {
    return server.call("POST", "/v1/runs", token, R"({"message":"hello","dry":true)" + more + "}");
  };
  EXPECT_EQ(start(runner, "").status, 201);
  const std::string folder = R"(,"working_folder":")" + elsewhere.path() + "\"";
  for (const auto& [more, right] :
       {std::pair<std::string, std::string>{R"(,"approve":"auto")", "run-auto"},
        {folder, "admin"},
        {R"(,"working_folder":"/no/such/folder")", "admin"}}) {
    const auto refused = start(runner, more);
    EXPECT_EQ(refused.status, 403) << more;
    EXPECT_EQ(refused.json().at("code"), "permission_denied");
    EXPECT_EQ(refused.json().at("field"), "rights");
    EXPECT_THAT(refused.body, ::testing::HasSubstr(right));
  }
  EXPECT_EQ(server.call("GET", "/v1/agents?working_folder=/", runner).status, 403);
  EXPECT_EQ(server.call("GET", "/v1/tools?working_folder=/", runner).status, 403);
  EXPECT_EQ(start(kAll, R"(,"approve":"auto")").status, 201);
  EXPECT_EQ(start(kAll, folder).status, 201);
}

TEST(Access, IdleSocketOfRevokedToken_IsClosed) {
  const core::TempFolder dir;
  const std::string token = made_token(dir, "phone", "read,study");
  const Server server(dir, server_flags(dir));
  const auto target = conformance::Target::parse(server.url());
  std::vector<std::unique_ptr<conformance::Wire>> idle;
  for (const char* path : {"/loom/ws", "/agent/ws"}) {
    conformance::WebSocketSettings settings;
    settings.path = path;
    settings.headers = {{"Authorization", "Bearer " + token}};
    auto wire = conformance::open_websocket(*target, settings, in_ms(kPatience));
    ASSERT_TRUE(wire) << path;
    idle.push_back(std::move(*wire));
  }
  std::vector<std::string> revoke = {"token", "revoke", "phone"};
  for (const std::string& flag : data_flags(dir)) revoke.push_back(flag);
  ASSERT_EQ(run(dir, std::move(revoke)).status, 0);
  for (const auto& wire : idle) {
    auto received = wire->receive(in_ms(kPatience));
    while (received && received->kind != conformance::Received::Kind::closed) {
      received = wire->receive(in_ms(kPatience));
    }
    ASSERT_TRUE(received) << received.error().message;
    EXPECT_EQ(received->code, 4401);
  }
}

// One loop, so that a call which blocks it would hold the other request as well.
TEST(Access, LockedTokenFile_BlocksNobody) {
  const core::TempFolder dir;
  std::vector<std::string> arguments = server_flags(dir);
  arguments.insert(arguments.end(), {"--shards", "1"});
  const Server server(dir, std::move(arguments));
  auto tokens = sql::Database::open(dir.file("data/tokens.db"), sql::OpenMode::read_write);
  ASSERT_TRUE(tokens && tokens->execute("BEGIN EXCLUSIVE"));
  const auto waits = server.start("GET", "/v1/tokens", kAll);
  ASSERT_TRUE(waits);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(server.call("GET", "/v1/me", kAll).status, 200);
  ASSERT_TRUE(tokens->execute("COMMIT"));
  const auto head = waits->head(in_ms(kPatience));
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
}

TEST(Access, ShortTokenGivenByHand_IsOnlyForLoopback) {
  const core::TempFolder dir;
  const auto refused = [&dir](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"serve", "--data", dir.file("data"), "--token", "4711"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(dir, std::move(arguments));
  };
  for (const auto& more :
       {std::vector<std::string>{"--listen", "0.0.0.0:0", "--allow-plain", "true"},
        {"--listen", "127.0.0.1:0", "--public-url", "https://x.example.org"}}) {
    const Ran ran = refused(more);
    EXPECT_EQ(ran.status, 2) << ran.errors;
    EXPECT_THAT(ran.errors, ::testing::HasSubstr("fewer than 16 characters"));
    EXPECT_THAT(ran.errors, ::testing::Not(::testing::HasSubstr("4711")));
  }
  const Server server(dir,
                      {"--listen", "127.0.0.1:0", "--data", dir.file("data"), "--token", "4711"});
  EXPECT_EQ(server.call("GET", "/v1/me", "4711").status, 200);
  EXPECT_THAT(server.errors(), ::testing::HasSubstr("fewer than 16 characters"));
}

}  // namespace
}  // namespace parley::tests
