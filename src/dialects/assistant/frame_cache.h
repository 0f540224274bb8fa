// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/core/scheduler.h"
#include "base/net/websocket/websocket.h"

namespace parley::assistant {

using FrameMaker = std::function<net::OutgoingMessagePtr(std::string_view bytes)>;

// Kinds of shared frames. Kind and name together identify a frame.
enum class FrameKind : char {
  opened_task_finish = 'o',
  opened_work_report = 'O',
  closed_task_finish = 'c',
  closed_work_report = 'C',
  opened_in_words = 'w',
  closed_in_words = 'W',
  closed_task_finish_named = 'n',
  closed_work_report_named = 'N',
  connected = '+',
  disconnected = '-',
  signal = 's',
  answering = 'a',
};

// Cache of frames that many connections of one shard send in the same turn of its loop. The first
// connection encodes a frame, the rest share its bytes, and the cache is cleared at the end of the
// turn. Used on one thread.
class FrameCache {
 public:
  FrameCache(core::Scheduler& scheduler, FrameMaker make)
      : scheduler_(scheduler), make_(std::move(make)) {}

  // Returns the frame of this kind and name; calls `encode()` for its bytes if it is not cached.
  // Two different frames must differ in kind or name.
  template <typename Encode>
  net::OutgoingMessagePtr get(FrameKind kind, std::string_view name, Encode encode) {
    State& state = *state_;
    if (state.last && state.last_kind == kind && state.last_name == name) return state.last;
    std::string key(1, static_cast<char>(kind));
    key += name;
    net::OutgoingMessagePtr& frame = state.frames[std::move(key)];
    if (!frame) frame = make_(encode());
    if (!std::exchange(state.clearing, true)) {
      scheduler_.post([weak = std::weak_ptr<State>(state_)] {
        if (const auto live = weak.lock()) *live = State();
      });
    }
    state.last = frame;
    state.last_kind = kind;
    state.last_name = name;
    return frame;
  }

  std::size_t size() const { return state_->frames.size(); }

 private:
  struct State {
    absl::flat_hash_map<std::string, net::OutgoingMessagePtr> frames;
    // The frame returned last; the next connection mostly asks for the same one.
    net::OutgoingMessagePtr last;
    FrameKind last_kind = FrameKind::signal;
    std::string last_name;
    bool clearing = false;
  };

  core::Scheduler& scheduler_;
  FrameMaker make_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace parley::assistant
