// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/server/http_body.h"

#include <string>
#include <utility>

#include "base/core/assert.h"
#include "base/net/server/http_connection.h"

namespace parley::net {

HttpBody::~HttpBody() {
  if (connection_ != nullptr) std::exchange(connection_, nullptr)->abandon_body();
}

void HttpBody::write(std::string_view bytes) {
  PARLEY_ASSERT(
      connection_ == nullptr || scheduler_.in_thread(),
      "HTTP body: " + std::to_string(bytes.size()) + " bytes are written by another thread");
  if (connection_ != nullptr && !bytes.empty()) connection_->write_body(bytes);
}

void HttpBody::end() {
  if (ended_) return;
  PARLEY_ASSERT(connection_ == nullptr || scheduler_.in_thread(),
                "HTTP body: ended by another thread");
  ended_ = true;
  on_disconnect_ = nullptr;
  if (connection_ != nullptr) std::exchange(connection_, nullptr)->end_body();
}

std::size_t HttpBody::queued() const { return connection_ == nullptr ? 0 : connection_->queued(); }

void HttpBody::on_disconnect(core::Task task) {
  if (ended_) return;
  if (connection_ != nullptr) {
    on_disconnect_ = std::move(task);
  } else {
    scheduler_.post(std::move(task));
  }
}

void HttpBody::lost() {
  PARLEY_ASSERT(!ended_, "HTTP body: lost after its end");
  connection_ = nullptr;
  if (on_disconnect_) scheduler_.post(std::exchange(on_disconnect_, nullptr));
}

}  // namespace parley::net
