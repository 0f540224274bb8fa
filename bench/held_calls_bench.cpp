// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// held_calls_bench BIN_DIR OUT [CALLS]
//
// Resident memory of the real server while agents of 100 tokens wait for answers by MCP over HTTP:
// each call has a connection, a durable question, and an event stream that has begun. The peer is
// the aim: 20,000 calls in 1 GiB.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "child_process.h"
#include "mcp_request.h"
#include "person_tokens.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr int kTokens = 100;
constexpr double kAimBytes = (1024.0 * 1024 * 1024) / 20'000;
constexpr int kWaitSeconds = 3'600;
constexpr rlim_t kOtherDescriptors = 200;
constexpr const char* kToken = "bench-token";

// Waits for the head of the answer: the stream begins while the call waits.
void await_stream(int fd) {
  std::string text;
  std::array<char, 1024> buffer{};
  while (text.find("\r\n\r\n") == std::string::npos) {
    const ssize_t got = read(fd, buffer.data(), buffer.size());
    check(got > 0, "the stream of a call");
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  check(text.find("text/event-stream") != std::string::npos, text.c_str());
}

// The number of calls for which there are descriptors, here and in the server.
int within_limits(int calls) {
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  return static_cast<int>(
      std::min<rlim_t>(static_cast<rlim_t>(calls), descriptors.rlim_cur - kOtherDescriptors));
}

int run(const std::string& bin, const std::string& out, int calls) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("parley-held-calls-" + std::to_string(getpid()));
  double each = 0;
  {
    ChildProcess server({bin + "/parley", "serve", "--listen", "127.0.0.1:0", "--data",
                         folder.string(), "--token", kToken, "--log-level", "error",
                         "--limits-connections", "50000"});
    const std::uint16_t port = port_of(server.read_line());
    std::vector<std::string> tokens;
    for (int i = 0; i < kTokens; ++i) tokens.push_back(make_token(port, kToken, i));
    const double before = resident(server.pid());
    std::vector<int> sockets;
    for (int i = 0; i < calls; ++i) {
      sockets.push_back(connect_to(port));
      const std::string& token = tokens[static_cast<std::size_t>(i % kTokens)];
      write_all(sockets.back(), mcp_request(port, token, i, kWaitSeconds));
    }
    for (const int fd : sockets) await_stream(fd);
    each = (resident(server.pid()) - before) / calls;
    for (const int fd : sockets) close(fd);
  }
  std::filesystem::remove_all(folder);
  std::ofstream file(out);
  file << R"([{"name":"memory of a held call of MCP over HTTP","value":)" << each
       << R"(,"unit":"bytes","peer":"the aim","peer_value":)" << kAimBytes << R"(,"ratio":)"
       << each / kAimBytes << R"(,"ratio_min":)" << each / kAimBytes << R"(,"ratio_max":)"
       << each / kAimBytes << "}]\n";
  std::printf("held calls: %.0f bytes each of %d\n", each, calls);
  return file.good() ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "held_calls_bench BIN_DIR OUT [CALLS]\n");
    return 2;
  }
  return parley::bench::run(argv[1], argv[2],
                            parley::bench::within_limits(argc > 3 ? std::atoi(argv[3]) : 20'000));
}
