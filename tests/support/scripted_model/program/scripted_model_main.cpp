// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// parley-scripted-model SCRIPT.json [PORT]   answers as the script says, until SIGTERM or SIGINT.
// Prints "ready BASE_URL" once it listens. SIGUSR1 prints the requests so far, one JSON object a
// line: target, true if a key was sent, the body.
#include <pthread.h>

#include <charconv>
#include <csignal>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/core/json_writer.h"
#include "tests/support/scripted_model/scripted_model.h"

namespace {

std::string record_of(const parley::http_client::ServedRequest& request) {
  std::string out;
  parley::core::JsonWriter json(out);
  json.begin_object().key("target").string(request.target);
  json.key("key").boolean(!request.header("authorization").empty());
  json.key("thread_id").string(request.header("x-thread-id"));
  json.key("body").string(request.body).end_object();
  return out;
}

int refuse_script(const std::string& what) {
  std::cerr << "parley-scripted-model: " << what << "\n";
  return 2;
}

int serve(parley::model::Script script, std::uint16_t port) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const parley::model::ScriptedModel model(std::move(script), port);
  std::cout << "ready " << model.base_url() << std::endl;
  std::size_t printed = 0;
  while (true) {
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGUSR1) return 0;
    const auto requests = model.requests();
    for (; printed < requests.size(); ++printed) std::cout << record_of(requests[printed]) << "\n";
    std::cout << std::flush;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) return refuse_script("usage: parley-scripted-model SCRIPT.json [PORT]");
  const std::ifstream in(argv[1], std::ios::binary);
  if (!in) return refuse_script(std::string(argv[1]) + " cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  auto script = parley::model::read_script(text.str());
  if (!script) return refuse_script(script.error().message);
  std::uint16_t port = 0;
  const std::string_view number(argc > 2 ? argv[2] : "0");
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), port);
  if (error != std::errc() || end != number.data() + number.size()) {
    return refuse_script("the port is no number");
  }
  try {
    return serve(std::move(*script), port);
  } catch (const std::exception& failure) {
    return refuse_script(failure.what());
  }
}
