// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sends frames of two user interfaces and of one before its login, with questions open. The input
// is a sequence of frames: socket (1 byte), length (2 bytes), bytes.
#include <google/protobuf/stubs/logging.h>
#include <spdlog/spdlog.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "tests/support/assistant/assistant_fixture.h"

namespace {

using parley::assistant::AssistantServer;
using parley::assistant::RpcMethod;
using parley::assistant::Ui;

// Every frame that the server sends must decode.
void check(std::vector<std::unique_ptr<Ui>>& uis) {
  for (const auto& ui : uis) {
    for (const std::string& bytes : std::exchange(ui->socket.sent, {})) {
      if (!parley::assistant::decode_frame(bytes)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const bool quiet = [] {
    spdlog::set_level(spdlog::level::off);
    google::protobuf::SetLogHandler(nullptr);
    return true;
  }();
  if (!quiet) return 0;
  AssistantServer server(2);
  std::vector<std::unique_ptr<Ui>> uis;
  for (int i = 0; i < 3; ++i) uis.push_back(std::make_unique<Ui>(server));
  uis[0]->enter("tok", "Al");
  uis[1]->enter("other", "Bo");
  server.call(RpcMethod::ask_question, parley::assistant::question("q1", "Which way?"));
  server.call(RpcMethod::task_finish, parley::assistant::report("r1", "Done."));
  server.run();
  std::string_view input(reinterpret_cast<const char*>(data), size);
  for (int frames = 0; frames < 64 && input.size() >= 3; ++frames) {
    Ui& ui = *uis[static_cast<unsigned char>(input[0]) % uis.size()];
    const std::size_t wanted =
        static_cast<unsigned char>(input[1]) * 256U + static_cast<unsigned char>(input[2]);
    input.remove_prefix(3);
    const std::string_view frame = input.substr(0, wanted);
    input.remove_prefix(frame.size());
    if (ui.socket.is_open) ui.send_bytes(frame);
    if ((wanted & 1U) == 0) server.run();
    check(uis);
  }
  server.run();
  check(uis);
  return 0;
}
