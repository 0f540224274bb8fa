// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// login_memory_bench BIN_DIR OUT [CONNECTIONS]
//
// Resident memory of the real server per user interface that is logged in and idle. They share 100
// tokens, as a hundred people with many devices would.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "child_process.h"
#include "person_tokens.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr int kTokens = 100;
constexpr double kAimBytes = 1536;
constexpr const char* kToken = "bench-token";

int run(const std::string& bin, const std::string& out, int connections) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("parley-login-memory-" + std::to_string(getpid()));
  double each = 0;
  {
    ChildProcess server({bin + "/parley", "serve", "--listen", "127.0.0.1:0", "--data",
                         folder.string(), "--token", kToken, "--log-level", "error"});
    const std::uint16_t port = port_of(server.read_line());
    std::vector<std::string> tokens;
    for (int i = 0; i < kTokens; ++i) tokens.push_back(make_token(port, kToken, i));
    std::vector<UserInterface> people;
    people.reserve(static_cast<std::size_t>(connections + kTokens));
    // Not measured: the first login of each token creates its session.
    for (const std::string& token : tokens) people.emplace_back(port, token);
    const double before = resident(server.pid());
    for (int i = 0; i < connections; ++i) {
      people.emplace_back(port, tokens[static_cast<std::size_t>(i % kTokens)]);
    }
    each = (resident(server.pid()) - before) / connections;
  }
  std::filesystem::remove_all(folder);
  std::ofstream file(out);
  file << R"([{"name":"user memory of an idle connection, logged in","value":)" << each
       << R"(,"unit":"bytes","peer":"the aim","peer_value":)" << kAimBytes << R"(,"ratio":)"
       << each / kAimBytes << R"(,"ratio_min":)" << each / kAimBytes << R"(,"ratio_max":)"
       << each / kAimBytes << "}]\n";
  std::printf("idle and logged in: %.0f bytes each of %d\n", each, connections);
  return file.good() ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "login_memory_bench BIN_DIR OUT [CONNECTIONS]\n");
    return 2;
  }
  return parley::bench::run(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 10'000);
}
