// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/core/temp_folder.h"
#include "base/http_client/curl_fetcher.h"
#include "tests/support/http_client/scripted_server.h"
#include "tests/support/tool/test_scheduler.h"

//
// The MCP client against real servers: a program over stdio (testing/mcp_test_server.cpp), and one
// over HTTP on loopback.

namespace parley::tool {

namespace {

namespace fs = std::filesystem;
using http_client::ScriptedAnswer;
using http_client::ServedRequest;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::SizeIs;

// Made before any thread: ThreadSanitizer does not see the lock with which the library of spdlog,
// built without it, makes its logger at the first use.
[[maybe_unused]] const auto kLogger = spdlog::default_logger();

class McpToolsTest : public testing::Test {
 protected:
  McpToolsTest() {
    options_.config_path = (folder_ / "mcp.json").string();
    options_.program_environment = {"PATH=/usr/bin:/bin"};
    options_.server.client.initialize_timeout = std::chrono::seconds(10);
  }
  void configure(const std::string& servers) {
    std::ofstream(folder_ / "mcp.json") << R"({"mcpServers":{)" << servers << "}}";
  }
  // A program server of a kind, which records its events in a file of its name.
  std::string program(const std::string& name, const std::string& kind,
                      const std::string& more = "") {
    return "\"" + name + R"(":{"command":")" + MCP_TEST_SERVER + R"(","args":[")" + kind +
           R"(",")" + (folder_ / (name + ".notes")).string() + "\"]" + more + "}";
  }
  std::string notes(const std::string& name) {
    std::ifstream file(folder_ / (name + ".notes"));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  Toolbox toolbox() {
    if (!tools_) {
      tools_.emplace(builtin_, nullptr, options_, runner_, fetcher_, scheduler_);
    }
    std::optional<Toolbox> out;
    tools_->toolbox(folder_.string(), scheduler_,
                    [&out](core::Result<Toolbox> tools) { out = std::move(*tools); });
    EXPECT_TRUE(scheduler_.run_until([&out] { return out.has_value(); }));
    return out.value_or(Toolbox());
  }
  void begin(const ToolPtr& tool, const boost::json::object& arguments = {}) {
    ASSERT_TRUE(tool);
    result_.reset();
    shown_.clear();
    ToolContext context;
    context.scheduler = &scheduler_;
    context.cancel = cancel_.token();
    context.output = [this](std::string_view text) { shown_ += text; };
    tool->run(std::move(context), arguments, [this](ToolResult result) {
      EXPECT_FALSE(result_);
      result_ = std::move(result);
    });
    EXPECT_FALSE(result_);
  }
  ToolResult run(const ToolPtr& tool, const boost::json::object& arguments = {}) {
    begin(tool, arguments);
    EXPECT_TRUE(scheduler_.run_until([this] { return result_.has_value(); }));
    return result_.value_or(ToolResult{});
  }
  static std::vector<std::string> names(const Toolbox& tools) {
    std::vector<std::string> out;
    for (const ToolPtr& tool : tools.all()) out.push_back(tool->spec().name);
    return out;
  }

  core::TempFolder place_{"parley-mcp"};
  fs::path folder_ = place_.path();
  TestScheduler scheduler_;
  core::SystemClock clock_;
  ProcessRunner runner_;
  http_client::CurlFetcher fetcher_{clock_};
  McpOptions options_;
  Toolbox builtin_;
  std::optional<McpTools> tools_;
  core::CancelSource cancel_;
  std::optional<ToolResult> result_;
  std::string shown_;
};

// --- programs -------------------------------------------------------------------------------

TEST_F(McpToolsTest, ToolsOfProgram_HaveSourceAndApproval) {
  configure(program("files", "good"));
  const Toolbox tools = toolbox();
  EXPECT_THAT(names(tools), ElementsAre("echo", "fail", "die", "pid", "where", "grow", "wait"))
      << "all pages";
  const ToolPtr echo = tools.find("echo");
  EXPECT_EQ(echo->source(), "mcp:files");
  EXPECT_EQ(echo->spec().description, "The tool echo");
  EXPECT_EQ(echo->default_approval(), Approval::automatic) << "it only reads";
  EXPECT_EQ(tools.find("where")->default_approval(), Approval::ask);
  const ToolResult result = run(echo, {{"a", 1}});
  EXPECT_EQ(result.content, R"({"a":1})");
  EXPECT_FALSE(result.is_error);
  EXPECT_TRUE(run(tools.find("fail")).is_error);
  EXPECT_THAT(tools_->faults(folder_.string()), IsEmpty());
}

TEST_F(McpToolsTest, OtherProgramUnderSameName_IsAnotherTool) {
  const auto identity = [this] { return toolbox().find("echo")->identity(); };
  configure(program("files", "good"));
  const std::string first = identity();
  EXPECT_THAT(first, MatchesRegex("mcp:files@[0-9a-f]{32}"));
  EXPECT_EQ(identity(), first);
  configure(program("files", "old"));
  const std::string second = identity();
  EXPECT_NE(second, first) << "its arguments differ";
  configure(program("files", "good"));
  EXPECT_EQ(identity(), first) << "also of a server that was started again";
}

TEST_F(McpToolsTest, Program_RunsInWorkingFolderWithVariables) {
  options_.environment = {"WHO=world"};
  configure(program("files", "good", R"(,"env":{"GREETING":"hello ${WHO}"})"));
  const Toolbox tools = toolbox();
  EXPECT_EQ(run(tools.find("where"), {{"variable", "GREETING"}}).content,
            folder_.string() + " hello world");
  EXPECT_EQ(run(tools.find("where"), {{"variable", "HOME"}}).content, folder_.string() + " unset");
}

TEST_F(McpToolsTest, EarlierProtocolVersion_IsSpoken) {
  configure(program("files", "old"));
  EXPECT_THAT(toolbox().all(), SizeIs(7));
}

TEST_F(McpToolsTest, FailedServer_IsLeftOutAndTold_OthersStay) {
  options_.server.client.initialize_timeout = std::chrono::seconds(3);
  configure(program("a", "silent") + "," + program("b", "garbage") + "," + program("c", "exit") +
            "," + program("d", "future") + "," + program("good", "good") +
            R"(,"e":{"command":"/no/such/program"},"f":{})");
  EXPECT_THAT(toolbox().all(), SizeIs(7));
  const std::vector<std::string> faults = tools_->faults(folder_.string());
  ASSERT_THAT(faults, SizeIs(6));
  EXPECT_THAT(faults, Contains(HasSubstr("MCP server a: it did not answer within 3000 ms")));
  EXPECT_THAT(faults, Contains(HasSubstr("MCP server b: its output is not MCP")));
  EXPECT_THAT(faults, Contains(HasSubstr("MCP server c: it ended with exit code 3")));
  EXPECT_THAT(faults, Contains(HasSubstr("MCP server d: it uses version \"2099-01-01\"")));
  EXPECT_THAT(faults, Contains(HasSubstr("/no/such/program")));
  EXPECT_THAT(faults, Contains(HasSubstr("MCP server f is left out")));
  EXPECT_TRUE(scheduler_.run_until([this] {
    scheduler_.post([] {});
    return runner_.running() == 1;
  })) << "those that failed are gone";
}

TEST_F(McpToolsTest, ServerExitInCall_IsNamed_RestartsOnNextCall) {
  configure(program("files", "good"));
  const Toolbox tools = toolbox();
  const std::string first = run(tools.find("pid")).content;
  const ToolResult result = run(tools.find("die"));
  EXPECT_TRUE(result.is_error);
  EXPECT_THAT(result.content, HasSubstr("MCP server files: it ended with exit code 7"));
  const ToolResult again = run(tools.find("pid"));
  EXPECT_FALSE(again.is_error) << again.content;
  EXPECT_NE(again.content, first);
}

TEST_F(McpToolsTest, Progress_IsShown_CancelIsToldToServer) {
  configure(program("files", "good"));
  const Toolbox tools = toolbox();
  begin(tools.find("wait"));
  ASSERT_TRUE(scheduler_.run_until([this] { return shown_ == "waiting (1 of 2)\n"; }));
  cancel_.cancel("The run was cancelled.");
  ASSERT_TRUE(scheduler_.run_until([this] { return result_.has_value(); }));
  EXPECT_TRUE(result_->is_error);
  EXPECT_TRUE(scheduler_.run_until([this] {
    scheduler_.post([] {});
    return notes("files").find("cancelled \"The run was cancelled.\"") != std::string::npos;
  }));
}

TEST_F(McpToolsTest, ChangedTools_AreSeenByNextRun) {
  configure(program("files", "good"));
  const Toolbox tools = toolbox();
  run(tools.find("grow"));
  EXPECT_THAT(tools.all(), SizeIs(7)) << "a run keeps what it has";
  EXPECT_THAT(names(toolbox()), Contains("new"));
}

TEST_F(McpToolsTest, TakenName_GetsServerPrefix) {
  configure(program("one", "good") + "," + program("two", "good"));
  const Toolbox tools = toolbox();
  EXPECT_THAT(names(tools), Contains("two_echo"));
  EXPECT_THAT(tools.all(), SizeIs(14));
  EXPECT_EQ(tools.find("echo")->source(), "mcp:one");
  EXPECT_EQ(run(tools.find("two_echo"), {{"b", 2}}).content, R"({"b":2})");
}

TEST_F(McpToolsTest, Server_IsSharedByRunsOfFolder) {
  configure(program("files", "good"));
  toolbox();
  toolbox();
  EXPECT_EQ(runner_.running(), 1U);
  tools_.reset();
  EXPECT_TRUE(scheduler_.run_until([this] {
    scheduler_.post([] {});
    return runner_.running() == 0;
  }));
}

TEST_F(McpToolsTest, BadConfiguration_IsTold_BuiltinToolsStay) {
  EXPECT_THAT(toolbox().all(), IsEmpty());
  EXPECT_THAT(tools_->faults(folder_.string()), ElementsAre(HasSubstr("mcp.json")));
  std::ofstream(folder_ / "mcp.json") << "{";
  EXPECT_THAT(toolbox().all(), IsEmpty());
  EXPECT_THAT(tools_->faults(folder_.string()), ElementsAre(HasSubstr("not JSON")));
}

TEST_F(McpToolsTest, FileOfFolder_CountsOnlyIfAllowed) {
  options_.config_path.clear();
  fs::create_directory(folder_ / ".loom");
  std::ofstream(folder_ / ".loom" / "mcp.json")
      << R"({"mcpServers":{)" << program("files", "good") << "}}";
  EXPECT_THAT(toolbox().all(), IsEmpty());
  EXPECT_THAT(tools_->faults(folder_.string()),
              ElementsAre(HasSubstr(".loom/mcp.json is not read")));
  EXPECT_FALSE(fs::exists(folder_ / "files.notes")) << "nothing was started";
  tools_.reset();
  options_.folder_config = true;
  EXPECT_THAT(toolbox().all(), SizeIs(7));
  EXPECT_THAT(tools_->faults(folder_.string()), IsEmpty());
}

TEST(ModelToolName, ToolName_HasOnlyAllowedCharacters) {
  EXPECT_EQ(model_tool_name("files/read.all now"), "files_read_all_now");
  EXPECT_EQ(model_tool_name(std::string(100, 'x')).size(), 64U);
}

// --- addresses ------------------------------------------------------------------------------

// A server with one tool that answers as a stream of events or as JSON, and has sessions.
class HttpServer {
 public:
  explicit HttpServer(bool streams) : streams_(streams) {}

  std::string url() const { return server_.url() + "/mcp"; }
  std::vector<ServedRequest> requests() const { return server_.requests(); }
  void forget() { ++session_; }

 private:
  ScriptedAnswer serve(const ServedRequest& request) const {
    if (request.method == "GET") return plain(405, "");
    if (request.method == "DELETE") return plain(200, "");
    if (request.header("authorization") != "Bearer k") return plain(401, "who are you?");
    const boost::json::value message = boost::json::parse(request.body);
    const boost::json::object& object = message.as_object();
    const std::string method(object.at("method").as_string());
    const std::string session = "s" + std::to_string(session_.load());
    if (method != "initialize" && request.header("mcp-session-id") != session) {
      return plain(404, "no such session");
    }
    if (!object.contains("id")) return plain(202, "");
    ScriptedAnswer answer = reply(object, result_of(method));
    if (method == "initialize") answer.headers.emplace_back("Mcp-Session-Id", session);
    return answer;
  }
  static std::string result_of(const std::string& method) {
    if (method == "initialize") return R"({"protocolVersion":"2025-06-18","capabilities":{}})";
    if (method == "tools/list")
      return R"({"tools":[{"name":"hello","inputSchema":{"type":"object"}}]})";
    return R"({"content":[{"type":"text","text":"hello"}]})";
  }
  ScriptedAnswer reply(const boost::json::object& request, const std::string& result) const {
    const std::string id = boost::json::serialize(request.at("id"));
    const std::string json = R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + result + "}";
    if (!streams_) {
      ScriptedAnswer answer = plain(200, json);
      answer.headers.emplace_back("Content-Type", "application/json");
      return answer;
    }
    ScriptedAnswer answer;
    answer.headers.emplace_back("Content-Type", "text/event-stream");
    const boost::json::object& params = request.at("params").as_object();
    if (params.contains("_meta")) {
      const std::string token = boost::json::serialize(params.at("_meta").at("progressToken"));
      answer.pieces.push_back({core::Millis(0),
                               "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
                               "\"notifications/progress\",\"params\":{\"progressToken\":" +
                                   token + ",\"progress\":1}}\n\n"});
    }
    answer.pieces.push_back({core::Millis(0), "id: 1\ndata: " + json + "\n\n"});
    return answer;
  }
  static ScriptedAnswer plain(int status, std::string body) {
    ScriptedAnswer answer;
    answer.status = status;
    answer.pieces = {{core::Millis(0), std::move(body)}};
    answer.framing = ScriptedAnswer::Framing::length;
    return answer;
  }

  const bool streams_;
  std::atomic<int> session_{1};
  http_client::ScriptedServer server_{
      [this](const ServedRequest& request) { return serve(request); }};
};

class McpHttpTest : public McpToolsTest, public testing::WithParamInterface<bool> {
 protected:
  void configure_address(const std::string& url) {
    options_.environment = {"KEY=k"};
    configure(R"("web":{"url":")" + url + R"(","headers":{"Authorization":"Bearer ${KEY}"}})");
  }
  HttpServer server_{GetParam()};
};

TEST_P(McpHttpTest, Address_IsUsedWithSessionAndVersion) {
  configure_address(server_.url());
  const Toolbox tools = toolbox();
  ASSERT_THAT(names(tools), ElementsAre("hello"));
  EXPECT_EQ(run(tools.find("hello")).content, "hello");
  EXPECT_EQ(shown_, GetParam() ? "(1)\n" : "");
  const std::vector<ServedRequest> requests = server_.requests();
  EXPECT_EQ(requests.front().header("mcp-session-id"), "");
  EXPECT_EQ(requests.front().header("mcp-protocol-version"), "");
  EXPECT_EQ(requests.back().header("mcp-session-id"), "s1");
  EXPECT_EQ(requests.back().header("mcp-protocol-version"), "2025-06-18");
  EXPECT_EQ(requests.back().header("accept"), "application/json, text/event-stream");
}

TEST_P(McpHttpTest, ForgottenSession_IsRenewedOnNextCall) {
  configure_address(server_.url());
  const Toolbox tools = toolbox();
  run(tools.find("hello"));
  server_.forget();
  const ToolResult lost = run(tools.find("hello"));
  EXPECT_TRUE(lost.is_error);
  EXPECT_THAT(lost.content, HasSubstr("no longer knows the session"));
  EXPECT_EQ(run(tools.find("hello")).content, "hello");
}

TEST_P(McpHttpTest, RefusalOfServer_IsTold) {
  configure(R"("web":{"url":")" + server_.url() + R"("})");
  EXPECT_THAT(toolbox().all(), IsEmpty());
  EXPECT_THAT(tools_->faults(folder_.string()),
              ElementsAre(HasSubstr("MCP server web: HTTP 401: who are you?")));
}

INSTANTIATE_TEST_SUITE_P(AnswersAs, McpHttpTest, testing::Bool(),
                         [](const auto& how) { return how.param ? "Events" : "Json"; });

TEST_F(McpToolsTest, UnreachableAddress_IsTold) {
  std::string url;
  {
    const http_client::ScriptedServer gone([](const ServedRequest&) { return ScriptedAnswer(); });
    url = gone.url();
  }
  configure(R"("web":{"url":")" + url + R"("})");
  EXPECT_THAT(toolbox().all(), IsEmpty());
  EXPECT_THAT(tools_->faults(folder_.string()), ElementsAre(HasSubstr("MCP server web:")));
}

TEST_F(McpToolsTest, BrokenOrMissingAnswer_IsTold) {
  for (const ScriptedAnswer::End end : {ScriptedAnswer::End::cut, ScriptedAnswer::End::hang}) {
    http_client::ScriptedServer server([end](const ServedRequest&) {
      ScriptedAnswer answer;
      answer.headers = {{"Content-Type", "text/event-stream"}};
      answer.pieces = {{core::Millis(0), "data: {\"jsonrpc\""}};
      answer.end = end;
      return answer;
    });
    options_.server.client.initialize_timeout = core::Millis(500);
    tools_.reset();
    configure(R"("web":{"url":")" + server.url() + R"("})");
    EXPECT_THAT(toolbox().all(), IsEmpty());
    EXPECT_THAT(tools_->faults(folder_.string()), SizeIs(1));
    tools_.reset();
  }
}

}  // namespace

namespace {

ToolResult read(std::string_view json) {
  const boost::json::value parsed = boost::json::parse(json);
  return read_mcp_result(parsed.as_object());
}

TEST(ReadMcpResult, Texts_AreJoined_OtherPiecesAreNamed) {
  const ToolResult result =
      read(R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"},
    {"type":"image","mimeType":"image/png","data":"AAAA"},
    {"type":"resource","resource":{"uri":"file:///x","text":"inside"}},
    {"type":"resource_link","uri":"file:///y","name":"y"},7]})");
  EXPECT_EQ(result.content,
            "a\nb\n[image: image/png, about 3 bytes; it cannot be shown to you]\ninside\n"
            "[resource: file:///y y]");
  EXPECT_FALSE(result.is_error);
}

TEST(ReadMcpResult, StructuredContent_IsTakenWithoutText) {
  EXPECT_EQ(read(R"({"content":[],"structuredContent":{"a":1}})").content, R"({"a":1})");
  EXPECT_EQ(read(R"({"content":[{"type":"text","text":"t"}],"structuredContent":{"a":1}})").content,
            "t");
}

TEST(ReadMcpResult, ErrorAndEmptyResult_AreTold) {
  EXPECT_TRUE(read(R"({"content":[{"type":"text","text":"no"}],"isError":true})").is_error);
  EXPECT_EQ(read("{}").content, "(no output)");
}

TEST(ReadMcpResult, VeryLongResult_IsCut) {
  EXPECT_LT(read(R"({"content":[{"type":"text","text":")" + std::string(1U << 20U, 'x') + R"("}]})")
                .content.size(),
            300'000U);
}

}  // namespace

}  // namespace parley::tool
