// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/event/event.h"
#include "runtime/stream/event_parser.h"
#include "runtime/stream/run_event.h"

// The single-key form of the events (contract section 1.5): {"TaskStart":{"node_id":"think",...}}.
namespace parley::runtime {

// Key of a type: "TaskStart" of "node_enter"; empty if the type is unknown.
std::string_view export_key_of(std::string_view type);
// Type of a key; empty if the key is unknown.
std::string_view type_of_export_key(std::string_view key);

// One object with exactly one key, without an envelope. Absent members are null.
std::string export_form(const runtime::RunEvent& event);
// A parsed frame in this form: a reply as its line, without the envelope; an unknown event
// verbatim.
std::string export_form(const StreamLine& line);

// A stored event in this form. A reply keeps its own line, without the envelope, because it has no
// key. std::nullopt if the event is not a frame of the stream, or cannot be read.
std::optional<std::string> export_of(const event::Event& event);

}  // namespace parley::runtime
