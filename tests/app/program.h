// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/core/temp_folder.h"
#include "tools/conformance/http_client.h"
#include "tools/conformance/process.h"

namespace parley::tests {

using conformance::in_ms;

inline constexpr std::int64_t kPatience = 60'000;  // ms; for actions that should take far less

inline std::string read_file(const std::string& path) {
  const std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline unsigned mode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777U : 0U;
}

// Sets the umask of this process, which the programs it starts inherit, until its destruction.
class Umask {
 public:
  explicit Umask(mode_t mask) : old_(::umask(mask)) {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(old_); }

 private:
  const mode_t old_;
};

// Result of a program that has ended.
struct Ran {
  int status = -1;
  std::string out;
  std::string errors;
};

// Waits until `holds()`.
template <typename Holds>
bool wait_for(Holds holds) {
  const auto give_up = in_ms(kPatience);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > give_up) return false;
    ::usleep(10'000);
  }
  return true;
}

// Runs parley with `arguments`, isolated from the settings of the user who runs the test. Programs
// in bin/ of the directory take precedence over those of the system.
inline conformance::Process::Start command(const core::TempFolder& dir,
                                           std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), PARLEY_PROGRAM);
  const char* path = std::getenv("PATH");
  return {std::move(arguments),
          {{"HOME", dir.path()},
           {"PATH", dir.file("bin") + ":" + (path == nullptr ? "/usr/bin:/bin" : path)},
           {"XDG_CONFIG_HOME", dir.file("config")},
           {"XDG_DATA_HOME", dir.file("share")},
           {"XDG_STATE_HOME", dir.file("state")},
           {"NO_COLOR", "1"}},
          dir.path()};
}

inline Ran run(const core::TempFolder& dir, std::vector<std::string> arguments,
               std::string_view input = {}) {
  Ran ran;
  auto process = conformance::Process::start(command(dir, std::move(arguments)));
  if (!process) {
    ADD_FAILURE() << process.error().message;
    return ran;
  }
  if (!input.empty()) {
    EXPECT_TRUE((*process)->write_all(input, in_ms(kPatience)));
  }
  (*process)->close_input();
  while ((*process)->read_some(ran.out, in_ms(kPatience)).value_or(false)) {
  }
  ran.status = (*process)->wait(in_ms(kPatience)).value_or(-1);
  ran.errors = (*process)->errors();
  return ran;
}

// Creates a user in the data directory "data" with `parley user add`; `more`: further flags.
inline Ran add_user(const core::TempFolder& dir, const std::string& email, const std::string& name,
                    const std::string& password, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"user",           "add",    email,
                                        "--name",         name,     "--data",
                                        dir.file("data"), "--json", "--password-stdin"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(dir, std::move(arguments), password + "\n");
}

// A running server.
class Server {
 public:
  Server(const core::TempFolder& dir, std::vector<std::string> arguments)
      : Server(serve_command(dir, std::move(arguments))) {}
  // `start`: a command that runs the server, in any environment.
  explicit Server(const conformance::Process::Start& start) {
    auto process = conformance::Process::start(start);
    if (!process) {
      ADD_FAILURE() << process.error().message;
      return;
    }
    process_ = std::move(*process);
    while (out_.find('\n') == std::string::npos) {
      if (!process_->read_some(out_, in_ms(kPatience)).value_or(false)) {
        ADD_FAILURE() << "no ready line: " << process_->errors();
        return;
      }
    }
    url_ = out_.substr(0, out_.find('\n'));
    EXPECT_TRUE(url_.starts_with("ready http")) << url_;
    url_.erase(0, std::string("ready ").size());
  }

  static conformance::Process::Start serve_command(const core::TempFolder& dir,
                                                   std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "serve");
    return command(dir, std::move(arguments));
  }

  const std::string& url() const { return url_; }
  std::string port() const { return url_.substr(url_.rfind(':') + 1); }
  void signal(int number) { process_->signal(number); }
  int wait(std::int64_t ms = kPatience) { return process_->wait(in_ms(ms)).value_or(-1); }
  std::string errors() const { return process_->errors(); }
  // Everything written to stdout. Blocks until the server has ended.
  std::string out() {
    while (process_->read_some(out_, in_ms(kPatience)).value_or(false)) {
    }
    return out_;
  }

  // Logs a user in; returns the member `data` of the answer.
  boost::json::value log_in(const std::string& email, const std::string& password) const {
    const boost::json::value body = {{"email", email}, {"password", password}};
    const Answer answer = call("POST", "/api/v1/auth/login", "", boost::json::serialize(body));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? answer.json().at("data") : boost::json::value();
  }

  std::unique_ptr<conformance::HttpExchange> start(const std::string& method,
                                                   const std::string& path,
                                                   const std::string& token,
                                                   const std::string& body = {},
                                                   const std::string& accept = "*/*") const {
    conformance::HttpRequest request;
    request.method = method;
    request.path = path;
    request.headers = {{"Accept", accept}, {"Authorization", "Bearer " + token}};
    request.body = body;
    const auto target = conformance::Target::parse(url_);
    auto exchange = conformance::HttpExchange::start(*target, request, in_ms(kPatience));
    if (!exchange) {
      ADD_FAILURE() << exchange.error().message;
      return nullptr;
    }
    return std::move(*exchange);
  }

  struct Answer {
    int status = 0;
    std::string body;
    boost::json::value json() const { return boost::json::parse(body); }
  };
  Answer call(const std::string& method, const std::string& path, const std::string& token,
              const std::string& body = {}) const {
    const auto exchange = start(method, path, token, body);
    if (!exchange) return {};
    Answer answer;
    const auto head = exchange->head(in_ms(kPatience));
    if (!head) {
      ADD_FAILURE() << head.error().message;
      return {};
    }
    answer.status = head->status;
    answer.body = exchange->body(in_ms(kPatience)).value_or("");
    return answer;
  }

 private:
  std::unique_ptr<conformance::Process> process_;
  std::string out_;
  std::string url_;
};

// A TCP connection from 127.0.0.`host` for raw bytes.
class Wire {
 public:
  explicit Wire(const Server& server, int host = 1)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in from = address((127U << 24U) + static_cast<std::uint32_t>(host), 0);
    EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&from), sizeof(from)), 0);
    const sockaddr_in to = address(INADDR_LOOPBACK, std::stoi(server.port()));
    EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)), 0);
  }
  ~Wire() { ::close(fd_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  int fd() const { return fd_; }
  void send(const std::string& bytes) const {
    EXPECT_EQ(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

 private:
  static sockaddr_in address(std::uint32_t host, int port) {
    sockaddr_in out{};
    out.sin_family = AF_INET;
    out.sin_addr.s_addr = htonl(host);
    out.sin_port = htons(static_cast<std::uint16_t>(port));
    return out;
  }

  int fd_;
};

}  // namespace parley::tests
