// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/entropy.h"
#include "base/net/http/http_text.h"
#include "base/net/server/server.h"
#include "tests/support/core/fake_scheduler.h"
#include "tests/support/net/memory_network.h"

namespace parley::net {

// A response as received by a test's client.
struct WireResponse {
  int status = 0;
  Headers headers;
  std::string body;       // without chunk framing
  bool complete = false;  // the end of the body was seen
};

// Reads one response from the front of `bytes`. std::nullopt if its head is incomplete.
inline std::optional<WireResponse> read_response(std::string_view& bytes, bool head_only = false) {
  const std::size_t head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return std::nullopt;
  std::string_view head = bytes.substr(0, head_end + 2);
  bytes.remove_prefix(head_end + 4);
  WireResponse out;
  std::from_chars(head.data() + 9, head.data() + 12, out.status);
  head.remove_prefix(head.find("\r\n") + 2);
  while (!head.empty()) {
    const std::size_t colon = head.find(':');
    const std::size_t end = head.find("\r\n");
    out.headers.add(std::string(head.substr(0, colon)),
                    std::string(trim(head.substr(colon + 1, end - colon - 1))));
    head.remove_prefix(end + 2);
  }
  if (head_only || out.status < 200 || out.status == 204 || out.status == 304) {
    out.complete = true;
    return out;
  }
  if (out.headers.get("Transfer-Encoding") != "chunked") {
    const std::string_view length = out.headers.get("Content-Length");
    std::size_t size = bytes.size();
    if (!length.empty()) std::from_chars(length.data(), length.data() + length.size(), size);
    out.complete = !length.empty() && bytes.size() >= size;
    out.body = bytes.substr(0, size);
    bytes.remove_prefix(out.body.size());
    return out;
  }
  while (true) {
    const std::size_t line = bytes.find("\r\n");
    if (line == std::string_view::npos) return out;
    std::size_t size = 0;
    std::from_chars(bytes.data(), bytes.data() + line, size, 16);
    if (bytes.size() < line + 2 + size + 2) return out;
    out.body.append(bytes.substr(line + 2, size));
    bytes.remove_prefix(line + 2 + size + 2);
    if (size == 0) {
      out.complete = true;
      return out;
    }
  }
}

// A client for tests: writes raw bytes and keeps all received ones.
class HttpPeer final : public StreamHandler {
 public:
  explicit HttpPeer(std::unique_ptr<Stream> stream) : stream_(std::move(stream)) {
    stream_->set_handler(this);
  }
  void send(std::string_view bytes) { stream_->write(bytes); }
  void finish() { stream_->finish(); }
  void drop() { stream_.reset(); }
  void pause(bool pause) { stream_->pause_reading(pause); }
  bool ended() const { return ended_ || closed_; }
  const std::string& received() const { return received_; }
  // The responses that arrived since the last call.
  std::vector<WireResponse> take(bool head_only = false) {
    std::string_view rest = received_;
    std::vector<WireResponse> out;
    while (auto one = read_response(rest, head_only)) out.push_back(std::move(*one));
    received_ = std::string(rest);
    return out;
  }

  void on_data(Stream& /*stream*/, char* data, std::size_t size) override {
    received_.append(data, size);
  }
  void on_end(Stream& /*stream*/) override { ended_ = true; }
  void on_closed(Stream& /*stream*/) override { closed_ = true; }

 private:
  std::unique_ptr<Stream> stream_;
  std::string received_;
  bool ended_ = false;
  bool closed_ = false;
};

// A server and its clients on one thread, with an in-memory network and a fake clock.
class HttpWorld {
 public:
  explicit HttpWorld(MemoryNetworkOptions network_options = {})
      : scheduler(clock), network(std::move(network_options)) {
    options.log_requests = false;
  }

  void start(const std::string& host = "127.0.0.1") {
    server = std::make_unique<Server>(network, std::move(router), options, metrics, entropy);
    endpoint = server->listen({&scheduler}, Endpoint{host, 0}).value();
  }

  std::unique_ptr<HttpPeer> connect() {
    std::unique_ptr<HttpPeer> peer;
    network.connect(scheduler, endpoint, [&](core::Result<std::unique_ptr<Stream>> stream) {
      peer = std::make_unique<HttpPeer>(std::move(stream.value()));
    });
    scheduler.run_ready();
    return peer;
  }

  // Sends `wire` over a new connection and returns the responses.
  std::vector<WireResponse> exchange(std::string_view wire, bool head_only = false) {
    const auto peer = connect();
    peer->send(wire);
    scheduler.run_ready();
    return peer->take(head_only);
  }

  // Sends one request with the field lines `fields` and returns the response.
  WireResponse request(const std::string& method, const std::string& target,
                       const std::string& fields = {}, const std::string& body = {}) {
    std::string wire = method + " " + target + " HTTP/1.1\r\n";
    if (fields.find("Host:") == std::string::npos) wire += "Host: 127.0.0.1\r\n";
    wire += fields;
    if (!body.empty()) wire += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    const auto responses = exchange(wire + "\r\n" + body, method == "HEAD");
    return responses.empty() ? WireResponse() : responses.front();
  }

  double counted(std::string_view name, const Metrics::Labels& labels) {
    return metrics.counter(name, "", labels).value();
  }

  core::FakeClock clock;
  core::FakeScheduler scheduler;
  MemoryNetwork network;
  core::SeededEntropy entropy{1};
  Metrics metrics;
  Router router;
  ServerOptions options;
  std::unique_ptr<Server> server;
  Endpoint endpoint;
};

}  // namespace parley::net
