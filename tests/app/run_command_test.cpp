// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// `parley run`, `parley session` and `parley tool` as scripts use them: on pipes.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "program.h"

namespace parley::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RunCommand : public ::testing::Test {
 protected:
  RunCommand() { std::ofstream(dir_.file("a.txt")) << "the rain in Spain\n"; }

  Ran parley(std::vector<std::string> words) {
    words.insert(words.end(), {"--data", dir_.file("data")});
    return run(dir_, std::move(words));
  }
  // With `input` on stdin.
  Ran parley(std::vector<std::string> words, const std::string& input) {
    words.insert(words.end(), {"--data", dir_.file("data")});
    Ran ran;
    auto process = conformance::Process::start(command(dir_, std::move(words)));
    EXPECT_TRUE((*process)->write_all(input, in_ms(kPatience)));
    (*process)->close_input();
    while ((*process)->read_some(ran.out, in_ms(kPatience)).value_or(false)) {
    }
    ran.status = (*process)->wait(in_ms(kPatience)).value_or(-1);
    ran.errors = (*process)->errors();
    return ran;
  }
  static std::vector<boost::json::value> frames(const std::string& text) {
    std::vector<boost::json::value> out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) out.push_back(boost::json::parse(line));
    return out;
  }
  static boost::json::value json(const Ran& ran) { return boost::json::parse(ran.out); }
  std::vector<std::string> serve() const {
    return {"--listen", "127.0.0.1:0", "--data", dir_.file("data"), "--token", "test-token"};
  }

  const core::TempFolder dir_;
};

TEST_F(RunCommand, Tools_AreListedAsModelsSeeThem) {
  const Ran list = parley({"tool", "list", "--json"});
  ASSERT_EQ(list.status, 0) << list.errors;
  bool found = false;
  const boost::json::value tools = json(list);
  for (const boost::json::value& tool : tools.as_array()) {
    EXPECT_EQ(tool.as_object().size(), 3U);
    EXPECT_TRUE(tool.at("description").is_string());
    EXPECT_EQ(tool.at("input_schema").at("type"), "object");
    found = found || tool.at("name") == "read";
  }
  EXPECT_TRUE(found);
  const Ran people = parley({"tool", "list"});
  EXPECT_EQ(people.status, 0);
  EXPECT_THAT(people.out, HasSubstr("\nwrite_file       ask       Writes"));
  EXPECT_THAT(people.out, HasSubstr("\nweb_fetcher      auto/ask  Fetches"));
  EXPECT_THAT(people.out, HasSubstr("  [ask: the method is not GET]\n"));
  EXPECT_THAT(people.out, HasSubstr("\ninvoke_agent     auto      Lets"));
}

TEST_F(RunCommand, Tool_IsShownAsYamlOrJson) {
  const Ran yaml = parley({"tool", "show", "read"});
  EXPECT_EQ(yaml.status, 0);
  EXPECT_THAT(yaml.out, StartsWith("name: \"read\"\n"));
  EXPECT_EQ(parley({"tool", "show", "read", "--output", "yaml"}).out, yaml.out);
  const Ran shown = parley({"tool", "show", "read", "--json"});
  EXPECT_EQ(json(shown).at("name"), "read");
  EXPECT_EQ(parley({"tool", "show", "read", "--output", "json"}).out, shown.out);
  const Ran none = parley({"tool", "show", "nope"});
  EXPECT_EQ(none.status, 1);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.errors, HasSubstr("There is no tool \"nope\""));
  EXPECT_THAT(none.errors, HasSubstr("parley tool list"));
  EXPECT_EQ(parley({"tool", "list", "--cwd", dir_.file("none")}).status, 2);
}

TEST_F(RunCommand, Sessions_AreListedShownAndDeleted) {
  ASSERT_EQ(parley({"run", "--session", "s1", "read the file a.txt"}).status, 0);
  ASSERT_EQ(parley({"run", "--session", "s1", "list the files here"}).status, 0);
  const boost::json::value all = json(parley({"session", "list", "--json"}));
  ASSERT_EQ(all.as_array().size(), 1U);
  EXPECT_EQ(all.at(0).at("session_id"), "s1");
  for (const char* name : {"checkpoint_count", "created_at", "last_updated", "latest_step"}) {
    EXPECT_GT(all.at(0).at(name).to_number<std::int64_t>(), 0) << name;
  }
  EXPECT_EQ(all.at(0).at("latest_source"), "loop");
  const boost::json::value one = json(parley({"session", "show", "s1", "--json"}));
  EXPECT_GT(one.at("message_count").to_number<int>(), 4);
  EXPECT_EQ(one.at("first_user_message"), "read the file a.txt");
  EXPECT_THAT(std::string(one.at("last_assistant_reply").as_string()), HasSubstr("a.txt"));
  EXPECT_THAT(parley({"session", "show", "s1"}).out, HasSubstr("first said:   read the file"));
  const Ran gone = parley({"session", "delete", "s1", "--json"});
  EXPECT_EQ(gone.status, 0) << gone.errors;
  EXPECT_EQ(json(gone).at("session_id"), "s1");
  EXPECT_EQ(json(gone).at("deleted_checkpoints"), all.at(0).at("checkpoint_count"));
  EXPECT_TRUE(json(parley({"session", "list", "--json"})).as_array().empty());
  for (const char* word : {"show", "delete"}) {
    const Ran none = parley({"session", word, "s1"});
    EXPECT_EQ(none.status, 1);
    EXPECT_THAT(none.errors, HasSubstr("There is no session \"s1\""));
  }
}

TEST_F(RunCommand, SessionWithWaitingRun_IsNotDeleted) {
  const Server server(dir_, serve());
  const auto begun = server.call(
      "POST", "/v1/runs", "test-token",
      R"({"message":"read the file a.txt","session_id":"s1","approve":"ask","working_folder":")" +
          dir_.path() + "\"}");
  ASSERT_EQ(begun.status, 201) << begun.body;
  const Ran refused = parley({"session", "delete", "s1"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.errors, HasSubstr("goes on"));
  const std::string id(begun.json().at("id").as_string());
  EXPECT_EQ(server.call("POST", "/v1/runs/" + id + "/cancel", "test-token", "{}").status, 200);
  EXPECT_EQ(parley({"session", "delete", "s1"}).status, 0);
}

TEST_F(RunCommand, EveryKindOfAgent_PassesOwnCheck) {
  std::ofstream(dir_.file("b.txt")) << "stays mainly in the plain\n";
  const std::string explore = R"({"agent":"explore","task":"Read the file )";
  const std::string both =
      "invoke_agent {\"agents\":[" + explore + "a.txt\"}," + explore + "b.txt\"}]}";
  int number = 0;
  for (const char* kind : {"react", "dup", "tot", "got", "agot"}) {
    for (const char* form : {"--json", "--export"}) {
      for (const std::string& message : {both, std::string("compare a.txt and b.txt")}) {
        const std::string file = dir_.file(std::to_string(++number) + ".ndjson");
        const Ran ran = parley({"run", form, "--agent", kind, "--file", file, message});
        ASSERT_EQ(ran.status, 0) << ran.errors;
        const Ran checked = run(dir_, {"events", file, "--check"});
        EXPECT_EQ(checked.status, 0) << kind << " " << form << " " << message << checked.out;
      }
    }
  }
}

TEST_F(RunCommand, Stream_GoesOnlyToNewFile) {
  const std::string file = dir_.file("run.ndjson");
  const Ran first = parley({"run", "--json", "--file", file, "read the file a.txt"});
  ASSERT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(first.out, "");
  EXPECT_EQ(mode_of(file), 0600U);
  const auto lines = frames(read_file(file));
  EXPECT_EQ(lines.front().at("type"), "run_start");
  EXPECT_EQ(lines.back().at("stop_reason"), "end_turn");
  EXPECT_EQ(run(dir_, {"events", file, "--check"}).status, 0);
  const Ran again = parley({"run", "--json", "--file", file, "read the file a.txt"});
  EXPECT_EQ(again.status, 2);
  EXPECT_THAT(again.errors, HasSubstr("--append"));
  EXPECT_EQ(frames(read_file(file)).size(), lines.size()) << "it is as it was";
  const Ran added = parley({"run", "--file", file, "--append", "read the file a.txt"});
  EXPECT_EQ(added.status, 0);
  EXPECT_THAT(added.out, HasSubstr("the rain in Spain")) << "people still read the run";
  EXPECT_EQ(frames(read_file(file)).size(), 2 * lines.size());
}

TEST_F(RunCommand, Frames_HaveTimesOnRequest) {
  const Ran timed = parley({"run", "--json", "--timestamp", "list the files here"});
  ASSERT_EQ(timed.status, 0) << timed.errors;
  for (const boost::json::value& frame : frames(timed.out)) {
    EXPECT_GT(frame.at("at").to_number<std::int64_t>(), 1'600'000'000'000);
  }
  const Ran people = parley({"run", "--timestamp", "list the files here"});
  EXPECT_THAT(people.errors, ::testing::ContainsRegex("[0-9][0-9]:[0-9][0-9]:[0-9][0-9]   .+ ls"));
}

TEST_F(RunCommand, DryRun_TouchesNothing_AsksNobody) {
  const Ran dry = parley({"run", "--dry", "--json", "write \"hello\" to the file b.txt"});
  EXPECT_EQ(dry.status, 0) << dry.errors;
  EXPECT_THAT(dry.out, HasSubstr("(dry run: write_file was not executed)"));
  EXPECT_FALSE(std::filesystem::exists(dir_.file("b.txt")));
  EXPECT_EQ(parley({"run", "--dry", "--approve", "auto", "hello"}).status, 2);
}

TEST_F(RunCommand, UnstartableRun_IsToldToPrograms) {
  const Ran refused = parley({"run", "--json", "--agent", "nosuch", "hello"});
  EXPECT_EQ(refused.status, 2);
  const auto lines = frames(refused.out);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].at("stop_reason"), "error");
  EXPECT_EQ(lines[0].at("code"), "not_found");
  EXPECT_EQ(lines[0].at("field"), "agent");
}

TEST_F(RunCommand, UnreadableProfile_IsToldToCaller) {
  const std::string work = dir_.file("work");
  std::filesystem::create_directories(work + "/.loom/agents");
  std::ofstream(work + "/.loom/agents/broken.yaml") << "a: [";
  const Ran named = parley({"run", "--cwd", work, "--agent", "broken", "Hello"});
  EXPECT_EQ(named.status, 2);
  EXPECT_THAT(named.errors, HasSubstr("work/.loom/agents/broken.yaml: "));
  for (const char* form : {"--timestamp", "--json"}) {
    const Ran other = parley({"run", "--cwd", work, form, "Hello"});
    EXPECT_EQ(other.status, 0) << other.errors;
    EXPECT_THAT(other.errors, HasSubstr("! A profile cannot be read: ")) << form;
    EXPECT_THAT(other.errors, HasSubstr("broken.yaml: ")) << form;
  }
}

TEST_F(RunCommand, McpServersOfFile_NeedOwnServer) {
  const std::string file = dir_.file("servers.json");
  std::ofstream(file) << R"({"mcpServers":{"test":{"command":")" << MCP_TEST_SERVER << "\"}}}";
  EXPECT_EQ(parley({"run", "--mcp-config", dir_.file("none.json"), "hello"}).status, 2);
  // The demonstration lists the names of the tools when it cannot do a task.
  const Ran own = parley({"run", "--mcp-config", file, "sing a song"});
  EXPECT_EQ(own.status, 0) << own.errors;
  EXPECT_THAT(own.out, HasSubstr("`echo`"));
  EXPECT_THAT(parley({"run", "sing a song"}).out, Not(HasSubstr("`echo`")));
  const Server server(dir_, serve());
  const Ran others = parley({"run", "--mcp-config", file, "hello"});
  EXPECT_EQ(others.status, 2);
  EXPECT_THAT(others.errors, HasSubstr("Another server uses the data directory"));
}

TEST_F(RunCommand, LinesOfPipe_AreRunsOfSameSession) {
  const Ran ran = parley({"run", "-i", "--json"},
                         "read the file a.txt\n\n/session\nlist the files here\nquit\n");
  EXPECT_EQ(ran.status, 0) << ran.errors;
  std::vector<std::string> sessions;
  for (const boost::json::value& frame : frames(ran.out)) {
    if (frame.as_object().contains("reply")) {
      sessions.emplace_back(frame.at("session_id").as_string());
    }
  }
  ASSERT_EQ(sessions.size(), 2U) << "nothing but frames on stdout";
  EXPECT_EQ(sessions[0], sessions[1]);
  EXPECT_THAT(ran.errors, HasSubstr(sessions[0]));
  EXPECT_THAT(ran.errors, HasSubstr("Bye."));
}

TEST_F(RunCommand, Lines_EndWithCodeOfLastRun) {
  const Ran quit = parley({"run", "-i"}, "quit\n");
  EXPECT_EQ(quit.status, 0);
  EXPECT_EQ(quit.out, "Bye.\n");
  EXPECT_EQ(parley({"run", "-i", "--agent", "nosuch"}, "hello\n").status, 2);
  EXPECT_EQ(parley({"run", "-i"}, "").status, 0);
  const Ran begun = parley({"run", "-i", "read the file a.txt"}, "/compact\n/summarize\n/help\n");
  EXPECT_EQ(begun.status, 0);
  EXPECT_THAT(begun.out, HasSubstr("the rain in Spain"));
  EXPECT_THAT(begun.out, HasSubstr("cannot summarise"));
  EXPECT_THAT(begun.out, HasSubstr("/compact [HINT]"));
  EXPECT_EQ(parley({"run", "-i", "-"}, "hello\n").status, 2);
}

}  // namespace
}  // namespace parley::tests
