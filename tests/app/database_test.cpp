// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// The real program with its stores in PostgreSQL.
#include "base/sql/database.h"

#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <filesystem>
#include <set>

#include "base/core/temp_folder.h"
#include "program.h"
#include "tests/support/sql/private_postgres.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kAsk = R"({"key":"k","prompt":{"text":"Deploy?"}})";

class DatabaseTest : public ::testing::Test {
 protected:
  explicit DatabaseTest(sql::PrivatePostgres& postgres = sql::PrivatePostgres::shared())
      : url_(postgres.new_database()) {}

  std::vector<std::string> with_flags(std::vector<std::string> words) const {
    words.insert(words.end(), {"--data", dir_.file("data"), "--store-url", url_});
    return words;
  }
  std::unique_ptr<Server> serve() const {
    return std::make_unique<Server>(dir_, with_flags({"--listen", "127.0.0.1:0"}));
  }
  Ran run_command(std::vector<std::string> words) const {
    return run(dir_, with_flags(std::move(words)));
  }
  std::string token() const {
    std::string text = read_file(dir_.file("data/token"));
    while (text.ends_with('\n')) text.pop_back();
    return text;
  }
  bool is_asked(const Server& server) const {
    return server.call("GET", "/v1/interactions?state=pending", token()).body.find("Deploy?") !=
           std::string::npos;
  }

  core::TempFolder dir_;
  std::string url_;
};

class EndingDatabase : public DatabaseTest {
 protected:
  EndingDatabase() : EndingDatabase(std::make_unique<sql::PrivatePostgres>()) {}
  explicit EndingDatabase(std::unique_ptr<sql::PrivatePostgres> postgres)
      : DatabaseTest(*postgres), postgres_(std::move(postgres)) {}

  std::unique_ptr<sql::PrivatePostgres> postgres_;
};

TEST_F(DatabaseTest, QuestionAndToken_SurviveKill_NoFileOfAStoreIsMade) {
  auto server = serve();
  const std::string first = token();
  const auto asking = server->start("POST", "/v1/interactions", first, kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(*server); }));
  server->signal(SIGKILL);
  server->wait();
  server = serve();
  EXPECT_EQ(token(), first);
  ASSERT_TRUE(is_asked(*server));
  const auto answered =
      server->call("POST", "/v1/interactions/k/answer", first, R"({"text":"Yes"})");
  EXPECT_EQ(answered.status, 200) << answered.body;
  const auto again = server->call("POST", "/v1/interactions", first, kAsk);
  EXPECT_THAT(again.body, HasSubstr("Yes"));
  for (const auto& entry : std::filesystem::directory_iterator(dir_.file("data"))) {
    EXPECT_NE(entry.path().extension(), ".db") << entry.path();
  }
}

TEST_F(DatabaseTest, Runs_AreListed_AndThoseOfALostServerAreTakenUp) {
  auto server = serve();
  const auto started = server->call("POST", "/v1/runs", token(), R"({"message":"Say hello."})");
  ASSERT_EQ(started.status, 201) << started.body;
  const auto finished = [&] {
    return server->call("GET", "/v1/runs?state=finished", token()).body.find("Say hello.") !=
           std::string::npos;
  };
  ASSERT_TRUE(wait_for(finished));
  const auto waits =
      server->call("POST", "/v1/runs", token(),
                   R"({"message":"read the file a.txt","approve":"ask","working_folder":")" +
                       dir_.path() + "\"}");
  ASSERT_EQ(waits.status, 201) << waits.body;
  const auto state_is = [&](const std::string& state) {
    return wait_for([&] {
      return server->call("GET", "/v1/runs?state=" + state, token()).body.find("a.txt") !=
             std::string::npos;
    });
  };
  ASSERT_TRUE(state_is("waiting"));
  server->signal(SIGKILL);
  server->wait();
  server = serve();
  EXPECT_TRUE(state_is("interrupted"));
  EXPECT_TRUE(finished());
}

TEST_F(DatabaseTest, Commands_ReadTheDatabaseOfTheRunningServer) {
  const auto server = serve();
  const auto asking = server->start("POST", "/v1/interactions", token(), kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(*server); }));
  ASSERT_EQ(server->call("POST", "/v1/interactions/k/answer", token(), R"({"text":"Yes"})").status,
            200);
  const Ran exported = run_command({"export"});
  EXPECT_EQ(exported.status, 0) << exported.errors;
  EXPECT_THAT(exported.out, AllOf(HasSubstr("Deploy?"), HasSubstr("interaction.closed")));
  const Ran verified = run_command({"verify"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.errors;
  EXPECT_THAT(verified.out, HasSubstr("1 decision"));
  const Ran created = run_command({"token", "create", "--name", "laptop"});
  EXPECT_EQ(created.status, 0) << created.errors;
  std::string text = created.out;
  while (text.ends_with('\n')) text.pop_back();
  EXPECT_TRUE(wait_for([&] { return server->call("GET", "/v1/me", text).status == 200; }));
  const Ran doctor = run_command({"doctor"});
  EXPECT_EQ(doctor.status, 8) << "the PostgreSQL of the tests does not wait for the disk";
  EXPECT_THAT(doctor.out,
              AllOf(HasSubstr("PostgreSQL 1"), HasSubstr("FAULT    durability       fsync is off"),
                    HasSubstr("no synchronous one"), HasSubstr("parley_tokens"),
                    HasSubstr("events in order"), Not(HasSubstr("events.db"))));
}

// The first machine is lost with its disk: a second one goes on for its users and its agents.
TEST_F(DatabaseTest, OtherMachine_HasTheSecretsAndATokenOfTheSameWorkspace) {
  const auto machine = [&](const std::string& data) {
    return std::vector<std::string>{"--listen",    "127.0.0.1:0", "--data", dir_.file(data),
                                    "--store-url", url_,          "--tls",  "auto"};
  };
  auto server = std::make_unique<Server>(dir_, machine("data"));
  const std::string first = token();
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  server = std::make_unique<Server>(dir_, machine("other"));
  for (const std::string name : {"mcp.key", "vapid.pem", "authority.pem", "authority.key"}) {
    const std::string created = read_file(dir_.file("data/" + name));
    EXPECT_FALSE(created.empty()) << name;
    EXPECT_EQ(read_file(dir_.file("other/" + name)), created) << name;
    EXPECT_FALSE(std::filesystem::exists(dir_.file("other/" + name + ".before")));
  }
  EXPECT_NE(read_file(dir_.file("other/token")), first + "\n");
  // A computer whose data directory is lost at each start has one token, and not one for each
  // start.
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  server = std::make_unique<Server>(dir_, machine("third"));
  const Ran list =
      run(dir_, {"token", "list", "--json", "--data", dir_.file("third"), "--store-url", url_});
  std::size_t valid = 0;
  std::set<std::string> workspaces;
  const boost::json::value tokens = boost::json::parse(list.out);
  for (const boost::json::value& each : tokens.as_array()) {
    if (each.at("state").as_string() == "valid") ++valid;
    workspaces.emplace(each.at("workspace").as_string());
  }
  EXPECT_EQ(valid, 2U) << list.out;
  EXPECT_EQ(workspaces.size(), 1U) << list.out;
}

// A data directory moves into a database, and back into another data directory.
TEST_F(DatabaseTest, Import_CopiesAll_BothWays) {
  const std::vector<std::string> files = {"--listen", "127.0.0.1:0", "--data", dir_.file("data")};
  auto server = std::make_unique<Server>(dir_, files);
  const std::string first = token();
  EXPECT_EQ(add_user(dir_, "ann@example.org", "Ann", "correct horse 1").status, 0);
  const auto asking = server->start("POST", "/v1/interactions", first, kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(*server); }));
  ASSERT_EQ(server->call("POST", "/v1/interactions/k/answer", first, R"({"text":"Yes"})").status,
            200);
  const Ran busy = run_command({"import"});
  EXPECT_EQ(busy.status, 6) << busy.errors;
  EXPECT_THAT(busy.errors, HasSubstr("is in use"));
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  const std::string history = run(dir_, {"export", "--data", dir_.file("data")}).out;
  EXPECT_THAT(history, HasSubstr("Deploy?"));

  const Ran imported = run_command({"import"});
  EXPECT_EQ(imported.status, 0) << imported.errors;
  EXPECT_THAT(imported.out, AllOf(HasSubstr("tokens"), HasSubstr("events"), HasSubstr("the same")));
  EXPECT_EQ(run_command({"export"}).out, history);
  server = serve();
  EXPECT_EQ(server->call("GET", "/v1/me", first).status, 200);
  EXPECT_FALSE(server->log_in("ann@example.org", "correct horse 1").is_null());
  const auto second = server->start("POST", "/v1/interactions", first,
                                    R"({"key":"l","prompt":{"text":"Deploy? Again"}})");
  ASSERT_TRUE(wait_for([&] { return is_asked(*server); }));
  ASSERT_EQ(server->call("POST", "/v1/interactions/l/answer", first, R"({"text":"Yes"})").status,
            200);
  server->signal(SIGTERM);
  EXPECT_EQ(server->wait(), 0);
  EXPECT_THAT(run_command({"verify"}).out, HasSubstr("2 decisions"));

  EXPECT_NE(run_command({"import"}).status, 0) << "a database with sessions is not replaced";
  auto database = sql::Database::connect({url_, "parley_events"});
  ASSERT_TRUE(database);
  ASSERT_TRUE(database->execute("UPDATE parley_events.parley_version SET version = 5"));
  EXPECT_NE(run_command({"import"}).status, 0) << "nor is one of another version";
  ASSERT_TRUE(database->execute("UPDATE parley_events.parley_version SET version = 6"));
  const Ran back = run(dir_, {"import", "--from", url_, "--data", dir_.file("back"), "--json"});
  EXPECT_EQ(back.status, 0) << back.errors;
  EXPECT_EQ(run(dir_, {"export", "--data", dir_.file("back")}).out, run_command({"export"}).out);
  EXPECT_THAT(run(dir_, {"verify", "--data", dir_.file("back")}).out, HasSubstr("2 decisions"));
  const std::string key = read_file(dir_.file("data/vapid.pem"));
  EXPECT_FALSE(key.empty());
  EXPECT_EQ(read_file(dir_.file("back/vapid.pem")), key);
  const Ran doctor = run(dir_, {"doctor", "--data", dir_.file("back")});
  EXPECT_EQ(doctor.status, 0) << doctor.out;
}

TEST_F(DatabaseTest, Migrate_SaysWhatTheNextVersionWouldDo_AndDoesIt) {
  EXPECT_THAT(run_command({"migrate", "--check"}).out,
              AllOf(HasSubstr("parley_events"), HasSubstr("missing")));
  serve();
  const Ran current = run_command({"migrate", "--check"});
  EXPECT_EQ(current.status, 0) << current.out;
  EXPECT_THAT(current.out, HasSubstr("Nothing is to be migrated."));
  auto database = sql::Database::connect({url_, "parley_loom"});
  ASSERT_TRUE(database);
  const auto set = [&database](const std::string& store, int version) {
    ASSERT_TRUE(database->execute(
        ("UPDATE parley_" + store + ".parley_version SET version = " + std::to_string(version))
            .c_str()));
  };
  ASSERT_TRUE(database->execute("DROP TABLE parley_front_end.file_parts"));
  set("front_end", 1);
  const Ran older = run_command({"migrate", "--check"});
  EXPECT_EQ(older.status, 1);
  EXPECT_THAT(older.out,
              AllOf(HasSubstr("version 1, this program knows 2"), HasSubstr("1 to be migrated")));
  const auto server = serve();
  EXPECT_EQ(run_command({"migrate", "--check"}).status, 0) << "a start migrates";
  ASSERT_TRUE(database->execute("DROP TABLE parley_front_end.file_parts"));
  set("front_end", 1);
  const Ran migrated = run_command({"migrate"});
  EXPECT_EQ(migrated.status, 0) << migrated.errors << migrated.out;
  EXPECT_THAT(migrated.out, HasSubstr("version 2, migrated")) << "beside a server";
  EXPECT_EQ(*database->count("SELECT count(*) FROM parley_front_end.file_parts"), 0U);
  set("loom", 99);
  const Ran newer = run_command({"migrate", "--check", "--json"});
  EXPECT_EQ(newer.status, 8);
  EXPECT_THAT(newer.out, AllOf(HasSubstr(R"("state":"refused")"), HasSubstr("A newer Parley")));
}

TEST_F(EndingDatabase, QuestionStaysOpen_WhileDatabaseIsAway) {
  const auto server = serve();
  const auto asking = server->start("POST", "/v1/interactions", token(), kAsk);
  ASSERT_TRUE(wait_for([&] { return is_asked(*server); }));
  postgres_->kill();
  ASSERT_TRUE(wait_for([&] { return server->call("GET", "/readyz", "").status == 503; }));
  EXPECT_THAT(server->call("GET", "/readyz", "").body, HasSubstr("database"));
  EXPECT_EQ(server->call("GET", "/healthz", "").status, 200);
  const auto answered =
      server->start("POST", "/v1/interactions/k/answer", token(), R"({"text":"Yes"})");
  EXPECT_EQ(server->call("GET", "/v1/interactions/k", token()).status, 503) << "reads fail";
  postgres_->start();
  EXPECT_EQ(answered->head(in_ms(kPatience))->status, 200);
  EXPECT_THAT(server->call("POST", "/v1/interactions", token(), kAsk).body, HasSubstr("Yes"));
  EXPECT_TRUE(wait_for([&] { return server->call("GET", "/readyz", "").status == 200; }));
}

TEST_F(EndingDatabase, StartWithoutDatabase_SaysSo_WithoutThePassword) {
  postgres_->kill();
  const std::string url = "postgresql://parley:its-secret@127.0.0.1:1/parley";
  const Ran ran = run(
      dir_, {"serve", "--listen", "127.0.0.1:0", "--data", dir_.file("data"), "--store-url", url});
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.errors,
              AllOf(HasSubstr("cannot open its stores"), HasSubstr("The database does not answer"),
                    HasSubstr("127.0.0.1"), Not(HasSubstr("its-secret"))));
  const Ran doctor = run(dir_, {"doctor", "--data", dir_.file("data"), "--store-url", url});
  EXPECT_NE(doctor.status, 0);
  EXPECT_THAT(doctor.out,
              AllOf(HasSubstr("The database does not answer"), Not(HasSubstr("its-secret"))));
  const Ran shown = run(dir_, {"config", "show", "--store-url", url});
  EXPECT_THAT(shown.out, AllOf(HasSubstr("url = \"********\""), Not(HasSubstr("its-secret"))));
}

}  // namespace
}  // namespace parley::tests
