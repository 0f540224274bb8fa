// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/comfy_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/net/http/multipart_form.h"
#include "tests/support/comfyui/comfy_world.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/http_client/fake_fetcher.h"

namespace parley::comfyui {

namespace {

using FaultKind = ComfyWorld::Fault::Kind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Names = std::vector<std::string>;

class ComfyClientTest : public ::testing::Test {
 protected:
  core::Result<NodeClass> schema(const std::string& name) {
    return world.ask<NodeClass>(
        [&](auto done) { world.client->node_schema(name, {}, std::move(done)); });
  }
  core::Result<std::vector<NodeSummary>> classes() {
    return world.ask<std::vector<NodeSummary>>(
        [&](auto done) { world.client->node_classes({}, std::move(done)); });
  }
  core::Result<QueueState> queue_state() {
    return world.ask<QueueState>(
        [&](auto done) { world.client->queue_state({}, std::move(done)); });
  }
  core::Result<std::optional<PromptRecord>> history(const std::string& id) {
    return world.ask<std::optional<PromptRecord>>(
        [&](auto done) { world.client->history(id, {}, std::move(done)); });
  }
  core::Result<FileBytes> view(const OutputFile& file) {
    return world.ask<FileBytes>([&](auto done) { world.client->view(file, {}, std::move(done)); });
  }
  core::Result<OutputFile> upload(const FileUpload& file) {
    return world.ask<OutputFile>(
        [&](auto done) { world.client->upload_image(file, {}, std::move(done)); });
  }
  core::Result<void> withdraw(const std::string& id) {
    return world.ask<void>([&](auto done) { world.client->withdraw(id, {}, std::move(done)); });
  }

  ComfyWorld world;
};

TEST_F(ComfyClientTest, SystemStats_MatchServer) {
  auto stats = world.ask<boost::json::object>(
      [&](auto done) { world.client->system_stats({}, std::move(done)); });
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->at("system").at("os"), "posix");
}

TEST_F(ComfyClientTest, NodeSchema_IsCachedForItsTime) {
  auto first = schema("KSampler");
  ASSERT_TRUE(first);
  EXPECT_EQ((*first)->at("output"), boost::json::array({"LATENT"}));
  world.inject(FaultKind::status, "/object_info", -1);
  auto second = schema("KSampler");
  ASSERT_TRUE(second);
  EXPECT_EQ(*first, *second);
  world.on_home([&] { world.client->forget_schemas(); });
  EXPECT_FALSE(schema("KSampler"));
}

TEST_F(ComfyClientTest, NodeSchema_OfUnknownClass_IsNotFound) {
  for (const char* name : {"NoSuchNode", "../../queue", "a b/ü?x=1", ""}) {
    EXPECT_FALSE(schema(name)) << name;
  }
  EXPECT_EQ(schema("NoSuchNode").error().code, core::Code::not_found);
}

TEST_F(ComfyClientTest, NodeClasses_AreListedWithCategory) {
  auto all = classes();
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 13U);
  const auto save = std::find_if(all->begin(), all->end(),
                                 [](const NodeSummary& node) { return node.name == "SaveImage"; });
  ASSERT_NE(save, all->end());
  EXPECT_TRUE(save->output_node);
  EXPECT_EQ(save->category, "image");
}

TEST_F(ComfyClientTest, LargeNodeClasses_AreReadAsStream) {
  ComfyWorld::Fault fault;
  fault.kind = FaultKind::big_object_info;
  fault.bytes = 8U << 20U;
  world.server->inject(fault);
  auto all = classes();
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_GT(all->size(), 1'000U);
  EXPECT_EQ(all->back().category, "padding");
}

TEST_F(ComfyClientTest, NodeClassesOverLimit_AreResourceExhausted) {
  ClientOptions options;
  options.max_node_list_bytes = 1'000;
  world.connect(options);
  EXPECT_EQ(classes().error().code, core::Code::resource_exhausted);
}

TEST_F(ComfyClientTest, Models_AreListedByFolder) {
  auto folders =
      world.ask<Names>([&](auto done) { world.client->model_folders({}, std::move(done)); });
  EXPECT_THAT(*folders, Contains("checkpoints"));
  auto files =
      world.ask<Names>([&](auto done) { world.client->models("loras", {}, std::move(done)); });
  EXPECT_THAT(*files, ElementsAre("add_detail.safetensors", "pixel_art.safetensors"));
  auto none =
      world.ask<Names>([&](auto done) { world.client->models("nothing", {}, std::move(done)); });
  EXPECT_EQ(none.error().code, core::Code::not_found);
}

TEST_F(ComfyClientTest, BrokenGet_IsRetried_PostIsNot) {
  ClientOptions options;
  options.max_retries = 2;
  options.connect_timeout = core::Millis(1'000);
  const std::string url = world.server->url();
  const auto port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  world.server.reset();
  world.connect(options, url);
  std::promise<core::Result<QueueState>> told;
  world.on_home([&] {
    world.client->queue_state(
        {}, [&](core::Result<QueueState> state) { told.set_value(std::move(state)); });
  });
  // The server starts while the client waits for its next attempt.
  fake_comfyui::FakeOptions again = ComfyWorld::quick();
  again.port = port;
  world.server = std::move(*fake_comfyui::FakeComfyUi::start(again));
  EXPECT_TRUE(told.get_future().get());
  world.server.reset();
  EXPECT_EQ(world.queue(sample_prompt()).error().code, core::Code::unavailable);
}

TEST_F(ComfyClientTest, ExhaustedRetries_AreUnavailable_CancelEndsPause) {
  ClientOptions options;
  options.max_retries = 1;
  world.connect(options, "http://127.0.0.1:1");
  EXPECT_EQ(queue_state().error().code, core::Code::unavailable);
  options.max_retries = 40;
  world.connect(options, "http://127.0.0.1:1");
  core::CancelSource source;
  std::promise<core::Result<QueueState>> told;
  world.on_home([&] {
    world.client->queue_state(
        source.token(), [&](core::Result<QueueState> state) { told.set_value(std::move(state)); });
    world.home.after(core::Millis(50), [&] { source.cancel("enough"); });
  });
  EXPECT_EQ(told.get_future().get().error().code, core::Code::cancelled);
}

TEST_F(ComfyClientTest, Queue_OfBadWorkflow_SaysNodeAndInput) {
  auto prompt = sample_prompt();
  prompt["4"].get_object()["inputs"].get_object()["ckpt_name"] = "nope.safetensors";
  prompt["3"].get_object()["inputs"].get_object()["steps"] = 0;
  auto answer = world.queue(prompt);
  ASSERT_TRUE(answer);
  const auto& faults = std::get<PromptFaults>(*answer);
  EXPECT_EQ(faults.type, "prompt_outputs_failed_validation");
  ASSERT_EQ(faults.nodes.size(), 2U);
  EXPECT_EQ(faults.nodes[0].node_id, "3");
  EXPECT_EQ(faults.nodes[0].input, "steps");
  EXPECT_EQ(faults.nodes[0].type, "value_smaller_than_min");
  EXPECT_EQ(faults.nodes[1].class_type, "CheckpointLoaderSimple");
  EXPECT_EQ(faults.nodes[1].type, "value_not_in_list");
  EXPECT_THAT(faults.text(), HasSubstr("node 4 (CheckpointLoaderSimple), input ckpt_name"));
}

TEST_F(ComfyClientTest, Queue_OfPartlyBadWorkflow_RunsGoodOutputs) {
  auto prompt = sample_prompt();
  prompt["20"] = {{"class_type", "SaveImage"}, {"inputs", {{"filename_prefix", "x"}}}};
  auto answer = world.queue(prompt);
  ASSERT_TRUE(answer);
  const auto& queued = std::get<QueuedPrompt>(*answer);
  ASSERT_EQ(queued.partial.nodes.size(), 1U);
  EXPECT_EQ(queued.partial.nodes[0].type, "required_input_missing");
  EXPECT_EQ(queued.partial.nodes[0].input, "images");
  world.wait_until_idle();
  EXPECT_EQ((**history(queued.prompt_id)).outputs.size(), 1U);
}

TEST_F(ComfyClientTest, Queue_OverLimit_IsNotSent) {
  ClientOptions options;
  options.max_prompt_bytes = 100;
  world.connect(options);
  EXPECT_EQ(world.queue(sample_prompt()).error().field, "prompt");
}

TEST_F(ComfyClientTest, Pending_AreDeletedAndCleared) {
  const std::string running = world.queued_id(slow_prompt(1'000'000));
  const std::string first = world.queued_id(sample_prompt(1));
  const std::string second = world.queued_id(sample_prompt(2));
  const std::string front = world.queued_id(sample_prompt(3), true);
  world.wait_for([](const QueueState& queue) { return !queue.running.empty(); });
  auto queue = queue_state();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->running[0].prompt_id, running);
  ASSERT_EQ(queue->pending.size(), 3U);
  EXPECT_EQ(queue->pending[0].prompt_id, front);
  ASSERT_TRUE(world.ask<void>(
      [&](auto done) { world.client->delete_pending({first}, {}, std::move(done)); }));
  EXPECT_EQ(queue_state()->pending.size(), 2U);
  ASSERT_TRUE(
      world.ask<void>([&](auto done) { world.client->clear_pending({}, std::move(done)); }));
  EXPECT_TRUE(queue_state()->pending.empty());
  EXPECT_EQ(withdraw(second).error().code, core::Code::not_found);
  ASSERT_TRUE(withdraw(running));
  world.wait_until_idle();
  EXPECT_EQ((**history(running)).status, PromptRecord::Status::interrupted);
}

TEST_F(ComfyClientTest, Withdraw_OfPending_Deletes) {
  const std::string running = world.queued_id(slow_prompt(1'000'000));
  const std::string waiting = world.queued_id(sample_prompt());
  ASSERT_TRUE(withdraw(waiting));
  EXPECT_TRUE(queue_state()->pending.empty());
  EXPECT_EQ(queue_state()->running[0].prompt_id, running);
  EXPECT_TRUE(withdraw(running));
}

TEST_F(ComfyClientTest, Interrupt_OfOtherPrompt_LeavesRunning) {
  const std::string running = world.queued_id(slow_prompt(300));
  ASSERT_TRUE(
      world.ask<void>([&](auto done) { world.client->interrupt("other", {}, std::move(done)); }));
  world.wait_until_idle();
  EXPECT_EQ((**history(running)).status, PromptRecord::Status::success);
}

TEST_F(ComfyClientTest, History_HasLatestRuns) {
  for (int seed = 0; seed < 3; ++seed) world.queued_id(sample_prompt(seed));
  const std::string last = world.queued_id(sample_prompt(9));
  world.wait_until_idle();
  auto records = world.ask<std::vector<PromptRecord>>(
      [&](auto done) { world.client->history(std::size_t{2}, {}, std::move(done)); });
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 2U);
  EXPECT_EQ(records->back().prompt_id, last);
  EXPECT_EQ(records->back().prompt.size(), 7U);
  EXPECT_FALSE(*history("unknown"));
}

TEST_F(ComfyClientTest, View_ReturnsPicture) {
  const std::string id = world.queued_id(sample_prompt());
  world.wait_until_idle();
  auto record = history(id);
  ASSERT_TRUE(record && *record);
  auto file = view((*record)->outputs.at(0).files.at(0));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->content_type, "image/png");
  EXPECT_THAT(file->bytes, HasSubstr("IHDR"));
  EXPECT_EQ(view({"missing.png", "", "output"}).error().code, core::Code::not_found);
}

TEST_F(ComfyClientTest, View_OfPathOutside_IsNotAsked) {
  for (const OutputFile& file :
       {OutputFile{"../secret", ""}, OutputFile{"a/b.png", ""}, OutputFile{"b.png", "../x"},
        OutputFile{"b.png", "/etc"}, OutputFile{"b.png", "", "home"}, OutputFile{}}) {
    EXPECT_EQ(view(file).error().code, core::Code::invalid_argument) << file.filename;
  }
}

TEST_F(ComfyClientTest, View_OverLimit_IsResourceExhausted) {
  ClientOptions options;
  options.max_file_bytes = 50;
  world.connect(options);
  EXPECT_EQ(view({"example.png", "", "input"}).error().code, core::Code::resource_exhausted);
}

TEST_F(ComfyClientTest, Upload_IsFoundByLoadImage) {
  auto file = upload({"shoe \"red\".png", std::string("\x89PNG\0x", 6), "image/png", "sub"});
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->subfolder, "sub");
  EXPECT_EQ(view(*file)->bytes, std::string("\x89PNG\0x", 6));
  auto prompt = slow_prompt(1);
  prompt["1"].get_object()["inputs"].get_object()["image"] = "sub/" + file->filename;
  const std::string id = world.queued_id(prompt);
  world.wait_until_idle();
  auto record = history(id);
  EXPECT_EQ(view((*record)->outputs.at(0).files.at(0))->bytes, std::string("\x89PNG\0x", 6));
}

TEST_F(ComfyClientTest, Upload_OfOtherBytesUnderSameName_IsRenamed) {
  ASSERT_EQ(upload({"a.png", "one"})->filename, "a.png");
  EXPECT_EQ(upload({"a.png", "one"})->filename, "a.png");
  EXPECT_EQ(upload({"a.png", "two"})->filename, "a (1).png");
  FileUpload over{"a.png", "three"};
  over.overwrite = true;
  EXPECT_EQ(upload(over)->filename, "a.png");
  EXPECT_EQ(upload({"../a.png", "x"}).error().code, core::Code::invalid_argument);
  EXPECT_EQ(upload({"a.png", "x", "image/png\r\nX: y"}).error().field, "content_type");
}

TEST_F(ComfyClientTest, Free_IsAccepted) {
  EXPECT_TRUE(
      world.ask<void>([&](auto done) { world.client->free_memory(true, {}, std::move(done)); }));
}

TEST_F(ComfyClientTest, ServerError_IsUnavailable) {
  world.inject(FaultKind::status, "/queue");
  EXPECT_EQ(queue_state().error().code, core::Code::unavailable);
  EXPECT_TRUE(queue_state());
}

TEST_F(ComfyClientTest, SilentServer_IsDeadlineExceeded) {
  ClientOptions options;
  options.request_timeout = core::Millis(100);
  world.connect(options);
  world.inject(FaultKind::hang, "/queue");
  EXPECT_EQ(queue_state().error().code, core::Code::deadline_exceeded);
}

TEST_F(ComfyClientTest, TruncatedJson_IsServerError) {
  for (const char* route : {"/queue", "/object_info"}) world.inject(FaultKind::truncate, route, 1);
  EXPECT_EQ(queue_state().error().code, core::Code::internal);
  EXPECT_EQ(classes().error().code, core::Code::internal);
}

TEST_F(ComfyClientTest, SlowNodeClasses_HaveMoreTimeThanSmallAnswers) {
  ClientOptions options;
  options.request_timeout = core::Millis(50);
  world.connect(options);
  ComfyWorld::Fault fault;
  fault.kind = FaultKind::slow;
  fault.route = "/object_info";
  fault.delay = core::Millis(200);
  world.server->inject(fault);
  EXPECT_TRUE(classes());
}

TEST_F(ComfyClientTest, UnreachableServer_IsUnavailable) {
  const std::string url = world.server->url();
  world.server.reset();
  world.connect({}, url);
  auto queue = queue_state();
  EXPECT_EQ(queue.error().code, core::Code::unavailable);
  EXPECT_THAT(queue.error().message, HasSubstr("cannot be reached"));
}

TEST_F(ComfyClientTest, Cancel_EndsCallAtOnce) {
  world.inject(FaultKind::hang, "/queue");
  core::CancelSource source;
  auto queue = world.ask<QueueState>([&](auto done) {
    world.client->queue_state(source.token(), std::move(done));
    source.cancel("enough");
  });
  EXPECT_EQ(queue.error().code, core::Code::cancelled);
}

TEST(ComfyClientCredentials, Credentials_AreSentWithEveryRequest) {
  for (const bool bearer : {true, false}) {
    ClientOptions options;
    if (bearer) options.credentials.bearer = "secret";
    if (!bearer) options.credentials = {"ada", "pass word", ""};
    auto server = ComfyWorld::quick();
    server.authorization = options.credentials.authorization();
    ComfyWorld world(server);
    const auto ask = [&] {
      return world.ask<QueueState>(
          [&](auto done) { world.client->queue_state({}, std::move(done)); });
    };
    EXPECT_EQ(ask().error().code, core::Code::unauthenticated);
    world.connect(options);
    EXPECT_TRUE(ask());
  }
}

// Tests of the requests themselves, with a fetcher that the test answers.
class ComfyRequestTest : public ::testing::Test {
 protected:
  core::FakeClock clock;
  core::FakeScheduler scheduler{clock};
  core::SeededEntropy entropy{3};
  http_client::FakeFetcher fetcher;
  ComfyClient client{
      *ServerAddress::parse("http://gpu.test:8188/comfy/"), {}, fetcher, entropy, scheduler};
};

TEST_F(ComfyRequestTest, EveryPart_IsEncodedBelowBase) {
  client.node_schema("../a b/ü", {}, [](auto) {});
  client.history("..", {}, [](auto) {});
  client.models("x?y=1#z", {}, [](auto) {});
  client.view({"a&b=c.png", "s/t", "temp"}, {}, [](auto) {});
  Names urls;
  for (const auto& exchange : fetcher.exchanges) urls.push_back(exchange->request.url);
  EXPECT_THAT(
      urls,
      ElementsAre(
          "http://gpu.test:8188/comfy/object_info/..%2Fa%20b%2F%C3%BC",
          "http://gpu.test:8188/comfy/history/%2E%2E",
          "http://gpu.test:8188/comfy/models/x%3Fy%3D1%23z",
          "http://gpu.test:8188/comfy/view?filename=a%26b%3Dc.png&subfolder=s%2Ft&type=temp"));
}

TEST_F(ComfyRequestTest, Requests_HaveNoOriginAndNoRedirect) {
  client.clear_pending({}, [](auto) {});
  const auto& request = fetcher.exchanges.at(0)->request;
  EXPECT_EQ(request.max_redirects, 0);
  for (const std::string& header : request.headers) {
    EXPECT_EQ(header.find("Origin"), std::string::npos);
  }
}

TEST_F(ComfyRequestTest, BrokenAnswers_AreErrors) {
  using End = http_client::FetchEnd::Kind;
  struct Case {
    int status;
    std::string body;
    End end;
    core::Code code;
  };
  const Case cases[] = {
      {200, "", End::complete, core::Code::internal},
      {200, "[]", End::complete, core::Code::internal},
      {200, "{\"queue_running\":[]}", End::complete, core::Code::internal},
      {200, "{} {}", End::complete, core::Code::internal},
      {200, "\xff\xfe", End::complete, core::Code::internal},
      {200, "{\"queue_running\":", End::cut, core::Code::unavailable},
      {302, "", End::complete, core::Code::internal},
      {403, "", End::complete, core::Code::permission_denied},
      {502, "<html>", End::complete, core::Code::unavailable},
      {0, "", End::unreachable, core::Code::unavailable},
      {0, "", End::too_large, core::Code::resource_exhausted},
  };
  for (const Case& bad : cases) {
    fetcher.will_answer({bad.status, {}, {bad.body}, bad.end, "why"});
    std::optional<core::Code> code;
    client.queue_state({}, [&](core::Result<QueueState> queue) { code = queue.error().code; });
    scheduler.run_ready();
    EXPECT_EQ(code, bad.code) << bad.status << " " << bad.body;
  }
}

TEST_F(ComfyRequestTest, CredentialsEchoedByServer_AreMasked) {
  for (const Credentials& credentials :
       {Credentials{"ada", "pass word", ""}, Credentials{"", "", "to-ken"}}) {
    ClientOptions options;
    options.credentials = credentials;
    ComfyClient known(client.address(), options, fetcher, entropy, scheduler);
    for (const int status : {400, 401, 500}) {
      fetcher.will_answer({status,
                           {},
                           {"No user: " + credentials.authorization() + ", pass word, to-ken."},
                           http_client::FetchEnd::Kind::complete,
                           ""});
      std::string message;
      known.queue_state(
          {}, [&](const core::Result<QueueState>& queue) { message = queue.error().message; });
      scheduler.run_ready();
      EXPECT_THAT(message, HasSubstr("No user: "));
      EXPECT_THAT(message, HasSubstr("***"));
      for (const std::string& secret :
           {credentials.authorization(), credentials.password, credentials.bearer}) {
        if (secret.empty()) continue;
        EXPECT_THAT(message, Not(HasSubstr(secret)));
      }
    }
  }
}

TEST_F(ComfyRequestTest, DestroyedClient_CallsNoCallback) {
  auto gone =
      std::make_unique<ComfyClient>(client.address(), ClientOptions{}, fetcher, entropy, scheduler);
  bool called = false;
  gone->queue_state({}, [&](auto) { called = true; });
  gone->view({"../x"}, {}, [&](auto) { called = true; });
  gone.reset();
  scheduler.run_ready();
  EXPECT_TRUE(fetcher.exchanges.at(0)->cancelled);
  EXPECT_FALSE(called);
}

TEST_F(ComfyRequestTest, Cache_IsLimited) {
  ClientOptions options;
  options.max_schemas = 2;
  ComfyClient small(client.address(), options, fetcher, entropy, scheduler);
  const auto ask = [&](const std::string& name) {
    fetcher.will_answer(
        {200, {}, {"{\"" + name + "\":{}}"}, http_client::FetchEnd::Kind::complete, ""});
    const std::size_t before = fetcher.exchanges.size();
    small.node_schema(name, {}, [](auto) {});
    scheduler.advance(core::Millis(1));
    return fetcher.exchanges.size() > before;
  };
  EXPECT_TRUE(ask("A"));
  EXPECT_TRUE(ask("B"));
  EXPECT_TRUE(ask("C"));  // evicts A
  EXPECT_TRUE(ask("A"));
  EXPECT_FALSE(ask("C"));
}

}  // namespace

namespace {

TEST(Multipart, Form_IsReadByServer) {
  core::SeededEntropy entropy(1);
  Multipart form(entropy);
  form.add_file("image", "a \"b\".png", "image/png", std::string("\r\n--x\0", 6));
  form.add_field("subfolder", "");
  form.add_field("type", "input");
  const std::string type = form.content_type();
  const std::string body = form.finish();
  const auto parts = net::read_form(type, body);
  ASSERT_TRUE(parts);
  ASSERT_EQ(parts->size(), 3U);
  EXPECT_EQ((*parts)[0].filename, "a %22b%22.png");
  EXPECT_EQ((*parts)[0].bytes, std::string("\r\n--x\0", 6));
  EXPECT_EQ((*parts)[1].name, "subfolder");
  EXPECT_EQ((*parts)[1].bytes, "");
  EXPECT_EQ((*parts)[2].bytes, "input");
}

}  // namespace

}  // namespace parley::comfyui
