// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/scheduler.h"
#include "net/websocket.h"

namespace parley::assistant {

using FrameMaker = std::function<net::OutgoingMessagePtr(std::string_view bytes)>;

// Frames that many connections of one shard get in the same turn of its loop: encoded by the first
// that needs one, shared by the rest, forgotten at the end of the turn. One thread.
class FrameCache {
 public:
  FrameCache(core::Scheduler& scheduler, FrameMaker make)
      : scheduler_(scheduler), make_(std::move(make)) {}

  // The frame of this key; `encode()` gives its bytes if there is none yet. Two frames that differ
  // must have different keys.
  template <typename Encode>
  net::OutgoingMessagePtr get(const std::string& key, Encode encode) {
    const auto found = frames_->find(key);
    if (found != frames_->end()) return found->second;
    if (frames_->empty()) {
      scheduler_.post([frames = std::weak_ptr<Frames>(frames_)] {
        if (const auto live = frames.lock()) live->clear();
      });
    }
    net::OutgoingMessagePtr frame = make_(encode());
    frames_->emplace(key, frame);
    return frame;
  }

  std::size_t size() const { return frames_->size(); }

 private:
  using Frames = absl::flat_hash_map<std::string, net::OutgoingMessagePtr>;

  core::Scheduler& scheduler_;
  FrameMaker make_;
  std::shared_ptr<Frames> frames_ = std::make_shared<Frames>();
};

}  // namespace parley::assistant
