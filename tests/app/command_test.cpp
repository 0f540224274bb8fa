// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "base/core/temp_folder.h"
#include "base/sql/database.h"
#include "program.h"
#include "terminal_program.h"

namespace parley::tests {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST(Command, Help_BeginsWithExample) {
  const core::TempFolder dir;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{},
                                                                                     {"serve"},
                                                                                     {"token"},
                                                                                     {"user"},
                                                                                     {"export"},
                                                                                     {"models"},
                                                                                     {"run"},
                                                                                     {"events"},
                                                                                     {"session"},
                                                                                     {"agent"},
                                                                                     {"tool"},
                                                                                     {"doctor"},
                                                                                     {"config"},
                                                                                     {"ask"},
                                                                                     {"setup"}}) {
    std::vector<std::string> arguments = words;
    arguments.emplace_back("--help");
    const Ran help = run(dir, arguments);
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, StartsWith("Example:"));
  }
}

TEST(Command, Version_IsSingleLine) {
  const core::TempFolder dir;
  const Ran version = run(dir, {"version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, ::testing::MatchesRegex("parley [0-9]+\\.[0-9]+\\.[0-9]+\n"));
  const std::string number = version.out.substr(7);
  EXPECT_EQ(run(dir, {"-v"}).out, number);
  EXPECT_EQ(run(dir, {"--version"}).out, number);
  EXPECT_EQ(run(dir, {"version", "--json"}).out,
            "{\"version\":\"" + number.substr(0, number.size() - 1) + "\"}\n");
}

TEST(Command, HelpWord_ShowsSameTextAsFlag) {
  const core::TempFolder dir;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {"serve"}, {"token", "create"}, {"hook"}, {"mcp"}, {"mcp", "add"}, {"help"}}) {
    std::vector<std::string> by_word = words;
    by_word.insert(by_word.begin(), "help");
    std::vector<std::string> by_flag = words;
    by_flag.emplace_back("--help");
    const Ran help = run(dir, by_word);
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, Not(::testing::IsEmpty()));
    EXPECT_EQ(help.out, run(dir, by_flag).out);
  }
  EXPECT_EQ(run(dir, {"help", "sreve"}).status, 2);
}

TEST(Command, ListOfCommands_SaysWhatEachDoes) {
  const core::TempFolder dir;
  const Ran help = run(dir, {"--help"});
  // The example of the program itself is the only one.
  EXPECT_EQ(help.out.find("Example", 1), std::string::npos);
  EXPECT_THAT(help.out, HasSubstr("Runs the server.\n"));
}

TEST(Command, ServeHelp_ShowsFewFlagsAndNamesTheRest) {
  const core::TempFolder dir;
  const auto flags = [](const std::string& text) {
    std::istringstream lines(text);
    int count = 0;
    for (std::string line; std::getline(lines, line);) count += line.starts_with("  -") ? 1 : 0;
    return count;
  };
  const Ran brief = run(dir, {"serve", "--help"});
  EXPECT_LE(flags(brief.out), 12);
  EXPECT_THAT(brief.out, AllOf(HasSubstr("--listen"), HasSubstr("`parley serve --help-all`")));
  const Ran all = run(dir, {"serve", "--help-all"});
  EXPECT_GT(flags(all.out), 90);
  EXPECT_THAT(all.out, HasSubstr("--retention-max-age"));
  EXPECT_THAT(run(dir, {"run", "--help-all"}).out, Not(HasSubstr("Excludes")));
}

TEST(Command, WrongWord_GetsNearestNameAndExactHelp) {
  const core::TempFolder dir;
  const auto said = [&dir](const std::vector<std::string>& words) {
    const Ran ran = run(dir, words);
    EXPECT_EQ(ran.status, 2) << ran.errors;
    EXPECT_EQ(ran.out, "");
    return ran.errors;
  };
  EXPECT_THAT(said({"serv"}),
              AllOf(HasSubstr("Did you mean serve?"), HasSubstr("`parley --help`")));
  EXPECT_THAT(said({"--verison"}), HasSubstr("Did you mean --version?"));
  EXPECT_THAT(said({"ask", "--tiemout", "3", "x"}),
              AllOf(HasSubstr("Did you mean --timeout?"), HasSubstr("`parley ask --help`")));
  EXPECT_THAT(said({"token", "creat"}), HasSubstr("Did you mean create?"));
  EXPECT_THAT(said({"setup", "claud"}), HasSubstr("Did you mean \"claude\"?"));
  EXPECT_THAT(said({"token"}), HasSubstr("`parley token --help`"));
  EXPECT_THAT(said({"ask"}), AllOf(HasSubstr("question"), HasSubstr("`parley ask --help`")));
}

TEST(Command, RenamedToken_IsTold) {
  const core::TempFolder dir;
  const std::string data = "--data=" + dir.file("data");
  ASSERT_EQ(run(dir, {"token", "create", "--name", "a", data}).status, 0);
  EXPECT_EQ(run(dir, {"token", "rename", "a", "b", data}).out, "renamed a to b\n");
  const Ran json = run(dir, {"token", "rename", "b", "c", "--json", data});
  EXPECT_EQ(json.status, 0) << json.errors;
  EXPECT_EQ(boost::json::parse(json.out), (boost::json::value{{"renamed", "b"}, {"name", "c"}}));
}

// An agent reads no word of it (tests/hook/process.test.js).
TEST(Command, MistypedAgentOfAHook_IsExplainedAtATerminal) {
  const core::TempFolder dir;
  TerminalProgram hook(dir, {"hook", "clade"}, 120);
  EXPECT_TRUE(hook.shows("Did you mean \"claude\"?"));
  EXPECT_TRUE(hook.shows("`parley hook --help`"));
  EXPECT_EQ(hook.wait(), 0);
  const Ran piped = run(dir, {"hook", "clade"}, "{}");
  EXPECT_EQ(piped.status, 0);
  EXPECT_EQ(piped.out + piped.errors, "");
}

TEST(Command, UnknownCommand_IsAnsweredInThreeLines) {
  const core::TempFolder dir;
  const Ran ran = run(dir, {"sreve"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(std::count(ran.errors.begin(), ran.errors.end(), '\n'), 3);
  EXPECT_THAT(ran.errors, HasSubstr("sreve"));
}

// Nothing is written: the home directory is the real one.
TEST(SetupCommand, WrongUsage_NamesTheFault) {
  const core::TempFolder dir;
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"setup", "emacs"},
                                             {"setup", "claude", "--shared"},
                                             {"setup", "--remove", "--show"},
                                             {"setup", "--project", dir.file("none"), "claude"}}) {
    const Ran ran = run(dir, words);
    EXPECT_EQ(ran.status, 2) << words.back();
    EXPECT_THAT(ran.errors, HasSubstr("not valid"));
    EXPECT_EQ(ran.out, "");
  }
}

TEST(SetupCommand, Project_MayBeLeftOut) {
  const core::TempFolder dir;
  const Ran ran = run(dir, {"setup", "--show", "--json", "--project", "kiro"});
  EXPECT_EQ(ran.status, 0) << ran.errors;
  EXPECT_THAT(ran.out, HasSubstr("\"agent\":\"kiro\""));
  EXPECT_THAT(ran.out, Not(HasSubstr("\"agent\":\"zed\"")));
}

TEST(Command, AgentassistantSrvName_StartsServer) {
  const core::TempFolder dir;
  const auto name = std::filesystem::path(PARLEY_PROGRAM).parent_path() / "agentassistant-srv";
  auto start = command(dir, {"--listen", "127.0.0.1:0", "--data", dir.file("data")});
  start.command.front() = name.string();
  auto process = conformance::Process::start(start);
  ASSERT_TRUE(process.has_value());
  std::string out;
  ASSERT_TRUE((*process)->read_some(out, in_ms(kPatience)).value_or(false));
  EXPECT_THAT(out, StartsWith("ready http://127.0.0.1:"));
  (*process)->signal(SIGTERM);
  EXPECT_EQ((*process)->wait(in_ms(kPatience)).value_or(-1), 0);
}

// Another server uses the port of the file, so the program's message must name it.
TEST(Command, AgentassistantSrv_TakesPortFromItsFile) {
  const core::TempFolder other;
  const Server taken(other, {"--listen", "127.0.0.1:0"});
  const core::TempFolder dir;
  write_file(dir.file("agentassistant-mcp.toml"),
             "agentassistant_server_port = " + taken.port() + "\n");
  const auto name = std::filesystem::path(PARLEY_PROGRAM).parent_path() / "agentassistant-srv";
  auto start = command(dir, {});
  start.command = {name.string()};
  const auto refused = conformance::Process::start(start);
  ASSERT_TRUE(refused.has_value());
  EXPECT_NE((*refused)->wait(in_ms(kPatience)).value_or(0), 0);
  EXPECT_THAT((*refused)->errors(), HasSubstr("127.0.0.1:" + taken.port()));
}

TEST(ConfigCommand, Check_NamesFileLineAndNearestKey) {
  const core::TempFolder dir;
  const std::string file = dir.file("parley.toml");
  write_file(file, "shards = 1\n[log]\nlevle = \"info\"\n");
  const Ran wrong = run(dir, {"config", "check", file});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.out, HasSubstr(file + ", line 3"));
  EXPECT_THAT(wrong.out, HasSubstr("log.level"));
  write_file(file, "shards = 1\n");
  EXPECT_EQ(run(dir, {"config", "check", file}).status, 0);
  EXPECT_EQ(run(dir, {"config", "check", dir.file("none.toml")}).status, 2);
}

TEST(ConfigCommand, Show_TellsSourceOfValue_HidesSecrets) {
  const core::TempFolder dir;
  const Ran shown = run(dir, {"config", "show", "--shards", "3", "--token", "very-secret"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, HasSubstr("shards = 3  # flag --shards"));
  EXPECT_THAT(shown.out, Not(HasSubstr("very-secret")));
}

TEST(ConfigCommand, Json_HasValuesOriginsAndFaults) {
  const core::TempFolder dir;
  const Ran shown =
      run(dir, {"config", "show", "--json", "--shards", "3", "--token", "very-secret"});
  EXPECT_EQ(shown.status, 0);
  EXPECT_THAT(shown.out, Not(HasSubstr("very-secret")));
  const boost::json::value config = boost::json::parse(shown.out);
  bool found = false;
  for (const boost::json::value& row : config.at("settings").as_array()) {
    if (row.at("key") != "shards") continue;
    found = true;
    EXPECT_EQ(row.at("value"), "3");
    EXPECT_EQ(row.at("origin"), "flag --shards");
  }
  EXPECT_TRUE(found);
  const std::string file = dir.file("parley.toml");
  write_file(file, "[log]\nlevle = \"info\"\n");
  const Ran wrong = run(dir, {"config", "check", "--json", file});
  EXPECT_EQ(wrong.status, 2);
  const boost::json::value check = boost::json::parse(wrong.out);
  EXPECT_EQ(check.at("valid"), false);
  EXPECT_EQ(check.at("problems").as_array().size(), 1U);
}

TEST(ConfigCommand, UserFile_IsRead) {
  const core::TempFolder dir;
  std::filesystem::create_directories(dir.file("config/parley"));
  write_file(dir.file("config/parley/parley.toml"), "shards = 5\n");
  EXPECT_THAT(run(dir, {"config", "show"}).out, HasSubstr("shards = 5  # "));
}

TEST(TokenCommand, Token_IsMadeListedAndRevoked) {
  const core::TempFolder dir;
  const std::vector<std::string> data = {"--data", dir.file("data")};
  const auto token = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "token");
    words.insert(words.end(), data.begin(), data.end());
    return run(dir, words);
  };
  const Ran created = token({"create", "--name", "phone", "--expires", "30d"});
  ASSERT_EQ(created.status, 0) << created.errors;
  EXPECT_EQ(token({"create", "--name", "phone"}).status, 1);
  EXPECT_EQ(token({"create", "--name", "x", "--expires", "soon"}).status, 2);
  const Ran list = token({"list", "--json"});
  const boost::json::value tokens_json = boost::json::parse(list.out);
  const boost::json::array& tokens = tokens_json.as_array();
  ASSERT_EQ(tokens.size(), 1U);
  EXPECT_EQ(tokens[0].at("name"), "phone");
  EXPECT_EQ(tokens[0].at("state"), "valid");
  EXPECT_THAT(list.out, Not(HasSubstr(created.out.substr(0, created.out.size() - 1))));
  EXPECT_EQ(token({"revoke", "phone"}).status, 0);
  EXPECT_EQ(token({"revoke", "phone"}).status, 1);
  EXPECT_THAT(token({"list"}).out, HasSubstr("revoked"));
}

TEST(TokenCommand, SeveralNames_MakeTokenEach) {
  const core::TempFolder dir;
  const auto create = [&](std::vector<std::string> names) {
    names.insert(names.begin(), {"token", "create", "--data", dir.file("data"), "--name"});
    return run(dir, names);
  };
  const Ran created = create({"desk", "bench"});
  ASSERT_EQ(created.status, 0) << created.errors;
  EXPECT_EQ(std::count(created.out.begin(), created.out.end(), '\n'), 2);
  const Ran stopped = create({"hall", "bench", "door"});
  EXPECT_EQ(stopped.status, 1);
  EXPECT_THAT(stopped.errors, HasSubstr("\"bench\" was not created"));
  EXPECT_EQ(std::count(stopped.out.begin(), stopped.out.end(), '\n'), 1);
  EXPECT_THAT(run(dir, {"token", "list", "--data", dir.file("data")}).out,
              AllOf(HasSubstr("hall"), Not(HasSubstr("door"))));
}

TEST(UserCommand, User_IsMadeListedChangedAndDeleted) {
  const core::TempFolder dir;
  const auto user = [&dir](std::vector<std::string> words, const std::string& input = {}) {
    words.insert(words.begin(), "user");
    words.insert(words.end(), {"--data", dir.file("data")});
    return run(dir, words, input);
  };
  const Ran created = add_user(dir, "alice@example.org", "Alice", "correct horse 1", {"--admin"});
  ASSERT_EQ(created.status, 0) << created.errors;
  EXPECT_EQ(boost::json::parse(created.out).at("role"), "ADMIN");
  EXPECT_EQ(mode_of(dir.file("data/accounts.db")), 0600U);
  EXPECT_EQ(add_user(dir, "ALICE@example.org", "Other", "correct horse 1").status, 1);
  for (const auto& [email, name, password] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"alice", "Alice", "correct horse 1"},
           {"bob@example.org", "B", "correct horse 1"},
           {"bob@example.org", "Bob", "short"},
           {"bob@example.org", "Bob", "no digit in here"}}) {
    const Ran refused = add_user(dir, email, name, password);
    EXPECT_EQ(refused.status, 2) << email;
    EXPECT_THAT(refused.errors, Not(HasSubstr(password)));
  }
  EXPECT_EQ(user({"lock", "alice"}).status, 0);
  const Ran list = user({"list", "--json"});
  const boost::json::value users = boost::json::parse(list.out);
  ASSERT_EQ(users.as_array().size(), 1U);
  EXPECT_EQ(users.at(0).at("status"), "LOCKED");
  EXPECT_THAT(list.out, Not(HasSubstr("argon2")));
  EXPECT_EQ(user({"unlock", "1"}).status, 0);
  EXPECT_EQ(user({"role", "alice@example.org", "user"}).status, 0);
  EXPECT_EQ(user({"role", "alice@example.org", "king"}).status, 2);
  EXPECT_EQ(user({"password", "alice", "--password-stdin"}, "another horse 2\n").status, 0);
  EXPECT_EQ(user({"password", "alice", "--password-stdin"}).status, 2);
  EXPECT_THAT(user({"list"}).out, HasSubstr("alice@example.org  Alice  ACTIVE  USER  never"));
  EXPECT_EQ(user({"delete", "alice"}).status, 0);
  EXPECT_EQ(user({"delete", "alice"}).status, 1);
}

TEST(UserCommand, NoTerminal_PasswordIsReadFromStdin) {
  const core::TempFolder dir;
  const Ran ran =
      run(dir, {"user", "add", "a@example.org", "--name", "Al", "--data", dir.file("data")});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors, HasSubstr("--password-stdin"));
}

// A token and a login of the user with `--token` have the same workspace.
TEST(UserCommand, WorkspaceOfToken_IsShared) {
  const core::TempFolder dir;
  const Ran created = run(dir, {"token", "create", "--name", "phone", "--rights", "ask,answer,read",
                                "--data", dir.file("data")});
  ASSERT_EQ(created.status, 0);
  const std::string token = created.out.substr(0, created.out.find('\n'));
  ASSERT_EQ(add_user(dir, "a@example.org", "Al", "correct horse 1", {"--token", "phone"}).status,
            0);
  EXPECT_EQ(add_user(dir, "b@example.org", "Bo", "correct horse 1", {"--token", "phone"}).status,
            1);
  EXPECT_EQ(add_user(dir, "b@example.org", "Bo", "correct horse 1", {"--token", "no"}).status, 1);
  const Server server(dir, {"--listen", "127.0.0.1:0", "--data", dir.file("data")});
  const std::string login(server.log_in("al", "correct horse 1").at("accessToken").as_string());
  EXPECT_EQ(server.call("POST", "/v1/interactions", token, R"({"key":"k","prompt":{"text":"Go?"}})")
                .status,
            201);
  EXPECT_EQ(server.call("GET", "/v1/interactions/k", login).status, 200);
  EXPECT_EQ(server.call("POST", "/v1/interactions/k/answer", login, R"({"text":"yes"})").status,
            200);
}

// The protocol's own text says "1 seconds".
TEST(AskCommand, TimeOutOfOneSecond_IsSingular) {
  const core::TempFolder dir;
  const Server server(dir, {"--listen", "127.0.0.1:0", "--data", dir.file("data")});
  const Ran ran = run(dir, {"ask", "--timeout", "1", "--data", dir.file("data"), "Go?"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.errors, ::testing::EndsWith("after 1 second\n"));
}

TEST(ExportCommand, RunningServer_EachEventIsExportedOnce) {
  const core::TempFolder dir;
  const Server server(
      dir, {"--listen", "127.0.0.1:0", "--data", dir.file("data"), "--token", "test-token"});
  server.call("POST", "/v1/interactions", "test-token", R"({"key":"k","prompt":{"text":"Go?"}})");
  server.call("POST", "/v1/interactions/k/answer", "test-token", R"({"text":"yes"})");
  const Ran out = run(dir, {"export", "--data", dir.file("data")});
  ASSERT_EQ(out.status, 0) << out.errors;
  std::istringstream lines(out.out);
  int seq = 0;
  for (std::string line; std::getline(lines, line);) {
    const boost::json::value event = boost::json::parse(line);
    EXPECT_EQ(event.at("seq"), ++seq);
    EXPECT_THAT(std::string(event.at("at").as_string()),
                ::testing::MatchesRegex("[0-9-]+T[0-9:]+\\.[0-9]+Z"));
  }
  EXPECT_EQ(seq, 2);
  const std::string file = dir.file("history.jsonl");
  EXPECT_EQ(run(dir, {"export", "--data", dir.file("data"), "--out", file}).status, 0);
  EXPECT_EQ(read_file(file), out.out);
  EXPECT_EQ(run(dir, {"export", "--data", dir.file("data"), "--session", "no-such"}).status, 1);
}

TEST(ExportCommand, OutputFile_IsPrivateWhateverWasThere) {
  const core::TempFolder dir;
  {
    Server server(dir,
                  {"--listen", "127.0.0.1:0", "--data", dir.file("data"), "--token", "test-token"});
    server.signal(SIGTERM);
    ASSERT_EQ(server.wait(), 0);
  }
  const std::string file = dir.file("history.jsonl");
  const std::string other = dir.file("other.txt");
  std::ofstream(other) << "untouched";
  // A draft that somebody else left or planted is neither followed nor does its mode count.
  ASSERT_EQ(::symlink(other.c_str(), (file + ".part").c_str()), 0);
  const Umask open_to_all(0);
  for (int round = 0; round < 2; ++round) {
    const Ran ran = run(dir, {"export", "--data", dir.file("data"), "--out", file});
    ASSERT_EQ(ran.status, 0) << ran.errors;
    EXPECT_EQ(mode_of(file), 0600U);
    ASSERT_EQ(::chmod(file.c_str(), 0666), 0);
  }
  EXPECT_EQ(read_file(other), "untouched");
  EXPECT_THAT(run(dir, {"export", "--data", dir.file("data"), "--out", dir.path()}).errors,
              HasSubstr("It is a folder."));
}

TEST(ExportCommand, OutputIntoMissingFolder_NamesTheFolder) {
  const core::TempFolder dir;
  const Ran ran = run(dir, {"export", "--data", dir.file("data"), "--out", dir.file("no/h.jsonl")});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.errors,
              AllOf(HasSubstr("There is no folder " + dir.file("no")), Not(HasSubstr("disk"))));
}

TEST(ExportCommand, DirectoryWithoutHistory_IsError) {
  const core::TempFolder dir;
  const Ran ran = run(dir, {"export", "--data", dir.file("none")});
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.errors, HasSubstr("cannot be read"));
}

TEST(DoctorCommand, SoundAndDamagedDirectories_AreTold) {
  const core::TempFolder dir;
  {
    Server server(dir,
                  {"--listen", "127.0.0.1:0", "--data", dir.file("data"), "--token", "test-token"});
    server.call("POST", "/v1/interactions", "test-token", R"({"key":"k","prompt":{"text":"Go?"}})");
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
  }
  const Ran sound = run(dir, {"doctor", "--json", "--data", dir.file("data")});
  EXPECT_EQ(sound.status, 0) << sound.out;
  const boost::json::value findings = boost::json::parse(sound.out);
  // The agents are those of the computer that runs this test.
  bool in_data = false;
  for (const auto& finding : findings.as_array()) {
    if (finding.at("check") == "server") {
      EXPECT_EQ(finding.at("state"), "warning");
    }
    in_data = in_data || finding.at("check") == "data directory";
    if (in_data) {
      EXPECT_EQ(finding.at("state"), "ok") << boost::json::serialize(finding);
    }
  }
  EXPECT_TRUE(in_data);
  std::fstream database(dir.file("data/events.db"),
                        std::ios::in | std::ios::out | std::ios::binary);
  database.seekp(4'096);
  database << std::string(8'192, '\x5a');
  database.close();
  const Ran damaged = run(dir, {"doctor", "--data", dir.file("data")});
  EXPECT_EQ(damaged.status, 8);
  EXPECT_THAT(damaged.out, HasSubstr("FAULT"));
}

TEST(DoctorCommand, InteractionContradictingEvents_IsFound) {
  const core::TempFolder dir;
  {
    Server server(dir,
                  {"--listen", "127.0.0.1:0", "--data", dir.file("data"), "--token", "test-token"});
    server.call("POST", "/v1/interactions", "test-token", R"({"key":"k","prompt":{"text":"Go?"}})");
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
  }
  {
    auto database = sql::Database::open(dir.file("data/events.db"), sql::OpenMode::read_write);
    ASSERT_TRUE(database);
    ASSERT_TRUE(database->execute("UPDATE interactions SET state = 'answered'"));
  }
  const Ran ran = run(dir, {"doctor", "--data", dir.file("data")});
  EXPECT_EQ(ran.status, 8);
  EXPECT_THAT(ran.out, HasSubstr("state and events do not agree"));
}

}  // namespace
}  // namespace parley::tests
