// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Chats that work with a ComfyUI server, against the stand-in.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/net/http/http_gate.h"
#include "dialects/chat/routes.h"
#include "tests/support/chat/chat_world.h"
#include "tests/support/comfyui/comfy_world.h"

namespace parley::chat {
namespace {

using agent::testing::FakeReply;
using comfyui::ComfyWorld;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

struct Answer {
  int status = 0;
  net::Headers headers;
  std::string body;

  boost::json::object json() const { return boost::json::parse(body).get_object(); }
  boost::json::value data() const { return json().at("data"); }
  std::int64_t code() const { return json().at("code").as_int64(); }
};

class AnswerRecorder final : public net::Responder::Impl {
 public:
  AnswerRecorder(std::shared_ptr<std::optional<Answer>> answer, core::Scheduler& scheduler)
      : answer_(std::move(answer)), scheduler_(scheduler) {}
  void send(net::Response response) override {
    *answer_ = Answer{response.status, std::move(response.headers), std::move(response.body)};
  }
  std::shared_ptr<net::BodyWriter> start(net::Response) override { return nullptr; }
  void on_disconnect(core::Task) override {}
  core::Scheduler& scheduler() override { return scheduler_; }

 private:
  std::shared_ptr<std::optional<Answer>> answer_;
  core::Scheduler& scheduler_;
};

class ComfyChatTest : public ::testing::Test {
 protected:
  ComfyChatTest() {
    world_.tokens.allow("reader", "carol", "Carol", auth::Rights{auth::Right::read});
    registry_ = std::move(
        *comfyui::ServerRegistry::open(folder_.path(), {fake_->url()}, world_.runs.clock));
    dependencies_ = std::unique_ptr<comfyui::ComfyDependencies>(
        new comfyui::ComfyDependencies{*registry_, fetcher_, sockets_, entropy_});
    world_.context->comfyui = dependencies_.get();
    install(router_, *world_.context);
  }

  // Advances the fake clock with the real one, so that time-outs and pauses elapse.
  template <typename Done>
  void wait(Done done) {
    const auto begin = std::chrono::steady_clock::now();
    core::Millis passed{0};
    while (!done()) {
      const auto now =
          std::chrono::duration_cast<core::Millis>(std::chrono::steady_clock::now() - begin);
      ASSERT_LT(now, std::chrono::minutes(2)) << "it takes too long";
      world_.runs.scheduler.advance(now - passed);
      passed = now;
      std::this_thread::yield();
    }
  }
  void wait_for_text(const ChatPeer& peer, std::string_view text) {
    wait([&] {
      return std::any_of(
          peer.socket.texts.begin(), peer.socket.texts.end(),
          [text](const std::string& frame) { return frame.find(text) != std::string::npos; });
    });
  }
  void replies(std::deque<FakeReply> all) { world_.runs.models.model->replies = std::move(all); }
  // Starts a run with the workflow open.
  static void begin(ChatPeer& peer, const boost::json::object& workflow) {
    boost::json::object data{{"type", "USER_MESSAGE"},
                             {"workflowContent", boost::json::serialize(workflow)}};
    peer.message("1", "Go", boost::json::serialize(data));
  }
  void allow(ChatPeer& peer, const std::string& call, const std::string& tool) {
    wait_for_text(peer, "\"toolCallId\":\"" + call + "\"");
    peer.say(
        "AGENT_TOOL_CALL_RESPONSE", "1",
        R"("data":{"toolCallId":")" + call + R"(","toolName":")" + tool + R"(","isAllow":true})");
  }
  // Results of calls as the model received them, in order.
  std::vector<std::string> results() {
    std::vector<std::string> out;
    for (const model::Message& message : world_.runs.models.model->requests.back().messages) {
      if (message.role == model::Role::tool) out.push_back(message.content);
    }
    return out;
  }
  bool server_is_idle() {
    const auto queue = boost::json::parse(get_fake("/queue")).get_object();
    return queue.at("queue_running").get_array().empty() &&
           queue.at("queue_pending").get_array().empty();
  }
  std::string get_fake(const std::string& target) {
    std::optional<std::string> body;
    std::string text;
    http_client::FetchRequest request;
    request.url = fake_->url() + target;
    http_client::FetchEvents events;
    events.on_body = [&text](std::string_view bytes) { text.append(bytes); };
    fetcher_.fetch(request, events, world_.runs.scheduler, {},
                   [&](const http_client::FetchEnd&) { body = text; });
    wait([&] { return body.has_value(); });
    return *body;
  }
  Answer call(const std::string& method, const std::string& target, const std::string& body = {},
              const std::string& token = "tok") {
    auto answer = std::make_shared<std::optional<Answer>>();
    net::Request request;
    request.method = method;
    request.target = target;
    const auto parsed = net::parse_target(target);
    request.path = parsed->path;
    request.query = parsed->query;
    request.body = body;
    request.headers.add("Authorization", "Bearer " + token);
    const net::Router::Match match = router_.match(method, request.path);
    if (match.handler == nullptr) return {405, {}, {}};
    request.path_params = match.params;
    if (match.admit != nullptr) {
      auto admitted = (*match.admit)(request);
      if (!admitted) return {admitted.error().status, {}, std::move(admitted.error().body)};
    }
    (*match.handler)(std::move(request), net::Responder(std::make_unique<AnswerRecorder>(
                                             answer, world_.runs.scheduler)));
    wait([&] { return answer->has_value(); });
    return std::move(**answer);
  }
  std::string server_id() { return registry_->first_of_settings()->id; }
  std::string make_session(const std::string& body) {
    return std::string(call("POST", "/api/v1/sessions", body).data().as_string());
  }

  core::TempFolder folder_;
  std::unique_ptr<fake_comfyui::FakeComfyUi> fake_ =
      std::move(*fake_comfyui::FakeComfyUi::start(ComfyWorld::quick()));
  core::SystemClock clock_;
  core::SystemEntropy entropy_;
  std::unique_ptr<comfyui::ServerRegistry> registry_;
  ChatWorld world_;
  http_client::CurlFetcher fetcher_{clock_};
  comfyui::SocketThread sockets_{clock_, entropy_};
  std::unique_ptr<comfyui::ComfyDependencies> dependencies_;
  net::Router router_;
};

// --- a conversation ------------------------------------------------------------------------------

TEST_F(ComfyChatTest, Workflow_IsEditedValidatedRunAndShown) {
  replies({FakeReply::call("c1", "comfyui_models", R"({"query":"dream"})"),
           FakeReply::call("c2", "workflow_node_set", R"({"node":"3","input":"steps","value":6})"),
           FakeReply::call("c3", "comfyui_validate", "{}"),
           FakeReply::call("c4", "comfyui_run", "{}"), FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  begin(peer, comfyui::sample_prompt(5, 4));
  allow(peer, "c4", "comfyui_run");
  wait_for_text(peer, "\"COMPLETE\"");
  const auto told = results();
  ASSERT_THAT(told, SizeIs(4));
  EXPECT_THAT(told[0], HasSubstr("dreamshaper_8.safetensors"));
  EXPECT_THAT(told[1], Not(HasSubstr("Not checked")));
  EXPECT_THAT(told[2], HasSubstr("is valid"));
  wait_for_text(peer, "progress: KSampler 6/6");
  // Skips the heading with the tool's name.
  const auto result = boost::json::parse(told[3].substr(told[3].find('{'))).get_object();
  const auto& image = result.at("images").as_array().at(0).as_object();
  const Answer file = call("GET", std::string(image.at("url").as_string()), {}, "reader");
  EXPECT_EQ(file.status, 200);
  EXPECT_EQ(file.headers.get("Content-Type"), "image/png");
  EXPECT_EQ(file.headers.get("X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(std::string(file.headers.get("Content-Security-Policy")), HasSubstr("sandbox"));
  EXPECT_EQ(file.body.substr(1, 3), "PNG");
}

TEST_F(ComfyChatTest, Interrupt_WithdrawsRunningWorkflow) {
  replies({FakeReply::call("c1", "comfyui_run", "{}"), FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  begin(peer, comfyui::slow_prompt(1'000'000));
  allow(peer, "c1", "comfyui_run");
  wait_for_text(peer, "progress: TestSlow ");
  peer.say("INTERRUPT", "1");
  wait_for_text(peer, "INTERRUPTED");
  wait([this] { return server_is_idle(); });
}

TEST_F(ComfyChatTest, DeniedRun_QueuesNothing) {
  replies({FakeReply::call("c1", "comfyui_run", "{}"), FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  begin(peer, comfyui::sample_prompt());
  wait_for_text(peer, "AGENT_TOOL_CALL_REQUEST");
  peer.say("AGENT_TOOL_CALL_RESPONSE", "1",
           R"("data":{"toolCallId":"c1","toolName":"comfyui_run","isAllow":false})");
  wait_for_text(peer, "\"COMPLETE\"");
  EXPECT_EQ(get_fake("/history"), "{}");
}

TEST_F(ComfyChatTest, ServerLostInMidRun_IsGivenUp) {
  replies({FakeReply::call("c1", "comfyui_run", "{}"), FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  begin(peer, comfyui::slow_prompt(1'000'000));
  allow(peer, "c1", "comfyui_run");
  wait_for_text(peer, "progress: TestSlow ");
  fake_.reset();
  wait([&, ticks = 0]() mutable {
    // A minute of silence, in steps that the network can follow.
    if (++ticks % 50 == 0) world_.runs.scheduler.advance(core::Millis(200));
    return peer.socket.texts.back().find("\"COMPLETE\"") != std::string::npos;
  });
  EXPECT_THAT(results().back(), HasSubstr("has not answered for 60 s"));
}

TEST_F(ComfyChatTest, RefusedWorkflow_IsToldFaultByFault) {
  replies({FakeReply::call("c1", "comfyui_run", "{}"), FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  auto prompt = comfyui::sample_prompt();
  prompt["3"].get_object()["inputs"].get_object()["sampler_name"] = "magic";
  begin(peer, prompt);
  allow(peer, "c1", "comfyui_run");
  wait_for_text(peer, "\"COMPLETE\"");
  EXPECT_THAT(results().back(), AllOf(HasSubstr("refused the workflow"),
                                      HasSubstr("node 3 (KSampler), input sampler_name"),
                                      HasSubstr("value_not_in_list")));
}

TEST_F(ComfyChatTest, MissingClasses_LeaveEditUnchecked) {
  fake_comfyui::Fault fault;
  fault.kind = fake_comfyui::Fault::Kind::hang;
  fault.route = "/object_info";
  fault.times = -1;
  fake_->inject(fault);
  replies({FakeReply::call("c1", "workflow_node_set", R"({"node":"3","input":"steps","value":6})"),
           FakeReply::text("Done.")});
  ChatPeer peer(world_, Generation::second);
  begin(peer, comfyui::sample_prompt());
  wait([&, ticks = 0]() mutable {
    if (++ticks % 100 == 0) world_.runs.scheduler.advance(core::Millis(100));
    return peer.socket.texts.back().find("\"COMPLETE\"") != std::string::npos;
  });
  EXPECT_THAT(results().back(), HasSubstr("did not describe its node classes within 5 s"));
}

// --- choice of the server -----------------------------------------------------------------------

TEST_F(ComfyChatTest, Session_ChoosesServer) {
  const auto has_tools = [this] {
    const auto& tools = world_.runs.models.model->requests.back().tools;
    return std::any_of(tools.begin(), tools.end(),
                       [](const auto& spec) { return spec.name == "comfyui_status"; });
  };
  const Answer created =
      call("POST", "/api/v1/comfyui-servers", R"({"serverKey":"a","baseUrl":"http://10.0.0.1"})");
  const std::string id(created.data().at("id").as_string());
  // A number, as some front ends send it.
  world_.code = make_session(R"({"comfyuiServerId":)" + id + "}");
  const auto ask = [&](const std::string& request_id) {
    replies({FakeReply::text("Hello.")});
    ChatPeer peer(world_, Generation::first);
    peer.message(request_id, "Hi", "{}");
    wait_for_text(peer, "AGENT_COMPLETE");
  };
  ask("1");
  EXPECT_TRUE(has_tools());
  EXPECT_EQ(call("PUT", "/api/v1/comfyui-servers/" + id, R"({"isEnabled":false})").code(), 200);
  ask("2");
  EXPECT_FALSE(has_tools());
  // A session that names no server uses the first of the settings.
  call("PUT", "/api/v1/sessions/" + world_.code, R"({"comfyuiServerId":""})");
  ask("3");
  EXPECT_TRUE(has_tools());
}

TEST_F(ComfyChatTest, Servers_AreChangedAndDeletedByKey) {
  const std::string created = R"({"serverKey":"by-key","baseUrl":"http://10.0.0.1"})";
  ASSERT_EQ(call("POST", "/api/v1/comfyui-servers", created).code(), 200);
  const std::string path = "/api/v1/comfyui-servers/key/by-key";
  EXPECT_EQ(call("PUT", path, R"({"serverName":"Named"})").code(), 200);
  EXPECT_EQ(call("GET", path).data().at("serverName").as_string(), "Named");
  EXPECT_EQ(call("PUT", path + "-not", R"({"serverName":"Other"})").code(), 500);
  EXPECT_EQ(call("DELETE", path).code(), 200);
  EXPECT_EQ(call("GET", path).code(), 500);
  EXPECT_EQ(call("DELETE", path).code(), 500);
}

TEST_F(ComfyChatTest, Sessions_AreListedByServer) {
  const std::string code = make_session(R"({"comfyuiServerId":")" + server_id() + "\"}");
  const auto one = call("GET", "/api/v1/sessions/" + code).data();
  EXPECT_EQ(one.at("comfyuiServerId").as_string(), server_id());
  const std::string active = "/api/v1/sessions/active";
  EXPECT_THAT(call("GET", active + "?comfyuiServerId=" + server_id()).data().as_array(), SizeIs(1));
  EXPECT_THAT(call("GET", active + "?comfyuiServerId=9").data().as_array(), SizeIs(0));
  EXPECT_THAT(call("GET", active).data().as_array(), SizeIs(2));
  const Answer unknown = call("POST", "/api/v1/sessions", R"({"comfyuiServerId":"9"})");
  EXPECT_EQ(unknown.status, 400);
  EXPECT_THAT(unknown.body, HasSubstr("comfyuiServerId"));
}

// --- the servers' routes -------------------------------------------------------------------------

constexpr const char* kServers = "/api/v1/comfyui-servers";

TEST_F(ComfyChatTest, Credentials_AreInNoAnswer) {
  const std::string body =
      R"({"serverKey":"a","serverName":"A","baseUrl":"http://10.0.0.1:8188",)"
      R"("authMode":"basic_auth","apiKey":"anna:hidden-word","timeoutSeconds":9})";
  const Answer created = call("POST", kServers, body);
  EXPECT_EQ(created.code(), 200);
  const std::string id(created.data().at("id").as_string());
  const std::string one = std::string(kServers) + "/" + id;
  for (const char* token : {"tok", "reader"}) {
    for (const std::string& target :
         {one, std::string(kServers), std::string(kServers) + "/enabled",
          std::string(kServers) + "/key/a"}) {
      const Answer answer = call("GET", target, {}, token);
      EXPECT_EQ(answer.code(), 200) << target;
      EXPECT_THAT(answer.body, AllOf(HasSubstr("\"authMode\":\"basic_auth\""),
                                     Not(HasSubstr("hidden-word")), Not(HasSubstr("anna"))));
    }
  }
  EXPECT_TRUE(call("GET", one).data().at("hasCredentials").as_bool());
  EXPECT_THAT(call("GET", one, {}, "reader").body, Not(HasSubstr("hasCredentials")));
  EXPECT_EQ(call("PUT", one, R"({"isEnabled":false})").code(), 200);
  EXPECT_EQ(call("GET", one, {}, "reader").code(), 500);
  EXPECT_EQ(call("GET", one).code(), 200);
  EXPECT_THAT(call("GET", kServers).data().as_array(), SizeIs(2));
  EXPECT_THAT(call("GET", kServers, {}, "reader").data().as_array(), SizeIs(1));
  EXPECT_EQ(call("DELETE", one).code(), 200);
  EXPECT_EQ(call("GET", one).code(), 500);
}

TEST_F(ComfyChatTest, Changes_NeedAdmin) {
  const std::string one = std::string(kServers) + "/" + server_id();
  for (const auto& [method, target] :
       {std::pair<std::string, std::string>{"POST", kServers}, {"PUT", one}, {"DELETE", one}}) {
    EXPECT_EQ(call(method, target, "{}", "reader").status, 403) << method << " " << target;
  }
  EXPECT_EQ(call("GET", kServers, {}, "nobody").status, 401);
}

TEST_F(ComfyChatTest, BadBodies_NameField) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "The body must be a JSON object"},
      {"{}", "\\\"baseUrl\\\" is missing"},
      {R"({"baseUrl":7})", "\\\"baseUrl\\\" must be a string"},
      {R"({"baseUrl":"http://x","timeoutSeconds":"9"})", "timeoutSeconds"},
      {R"({"baseUrl":"http://x","isEnabled":1})", "isEnabled"},
      {R"({"baseUrl":"http://x","advancedFeaturesEnabled":true})", "Advanced features"},
      {R"({"baseUrl":"http://x","advancedFeatures":{"connectionType":"SSH"}})",
       "Advanced features"}};
  for (const auto& [body, message] : cases) {
    const Answer answer = call("POST", kServers, body);
    EXPECT_EQ(answer.status, 400) << body;
    EXPECT_THAT(answer.body, HasSubstr(message)) << body;
  }
  EXPECT_EQ(
      call("POST", kServers, R"({"baseUrl":"http://x","advancedFeaturesEnabled":false})").code(),
      200);
}

TEST_F(ComfyChatTest, HealthCheck_TellsAndKeepsHealth) {
  const std::string one = std::string(kServers) + "/" + server_id();
  EXPECT_EQ(call("GET", one).data().at("healthStatus").as_string(), "UNKNOWN");
  EXPECT_EQ(call("POST", one + "/health-check").data().at("healthStatus").as_string(), "HEALTHY");
  fake_.reset();
  EXPECT_EQ(call("POST", one + "/health-check").data().at("healthStatus").as_string(), "UNHEALTHY");
  EXPECT_EQ(call("GET", one, {}, "reader").data().at("healthStatus").as_string(), "UNHEALTHY");
}

TEST_F(ComfyChatTest, HealthChecks_AreLimited) {
  const std::string check = std::string(kServers) + "/" + server_id() + "/health-check";
  std::atomic<int>& open = world_.context->open_checks;
  open = kMaxHealthChecks;
  EXPECT_NE(call("POST", check, {}, "reader").code(), 200);
  open = kMaxHealthChecks - 1;
  EXPECT_EQ(call("POST", check, {}, "reader").code(), 200);
}

TEST_F(ComfyChatTest, HealthCheck_OfReader_ShowsWhatReadersSee) {
  const std::string check = std::string(kServers) + "/" + server_id() + "/health-check";
  const Answer answer = call("POST", check, {}, "reader");
  EXPECT_EQ(answer.data().at("healthStatus").as_string(), "HEALTHY");
  EXPECT_FALSE(answer.data().as_object().contains("hasCredentials"));
  const Answer off =
      call("POST", kServers, R"({"baseUrl":"http://127.0.0.1:1","isEnabled":false})");
  const std::string id(off.data().at("id").as_string());
  EXPECT_NE(call("POST", std::string(kServers) + "/" + id + "/health-check", {}, "reader").code(),
            200);
}

TEST_F(ComfyChatTest, View_OfOtherThanOutputFile_IsRefused) {
  const std::string view = std::string(kServers) + "/" + server_id() + "/view";
  EXPECT_EQ(call("GET", view).status, 400);
  EXPECT_EQ(call("GET", view + "?filename=..%2Fsecret.png").status, 400);
  EXPECT_EQ(call("GET", view + "?filename=a.png&subfolder=..%2F..&type=output").status, 400);
  EXPECT_EQ(call("GET", view + "?filename=a.png&type=etc").status, 400);
  EXPECT_EQ(call("GET", view + "?filename=none.png").status, 404);
  EXPECT_EQ(call("GET", std::string(kServers) + "/77/view?filename=a.png").status, 404);
  EXPECT_EQ(call("GET", view + "?filename=example.png&type=input").status, 200);
  fake_.reset();
  EXPECT_EQ(call("GET", view + "?filename=example.png&type=input").status, 502);
}

}  // namespace
}  // namespace parley::chat
