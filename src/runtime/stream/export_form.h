// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "event/event.h"
#include "runtime/stream/event_parser.h"
#include "runtime/stream/run_event.h"

// The single-key form of the events (contract section 1.5): {"TaskStart":{"node_id":"think",...}}.
namespace parley::runtime {

// The key of a type, "TaskStart" of "node_enter"; empty: there is no such type.
std::string_view export_key_of(std::string_view type);
// The type of a key; empty: there is no such key.
std::string_view type_of_export_key(std::string_view key);

// One object with exactly one key, without an envelope. What is absent is null.
std::string export_form(const runtime::RunEvent& event);
// A frame that was read, in this form: a reply as its line, without the envelope; what is not known
// as it came.
std::string export_form(const StreamLine& line);

// A stored event in this form. A reply keeps its own line, without the envelope, for there is no
// key for it. Empty: it is not a frame of the stream, or cannot be read.
std::optional<std::string> export_of(const event::Event& event);

}  // namespace parley::runtime
