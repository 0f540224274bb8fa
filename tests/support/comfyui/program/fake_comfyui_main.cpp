// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// parley-fake-comfyui [--port N] [--tick MS] [--deterministic] [--any-origin]
//   [--object-info-bytes N] [--authorization HEADER] [--inject JSON]...
// A stand-in for a ComfyUI server on 127.0.0.1, until SIGTERM or SIGINT. Prints
// "ready http://127.0.0.1:PORT" once it listens. docs/comfyui.md says what it does.
#include <pthread.h>

#include <boost/json/parse.hpp>
#include <charconv>
#include <csignal>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/comfyui/fake_comfyui.h"

namespace {

namespace fake = parley::fake_comfyui;

constexpr std::size_t kMaxObjectInfo = 16U << 20U;

int complain(const std::string& what) {
  std::cerr << "parley-fake-comfyui: " << what << "\n";
  return 2;
}

struct CommandLine {
  fake::FakeOptions options;
  std::vector<fake::Fault> faults;
  std::string problem;
};

bool read_number(std::string_view text, std::size_t most, std::size_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() && out <= most;
}

void read_value(std::string_view flag, std::string_view text, CommandLine& out) {
  std::size_t number = 0;
  if (flag == "--port" && read_number(text, std::numeric_limits<std::uint16_t>::max(), number)) {
    out.options.port = static_cast<std::uint16_t>(number);
  } else if (flag == "--tick" && read_number(text, 60'000, number)) {
    out.options.tick = parley::core::Millis(number);
  } else if (flag == "--object-info-bytes" && read_number(text, kMaxObjectInfo, number)) {
    out.options.object_info_bytes = number;
  } else if (flag == "--authorization") {
    out.options.authorization = text;
  } else if (flag == "--inject") {
    boost::system::error_code error;
    const boost::json::value json = boost::json::parse(text, error);
    auto fault = fake::read_fault(json.is_object() ? json.get_object() : boost::json::object());
    if (!fault) {
      out.problem = "--inject: " + fault.error().field + ": " + fault.error().message;
    } else {
      out.faults.push_back(std::move(*fault));
    }
  } else {
    out.problem = std::string(flag) + " does not take " + std::string(text);
  }
}

CommandLine read_command_line(const std::vector<std::string_view>& words) {
  CommandLine out;
  for (std::size_t i = 0; i < words.size() && out.problem.empty(); ++i) {
    if (words[i] == "--deterministic") {
      out.options.deterministic = true;
    } else if (words[i] == "--any-origin") {
      out.options.any_origin = true;
    } else if (i + 1 < words.size()) {
      read_value(words[i], words[i + 1], out);
      ++i;
    } else {
      out.problem = "what is " + std::string(words[i]) + "?";
    }
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line = read_command_line({argv + 1, argv + argc});
  if (!line.problem.empty()) return complain(line.problem);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  auto server = fake::FakeComfyUi::start(std::move(line.options));
  if (!server) return complain(server.error().message);
  for (fake::Fault& fault : line.faults) (*server)->inject(std::move(fault));
  std::cout << "ready " << (*server)->url() << std::endl;
  int signal = 0;
  sigwait(&signals, &signal);
  return 0;
}
