// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "event/event.h"

// The frames of the Loom stream: one JSON object an event, without a line break and without any
// other raw control character (receivers in the wild cut a frame at its first TAB).
namespace parley::runtime {

struct FrameOptions {
  bool with_time = false;  // adds "at", when it happened, in milliseconds since the epoch
};

// Whether an event of a session is shown in the stream: one of the 24 types, or the reply. Others
// (interactions) have their number all the same, so that gaps are normal.
bool is_frame(std::string_view type);
// The event type in a run's session that is not of the 24: the reply line, kept as an event whose
// payload is {"type":"reply","reply":...,"node_id":...,"stop_reason":...,"error"?,
// "reasoning_content"?,"run_id":...}. In the stream it stands without `type`, and ends the run.
inline constexpr std::string_view kReplyType = "reply";
// Whether an event is that line.
bool is_reply(std::string_view type);

// Appends an event as it is shown: session_id and event_id, then the stored members as they are. A
// reply stands without `type`. The payload must be one JSON object; it is copied once.
void append_frame(std::string& out, const event::Event& event, FrameOptions options = {});
std::string frame_of(const event::Event& event, FrameOptions options = {});

// Makes blanks of the control characters in JSON text, where they can only stand between tokens.
void blank_controls(std::string& json, std::size_t from = 0);

}  // namespace parley::runtime
