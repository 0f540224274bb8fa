// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/net/server/server.h"
#include "dialects/chat/routes.h"
#include "tests/support/chat/chat_world.h"
#include "tests/support/net/http_test_world.h"
#include "tests/support/net/memory_network.h"

namespace parley::chat {

// The routes of a ChatWorld behind a real HTTP server, over a network in memory. For tests.
class FrontEndServer {
 public:
  FrontEndServer() {
    net::Router router;
    install(router, *world.context);
    options_.log_requests = false;
    server_ = std::make_unique<net::Server>(network_, std::move(router), options_, world.metrics,
                                            world.runs.entropy);
    endpoint_ = server_->listen({&world.runs.scheduler}, net::Endpoint{"127.0.0.1", 0}).value();
  }

  struct Answer {
    int status = 0;
    int code = 0;
    std::string message;
    boost::json::value data;
    net::Headers headers;
    std::string body;
  };

  // Sends one request on a connection of its own.
  Answer call(std::string_view method, const std::string& target, const std::string& body = {},
              const std::string& type = "application/json", const std::string& token = "tok") {
    std::unique_ptr<net::HttpPeer> peer;
    network_.connect(world.runs.scheduler, endpoint_,
                     [&](core::Result<std::unique_ptr<net::Stream>> stream) {
                       peer = std::make_unique<net::HttpPeer>(std::move(stream.value()));
                     });
    world.wait([&] { return peer != nullptr; });
    std::string head = std::string(method) + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
    if (!token.empty()) head += "Authorization: Bearer " + token + "\r\n";
    if (!body.empty()) {
      head +=
          "Content-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
    }
    peer->send(head + "\r\n" + body);
    std::optional<net::WireResponse> response;
    world.wait([&] {
      std::string_view bytes = peer->received();
      response = net::read_response(bytes);
      if (response && response->complete) return true;
      // A download waits on a timer when its reader is slow.
      if (response) world.runs.clock.advance(core::Millis(1));
      return peer->ended();
    });
    return response ? answer_of(std::move(*response)) : Answer{};
  }
  Answer get(const std::string& target, const std::string& token = "tok") {
    return call("GET", target, {}, {}, token);
  }

  ChatWorld world;

 private:
  static Answer answer_of(net::WireResponse response) {
    Answer out;
    out.status = response.status;
    boost::system::error_code error;
    const boost::json::value wrapper = boost::json::parse(response.body, error);
    if (!error && wrapper.is_object() && wrapper.get_object().contains("traceId")) {
      const boost::json::object& object = wrapper.get_object();
      out.code = static_cast<int>(object.at("code").as_int64());
      out.message = std::string(object.at("message").as_string());
      out.data = object.at("data");
    }
    out.headers = std::move(response.headers);
    out.body = std::move(response.body);
    return out;
  }

  net::MemoryNetwork network_;
  net::ServerOptions options_;
  std::unique_ptr<net::Server> server_;
  net::Endpoint endpoint_;
};

// The text of a member of an object; for tests.
inline std::string text_at(const boost::json::value& value, std::string_view name) {
  return std::string(value.as_object().at(name).as_string());
}

}  // namespace parley::chat
