// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "user_interface.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "agentassist.pb.h"

namespace parley::bench {
namespace {

agentassistproto::WebsocketMessage parse(const std::string& payload) {
  agentassistproto::WebsocketMessage message;
  message.ParseFromString(payload);
  return message;
}

}  // namespace

void check(bool good, const char* what) {
  if (good) return;
  std::perror(what);
  std::exit(1);
}

int connect_to(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0, "connect");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return fd;
}

void write_all(int fd, std::string_view bytes) {
  check(write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "write");
}

std::uint16_t port_of(const std::string& ready) {
  const std::size_t colon = ready.rfind(':');
  check(ready.starts_with("ready http://") && colon != std::string::npos, "the ready line");
  return static_cast<std::uint16_t>(std::stoi(ready.substr(colon + 1)));
}

UserInterface::UserInterface(std::uint16_t port, const std::string& token) : fd_(connect_to(port)) {
  write_all(fd_,
            "GET /ws?gen=1 HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  while (bytes_.find("\r\n\r\n") == std::string::npos) fill();
  bytes_.erase(0, bytes_.find("\r\n\r\n") + 4);
  agentassistproto::WebsocketMessage login;
  login.set_cmd("UserLogin");
  login.set_strparam(token);
  login.set_nickname("bench");
  send(login.SerializeAsString());
  agentassistproto::WebsocketMessage answer = parse(receive());
  while (answer.cmd() != "UserLogin") answer = parse(receive());
  check(answer.userloginresponse().success(), "the login");
}

UserInterface::UserInterface(UserInterface&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), bytes_(std::move(other.bytes_)) {}

UserInterface::~UserInterface() {
  if (fd_ >= 0) close(fd_);
}

void UserInterface::answer_one() {
  agentassistproto::WebsocketMessage question = parse(receive());
  while (question.cmd() != "AskQuestion") question = parse(receive());
  agentassistproto::WebsocketMessage reply;
  reply.set_cmd("AskQuestionReply");
  *reply.mutable_askquestionrequest() = question.askquestionrequest();
  auto* response = reply.mutable_askquestionresponse();
  response->set_id(question.askquestionrequest().id());
  auto* content = response->add_contents();
  content->set_type(1);
  content->mutable_text()->set_type("text");
  content->mutable_text()->set_text("yes");
  send(reply.SerializeAsString());
}

void UserInterface::fill() {
  std::array<char, 65536> buffer{};
  const ssize_t got = read(fd_, buffer.data(), buffer.size());
  check(got > 0, "read from the server");
  bytes_.append(buffer.data(), static_cast<std::size_t>(got));
}

std::string UserInterface::receive() {
  while (bytes_.size() < 4) fill();
  std::size_t head = 2;
  std::size_t size = byte(1) & 0x7fU;
  if (size == 126) {
    size = byte(2) << 8U | byte(3);
    head = 4;
  }
  while (bytes_.size() < head + size) fill();
  std::string payload;
  if ((byte(0) & 0x0fU) == 2) payload = bytes_.substr(head, size);
  bytes_.erase(0, head + size);
  return payload;
}

void UserInterface::send(const std::string& payload) {
  std::string frame = "\x82";
  if (payload.size() < 126) {
    frame.push_back(static_cast<char>(0x80U | payload.size()));
  } else {
    frame.push_back(static_cast<char>(0x80U | 126U));
    frame.push_back(static_cast<char>(payload.size() >> 8U));
    frame.push_back(static_cast<char>(payload.size() & 0xffU));
  }
  frame.append(4, '\0');  // a mask of zeros leaves the payload as it is
  frame += payload;
  write_all(fd_, frame);
}

}  // namespace parley::bench
