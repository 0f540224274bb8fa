// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// round_trip_bench BIN_DIR OUT [ROUNDS]
//
// The time of one question and its answer through all parts: a JSON-RPC line into
// agentassistant-mcp, Connect to the server, a durable question, a frame to a user interface, its
// reply, a durable answer, and the JSON-RPC line back. The peer, round by round in the same run, is
// the time of this machine for one fdatasync of a small append and four hops over loopback TCP. The
// same question by MCP over HTTP, in revision 2026-07-28, is compared with the one on stdio.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "child_process.h"
#include "mcp_request.h"
#include "user_interface.h"

namespace parley::bench {
namespace {

constexpr int kWarmUp = 20;
constexpr std::size_t kAppendBytes = 400;
constexpr const char* kToken = "bench-token";

double us_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

// The lower bound: one fdatasync and four hops over loopback TCP.
class Floor {
 public:
  explicit Floor(const std::filesystem::path& folder)
      : file_(open((folder / "floor").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)) {
    check(file_ >= 0, "open");
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(at);
    check(bind(listener, reinterpret_cast<sockaddr*>(&at), size) == 0, "bind");
    check(listen(listener, 1) == 0, "listen");
    getsockname(listener, reinterpret_cast<sockaddr*>(&at), &size);
    socket_ = connect_to(ntohs(at.sin_port));
    const int peer = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    check(peer >= 0, "accept");
    const int on = 1;
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    close(listener);
    echo_ = std::thread([peer] {
      std::array<char, kAppendBytes> buffer{};
      ssize_t got = 0;
      while ((got = read(peer, buffer.data(), buffer.size())) > 0) {
        if (write(peer, buffer.data(), static_cast<std::size_t>(got)) != got) break;
      }
      close(peer);
    });
  }
  ~Floor() {
    shutdown(socket_, SHUT_RDWR);
    echo_.join();
    close(socket_);
    close(file_);
  }
  Floor(const Floor&) = delete;
  Floor& operator=(const Floor&) = delete;

  double sync_us() {
    const std::string block(kAppendBytes, 'x');
    const auto start = std::chrono::steady_clock::now();
    write_all(file_, block);
    check(fdatasync(file_) == 0, "fdatasync");
    return us_since(start);
  }

  double four_hops_us() {
    const std::string block(kAppendBytes, 'x');
    std::array<char, kAppendBytes> buffer{};
    const auto start = std::chrono::steady_clock::now();
    for (int trip = 0; trip < 2; ++trip) {  // a trip there and back is two hops
      write_all(socket_, std::string_view(block).substr(0, 100));
      std::size_t got = 0;
      while (got < 100) {
        const ssize_t more = read(socket_, buffer.data(), 100 - got);
        check(more > 0, "read");
        got += static_cast<std::size_t>(more);
      }
    }
    return us_since(start);
  }

 private:
  int file_;
  int socket_ = -1;
  std::thread echo_;
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

// One row of the result: a JSON object.
std::string row(const std::vector<double>& asks, const std::string& peer,
                const std::vector<double>& floors,
                const std::string& name = "ask to answer, durable, p50") {
  const double ask = quantile(asks, 0.5);
  const double least = quantile(floors, 0.5);
  std::ostringstream out;
  out << R"({"name":")" << name << R"(","value":)" << ask << R"(,"unit":"us","peer":")" << peer
      << R"(","peer_value":)" << least << R"(,"ratio":)" << ask / least << R"(,"ratio_min":)"
      << quantile(asks, 0.25) / quantile(floors, 0.75) << R"(,"ratio_max":)"
      << quantile(asks, 0.75) / quantile(floors, 0.25) << "}";
  return out.str();
}

double ask_us(ChildProcess& mcp, UserInterface& ui, int id) {
  const std::string call = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                           R"(,"method":"tools/call","params":{"name":"ask_question","arguments":)"
                           R"({"project_directory":"/bench","question":"Go on?","timeout":60}}})";
  const auto start = std::chrono::steady_clock::now();
  mcp.write_line(call);
  ui.answer_one();
  const std::string result = mcp.read_line();
  const double took = us_since(start);
  check(result.find("\"yes\"") != std::string::npos, result.c_str());
  return took;
}

// An agent on one connection to /mcp.
class HttpAgent {
 public:
  explicit HttpAgent(std::uint16_t port) : socket_(connect_to(port)), port_(port) {}
  ~HttpAgent() { close(socket_); }
  HttpAgent(const HttpAgent&) = delete;
  HttpAgent& operator=(const HttpAgent&) = delete;

  double ask_us(UserInterface& ui, int id) {
    const std::string request = mcp_request(port_, kToken, id, 60);
    const auto start = std::chrono::steady_clock::now();
    write_all(socket_, request);
    ui.answer_one();
    const std::string result = read_answer();
    const double took = us_since(start);
    check(result.find("\"yes\"") != std::string::npos, result.c_str());
    return took;
  }

 private:
  // An answer of known length.
  std::string read_answer() {
    constexpr std::string_view kLength = "Content-Length: ";
    std::string text;
    std::array<char, 4096> buffer{};
    while (true) {
      const std::size_t head = text.find("\r\n\r\n");
      const std::size_t length = text.find(kLength);
      if (head != std::string::npos && length < head) {
        const auto size =
            static_cast<std::size_t>(std::atoi(text.c_str() + length + kLength.size()));
        if (text.size() >= head + 4 + size) return text;
      }
      const ssize_t got = read(socket_, buffer.data(), buffer.size());
      check(got > 0, "the answer of /mcp");
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  const int socket_;
  const std::uint16_t port_;
};

int run(const std::string& bin, const std::string& out, int rounds) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("parley-round-trip-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::vector<double> asks;
  std::vector<double> floors;
  std::vector<double> chains;
  std::vector<double> by_http;
  {
    ChildProcess server({bin + "/parley", "serve", "--listen", "127.0.0.1:0", "--data",
                         (folder / "data").string(), "--token", kToken, "--log-level", "error"});
    const std::uint16_t port = port_of(server.read_line());
    ChildProcess mcp({bin + "/agentassistant-mcp", "--host", "127.0.0.1", "--port",
                      std::to_string(port), "--token", kToken});
    mcp.write_line(
        R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
        R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})");
    mcp.read_line();
    mcp.write_line(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    UserInterface ui(port, kToken);
    HttpAgent agent(port);
    Floor floor(folder);
    for (int round = 1; round <= kWarmUp + rounds; ++round) {
      const double ask = ask_us(mcp, ui, round);
      const double http = agent.ask_us(ui, round);
      const double sync = floor.sync_us();
      const double hops = floor.four_hops_us();
      if (round <= kWarmUp) continue;
      asks.push_back(ask);
      by_http.push_back(http);
      floors.push_back(sync + hops);
      chains.push_back(2 * sync + hops * 6 / 4);
    }
  }
  std::filesystem::remove_all(folder);
  std::ofstream file(out);
  file << "[" << row(asks, "one fdatasync and four loopback hops", floors) << ",\n"
       << row(asks, "the least that two commits in turn can take: two fdatasync and six hops",
              chains)
       << ",\n"
       << row(by_http, "the same by agentassistant-mcp on stdio", asks,
              "ask to answer over /mcp, durable, p50")
       << "]\n";
  std::printf(
      "ask to answer: p50 %.0f us, p90 %.0f us, p99 %.0f us; over /mcp p50 %.0f us; floor p50 %.0f "
      "us; two commits %.0f us\n",
      quantile(asks, 0.5), quantile(asks, 0.9), quantile(asks, 0.99), quantile(by_http, 0.5),
      quantile(floors, 0.5), quantile(chains, 0.5));
  return file.good() ? 0 : 1;
}

}  // namespace
}  // namespace parley::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "round_trip_bench BIN_DIR OUT [ROUNDS]\n");
    return 2;
  }
  return parley::bench::run(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 500);
}
