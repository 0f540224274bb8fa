// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/core/worker.h"
#include "base/http_client/curl_fetcher.h"
#include "runtime/comfyui/comfy_client.h"
#include "runtime/comfyui/event_socket.h"
#include "tests/support/comfyui/fake_comfyui.h"

namespace parley::comfyui {

// A client with the stand-in as its server, each on a thread of its own. For tests.
class ComfyWorld {
 public:
  using Fault = fake_comfyui::Fault;

  explicit ComfyWorld(fake_comfyui::FakeOptions options = quick()) {
    auto started = fake_comfyui::FakeComfyUi::start(std::move(options));
    server = std::move(*started);
    connect();
  }
  ~ComfyWorld() {
    on_home([this] { client.reset(); });
    home.stop();
  }
  ComfyWorld(const ComfyWorld&) = delete;
  ComfyWorld& operator=(const ComfyWorld&) = delete;

  static fake_comfyui::FakeOptions quick() {
    fake_comfyui::FakeOptions options;
    options.tick = core::Millis(1);
    return options;
  }

  // Replaces the client by one with other options.
  void connect(ClientOptions options = {}, const std::string& url = {}) {
    on_home([&] {
      client =
          std::make_unique<ComfyClient>(*ServerAddress::parse(url.empty() ? server->url() : url),
                                        options, fetcher, entropy, home);
    });
  }

  // Runs `task` on the client's thread, and waits for it.
  template <typename Task>
  void on_home(Task task) {
    std::promise<void> ran;
    home.post([&] {
      task();
      ran.set_value();
    });
    ran.get_future().wait();
  }

  // Starts a call with its `done`, and waits for the result.
  template <typename T, typename Begin>
  core::Result<T> ask(Begin begin) {
    auto told = std::make_shared<std::promise<core::Result<T>>>();
    auto answer = told->get_future();
    home.post([begin = std::move(begin), told]() mutable {
      begin([told](core::Result<T> result) { told->set_value(std::move(result)); });
    });
    if (answer.wait_for(std::chrono::minutes(2)) != std::future_status::ready) {
      ADD_FAILURE() << "no answer";
      return core::fail(core::Code::unknown, "no answer");
    }
    return answer.get();
  }

  core::Result<PromptAnswer> queue(boost::json::object prompt, bool front = false) {
    PromptRequest request;
    request.prompt = std::move(prompt);
    request.front = front;
    return ask<PromptAnswer>([&](auto done) { client->queue(request, {}, std::move(done)); });
  }
  std::string queued_id(boost::json::object prompt, bool front = false) {
    auto answer = queue(std::move(prompt), front);
    if (!answer || !std::holds_alternative<QueuedPrompt>(*answer)) {
      ADD_FAILURE() << "not queued";
      return {};
    }
    return std::get<QueuedPrompt>(*answer).prompt_id;
  }
  // Waits until the server has no pending or running workflow.
  void wait_until_idle() {
    wait_for(
        [](const QueueState& queue) { return queue.running.empty() && queue.pending.empty(); });
  }
  template <typename Rule>
  void wait_for(Rule rule) {
    for (int i = 0; i < 5'000; ++i) {
      auto queue = ask<QueueState>([&](auto done) { client->queue_state({}, std::move(done)); });
      if (!queue || rule(*queue)) return;
    }
    ADD_FAILURE() << "the queue does not come to that";
  }
  void inject(Fault::Kind kind, std::string route = {}, int times = 1) {
    Fault fault;
    fault.kind = kind;
    fault.route = std::move(route);
    fault.times = times;
    server->inject(std::move(fault));
  }

  core::SystemClock clock;
  core::SystemEntropy entropy;
  http_client::CurlFetcher fetcher{clock};
  SocketThread sockets{clock, entropy};
  core::Worker home{clock};
  std::unique_ptr<fake_comfyui::FakeComfyUi> server;
  std::unique_ptr<ComfyClient> client;
};

inline boost::json::object json_object(std::string_view text) {
  return boost::json::parse(boost::json::string_view(text.data(), text.size())).get_object();
}

// A workflow from text to picture.
inline boost::json::object sample_prompt(int seed = 5, int steps = 4) {
  boost::json::object prompt = json_object(R"({
    "4":{"class_type":"CheckpointLoaderSimple",
         "inputs":{"ckpt_name":"dreamshaper_8.safetensors"}},
    "5":{"class_type":"EmptyLatentImage","inputs":{"width":64,"height":48,"batch_size":1}},
    "6":{"class_type":"CLIPTextEncode","inputs":{"text":"a lighthouse","clip":["4",1]}},
    "7":{"class_type":"CLIPTextEncode","inputs":{"text":"","clip":["4",1]}},
    "3":{"class_type":"KSampler","inputs":{"model":["4",0],"seed":5,"steps":4,"cfg":7,
         "sampler_name":"euler","scheduler":"normal","positive":["6",0],"negative":["7",0],
         "latent_image":["5",0],"denoise":1}},
    "8":{"class_type":"VAEDecode","inputs":{"samples":["3",0],"vae":["4",2]}},
    "9":{"class_type":"SaveImage","inputs":{"images":["8",0],"filename_prefix":"ComfyUI"}}})");
  boost::json::object& inputs = prompt["3"].get_object()["inputs"].get_object();
  inputs["seed"] = seed;
  inputs["steps"] = steps;
  return prompt;
}

// A workflow that runs for `ticks` ticks.
inline boost::json::object slow_prompt(int ticks) {
  boost::json::object prompt = json_object(R"({
    "1":{"class_type":"LoadImage","inputs":{"image":"example.png"}},
    "2":{"class_type":"TestSlow","inputs":{"image":["1",0],"ticks":1}},
    "3":{"class_type":"PreviewImage","inputs":{"images":["2",0]}}})");
  prompt["2"].get_object()["inputs"].get_object()["ticks"] = ticks;
  return prompt;
}

}  // namespace parley::comfyui
