// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "base/net/http/http.h"

namespace parley::net {

class HttpConnection;

// The BodyWriter of one streamed answer. Connection and body may be destroyed in either order. A
// body that is destroyed without end() cuts the connection, so that the client notices that bytes
// are missing.
class HttpBody final : public BodyWriter {
 public:
  // A null `connection` discards every byte: the body of an answer to HEAD.
  HttpBody(HttpConnection* connection, core::Scheduler& scheduler, bool event_stream)
      : connection_(connection), scheduler_(scheduler), event_stream_(event_stream) {}
  HttpBody(const HttpBody&) = delete;
  HttpBody& operator=(const HttpBody&) = delete;
  ~HttpBody() override;

  void write(std::string_view bytes) override;
  void end() override;
  bool open() const override { return connection_ != nullptr; }
  std::size_t queued() const override;
  void on_disconnect(core::Task task) override;

  // Called by the connection when it is gone or aborts this body.
  void lost();
  bool is_event_stream() const { return event_stream_; }

 private:
  HttpConnection* connection_;
  core::Scheduler& scheduler_;
  core::Task on_disconnect_;
  bool event_stream_;
  bool ended_ = false;
};

}  // namespace parley::net
