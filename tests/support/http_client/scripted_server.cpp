// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/http_client/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/core/ascii.h"

namespace parley::http_client {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;
constexpr std::size_t kQueueBytes = 256U << 10U;  // limit of the bytes that wait to be sent

std::string hexadecimal(std::size_t value) {
  std::array<char, 20> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16).ptr;
  return {text.data(), end};
}

ServedRequest read_head(std::string_view head) {
  ServedRequest request;
  const std::size_t line_end = head.find("\r\n");
  const std::string_view line = head.substr(0, line_end);
  const std::size_t first = line.find(' ');
  const std::size_t second = line.find(' ', first + 1);
  request.method = line.substr(0, first);
  request.target = line.substr(first + 1, second - first - 1);
  head.remove_prefix(std::min(line_end + 2, head.size()));
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view header = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = header.find(':');
    if (colon == std::string_view::npos) continue;
    std::string_view value = header.substr(colon + 1);
    while (value.starts_with(' ')) value.remove_prefix(1);
    request.headers.emplace_back(core::lowered(header.substr(0, colon)), value);
  }
  return request;
}

// Writes the current time into a piece that is about to be sent.
void stamp(std::string& bytes) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  std::string time =
      std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  time.insert(0, kStampMark.size() - time.size(), '0');
  for (std::size_t at = bytes.find(kStampMark); at != std::string::npos;
       at = bytes.find(kStampMark, at)) {
    bytes.replace(at, kStampMark.size(), time);
  }
}

}  // namespace

std::string ServedRequest::header(std::string_view name) const {
  for (const auto& [own_name, value] : headers) {
    if (own_name == name) return value;
  }
  return {};
}

class ScriptedServer::Worker {
 public:
  Worker(Handler handler, std::uint16_t port);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  std::uint16_t port() const;
  void run();
  void stop();
  std::vector<ServedRequest> requests() const;
  std::size_t abandoned() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Connection {
    int fd = -1;
    std::string in;
    std::string out;
    std::optional<ScriptedAnswer> answer;
    std::size_t next_piece = 0;
    bool head_sent = false;
    bool closing = false;  // close once `out` is sent
    std::optional<Time> due;
  };

  void accept_all();
  void ready(Connection& connection, std::uint32_t events);
  void read_some(Connection& connection);
  bool begin_answer(Connection& connection);
  void advance(Connection& connection);
  void put_head(Connection& connection);
  void put_piece(Connection& connection, std::string bytes);
  void put_end(Connection& connection);
  void flush(Connection& connection);
  void wait_until(Connection& connection, core::Millis delay);
  void lost(Connection& connection);
  void close(Connection& connection, bool reset);
  int wait_ms() const;
  void run_due();

  Handler handler_;
  int listener_;
  int epoll_;
  int wakeup_;
  std::map<int, Connection> connections_;
  std::set<std::pair<Time, int>> due_;
  mutable std::mutex mutex_;  // guards the members below
  std::vector<ServedRequest> requests_;
  std::size_t abandoned_ = 0;
  bool stop_ = false;
};

ScriptedServer::Worker::Worker(Handler handler, std::uint16_t port)
    : handler_(std::move(handler)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wakeup_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_, 4096) != 0) {
    throw std::runtime_error(std::string("cannot listen: ") + std::strerror(errno));
  }
  for (const int fd : {listener_, wakeup_}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }
}

ScriptedServer::Worker::~Worker() {
  for (const auto& [fd, connection] : connections_) ::close(fd);
  ::close(listener_);
  ::close(epoll_);
  ::close(wakeup_);
}

std::uint16_t ScriptedServer::Worker::port() const {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

void ScriptedServer::Worker::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  const std::uint64_t one = 1;
  (void)!::write(wakeup_, &one, sizeof one);
}

std::vector<ServedRequest> ScriptedServer::Worker::requests() const {
  const std::scoped_lock lock(mutex_);
  return requests_;
}

std::size_t ScriptedServer::Worker::abandoned() const {
  const std::scoped_lock lock(mutex_);
  return abandoned_;
}

int ScriptedServer::Worker::wait_ms() const {
  if (due_.empty()) return -1;
  const auto left =
      std::chrono::ceil<core::Millis>(due_.begin()->first - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void ScriptedServer::Worker::run() {
  std::array<epoll_event, 128> events{};
  while (true) {
    const int count = ::epoll_wait(epoll_, events.data(), events.size(), wait_ms());
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events.at(static_cast<std::size_t>(i));
      if (event.data.fd == listener_) {
        accept_all();
      } else if (const auto found = connections_.find(event.data.fd); found != connections_.end()) {
        ready(found->second, event.events);
      }
    }
    run_due();
    const std::scoped_lock lock(mutex_);
    if (stop_) return;
  }
}

void ScriptedServer::Worker::run_due() {
  const Time now = std::chrono::steady_clock::now();
  while (!due_.empty() && due_.begin()->first <= now) {
    Connection& connection = connections_.at(due_.begin()->second);
    due_.erase(due_.begin());
    connection.due.reset();
    advance(connection);
  }
}

void ScriptedServer::Worker::accept_all() {
  while (true) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections_[fd].fd = fd;
    epoll_event event{};
    event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    event.data.fd = fd;
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
  }
}

void ScriptedServer::Worker::ready(Connection& connection, std::uint32_t events) {
  const int fd = connection.fd;
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) {
    read_some(connection);
    if (!connections_.contains(fd)) return;
  }
  if ((events & EPOLLOUT) != 0) advance(connection);
}

void ScriptedServer::Worker::read_some(Connection& connection) {
  std::array<char, kReadBytes> buffer{};
  while (true) {
    const ssize_t count = ::recv(connection.fd, buffer.data(), buffer.size(), 0);
    if (count > 0) {
      connection.in.append(buffer.data(), static_cast<std::size_t>(count));
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) return lost(connection);
    break;
  }
  if (!connection.answer && begin_answer(connection)) advance(connection);
}

bool ScriptedServer::Worker::begin_answer(Connection& connection) {
  const std::size_t head_end = connection.in.find("\r\n\r\n");
  if (head_end == std::string::npos) return false;
  ServedRequest request = read_head(std::string_view(connection.in).substr(0, head_end));
  const std::string length = request.header("content-length");
  std::size_t body_bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), body_bytes);
  if (connection.in.size() < head_end + 4 + body_bytes) return false;
  request.body = connection.in.substr(head_end + 4, body_bytes);
  connection.in.erase(0, head_end + 4 + body_bytes);
  {
    const std::scoped_lock lock(mutex_);
    requests_.push_back(request);
  }
  connection.answer = handler_(request);
  connection.next_piece = 0;
  connection.head_sent = false;
  wait_until(connection, connection.answer->head_delay);
  return !connection.due.has_value();
}

void ScriptedServer::Worker::wait_until(Connection& connection, core::Millis delay) {
  if (delay.count() <= 0) return;
  connection.due = std::chrono::steady_clock::now() + delay;
  due_.emplace(*connection.due, connection.fd);
}

// Continues the answer as far as delays and the client's reading allow.
void ScriptedServer::Worker::advance(Connection& connection) {
  const int fd = connection.fd;
  flush(connection);
  if (!connections_.contains(fd)) return;
  while (connection.answer && !connection.due && !connection.closing &&
         connection.out.size() < kQueueBytes) {
    const ScriptedAnswer& answer = *connection.answer;
    if (!connection.head_sent) {
      put_head(connection);
      if (!answer.pieces.empty()) wait_until(connection, answer.pieces.front().delay);
    } else if (connection.next_piece < answer.pieces.size()) {
      put_piece(connection, answer.pieces[connection.next_piece++].bytes);
      if (connection.next_piece < answer.pieces.size()) {
        wait_until(connection, answer.pieces[connection.next_piece].delay);
      }
    } else if (answer.end == ScriptedAnswer::End::endless && !answer.pieces.empty()) {
      put_piece(connection, answer.pieces.back().bytes);
    } else if (answer.end == ScriptedAnswer::End::hang) {
      break;
    } else {
      put_end(connection);
    }
    // A piece with a delay of its own is sent in a packet of its own.
    flush(connection);
    if (!connections_.contains(fd)) return;
  }
}

void ScriptedServer::Worker::put_head(Connection& connection) {
  const ScriptedAnswer& answer = *connection.answer;
  connection.head_sent = true;
  if (answer.no_head) return;
  std::string& out = connection.out;
  out += "HTTP/1.1 " + std::to_string(answer.status) + " Scripted\r\n";
  for (const auto& [name, value] : answer.headers)
    out.append(name).append(": ").append(value).append("\r\n");
  if (answer.framing == ScriptedAnswer::Framing::chunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (answer.framing == ScriptedAnswer::Framing::length) {
    // a declared length that is never reached
    std::size_t bytes = answer.end == ScriptedAnswer::End::whole ? 0 : 1;
    for (const ScriptedAnswer::Piece& piece : answer.pieces) bytes += piece.bytes.size();
    out += "Content-Length: " + std::to_string(bytes) + "\r\n";
  } else {
    out += "Connection: close\r\n";
  }
  out += "\r\n";
}

void ScriptedServer::Worker::put_piece(Connection& connection, std::string bytes) {
  if (bytes.empty()) return;
  if (connection.answer->stamped) stamp(bytes);
  if (connection.answer->framing != ScriptedAnswer::Framing::chunked) {
    connection.out += bytes;
    return;
  }
  connection.out += hexadecimal(bytes.size()) + "\r\n" + bytes + "\r\n";
}

void ScriptedServer::Worker::put_end(Connection& connection) {
  const ScriptedAnswer& answer = *connection.answer;
  if (answer.end != ScriptedAnswer::End::whole) {
    connection.closing = true;
    return;
  }
  if (answer.framing == ScriptedAnswer::Framing::chunked) connection.out += "0\r\n\r\n";
  if (answer.framing == ScriptedAnswer::Framing::until_close) {
    connection.closing = true;
    return;
  }
  connection.answer.reset();
  (void)begin_answer(connection);  // the next request may have arrived already
}

void ScriptedServer::Worker::flush(Connection& connection) {
  while (!connection.out.empty()) {
    const ssize_t count =
        ::send(connection.fd, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count < 0) return lost(connection);
    connection.out.erase(0, static_cast<std::size_t>(count));
  }
  if (connection.closing) {
    close(connection, connection.answer && connection.answer->end == ScriptedAnswer::End::reset);
  }
}

// Handles the loss of the client, which a failed write or the end of its input reveals.
void ScriptedServer::Worker::lost(Connection& connection) {
  if (connection.answer) {
    const std::scoped_lock lock(mutex_);
    ++abandoned_;
  }
  close(connection, false);
}

void ScriptedServer::Worker::close(Connection& connection, bool reset) {
  const int fd = connection.fd;
  if (connection.due) due_.erase({*connection.due, fd});
  if (reset) {
    const linger at_once{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  ::close(fd);
  connections_.erase(fd);
}

ScriptedServer::ScriptedServer(Handler handler, std::uint16_t port)
    : worker_(std::make_unique<Worker>(std::move(handler), port)) {
  port_ = worker_->port();
  thread_ = std::thread([this] { worker_->run(); });
}

ScriptedServer::~ScriptedServer() {
  worker_->stop();
  thread_.join();
}

std::vector<ServedRequest> ScriptedServer::requests() const { return worker_->requests(); }
std::size_t ScriptedServer::abandoned() const { return worker_->abandoned(); }

}  // namespace parley::http_client
