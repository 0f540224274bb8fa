// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/json_writer.h"

namespace parley::loom {

// Builds one message to a client: {"type":TYPE,"id":ID, ...}. An empty id is left out.
class LoomAnswer {
 public:
  LoomAnswer(std::string_view type, std::string_view id) : json_(text_) {
    json_.begin_object().key("type").string(type);
    if (!id.empty()) json_.key("id").string(id);
  }
  LoomAnswer(const LoomAnswer&) = delete;
  LoomAnswer& operator=(const LoomAnswer&) = delete;

  core::JsonWriter& json() { return json_; }
  LoomAnswer& text(std::string_view name, std::string_view value) {
    json_.key(name).string(value);
    return *this;
  }
  // The complete message. Call once.
  std::string finish() {
    json_.end_object();
    return std::move(text_);
  }

 private:
  std::string text_;
  core::JsonWriter json_;
};

inline std::string error_answer(std::string_view id, std::string_view error) {
  return LoomAnswer("error", id).text("error", error).finish();
}

}  // namespace parley::loom
