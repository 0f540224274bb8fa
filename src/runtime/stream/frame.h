// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/event/event.h"

// The frames of the Loom stream: one JSON object per event, without line breaks and other raw
// control characters (some existing receivers cut a frame at its first TAB).
namespace parley::runtime {

struct FrameOptions {
  bool with_time = false;  // adds "at", the time of the event in milliseconds since the epoch
};

// True if an event of a session is shown in the stream: one of the 24 types, or the reply. Other
// events (interactions) have numbers too, so gaps are normal.
bool is_frame(std::string_view type);
// True if an event carries the state of its run, or a change of it: the largest ones.
bool is_state(std::string_view type);
// Type of the one stream event that is not among the 24: the reply line, stored as an event with
// the payload
// {"type":"reply","reply":...,"node_id":...,"stop_reason":...,"error"?,"reasoning_content"?,
// "run_id":...}. In the stream it has no `type`, and ends the run.
inline constexpr std::string_view kReplyType = "reply";
// True if an event is the reply line.
bool is_reply(std::string_view type);

// Appends an event in the form of the stream: session_id and event_id, then the stored members
// unchanged, without `type` for a reply. The payload must be one JSON object; it is copied once.
void append_frame(std::string& out, const event::Event& event, FrameOptions options = {});
std::string frame_of(const event::Event& event, FrameOptions options = {});

// Replaces control characters in JSON text by spaces; valid JSON has them only between tokens.
void blank_controls(std::string& json, std::size_t from = 0);

}  // namespace parley::runtime
