// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "model/event/session_reader.h"

namespace parley::event {

// Receives a part of the export, in whole lines. Its error ends the export, which returns it.
using ExportSink = std::function<core::Result<void>(std::string_view lines)>;

// Writes the events of one session, or of all if `session` is empty, as JSON Lines: the events of a
// session in order of seq, the sessions in order of creation. Each page is a snapshot of its own; a
// server may be running. Returns the number of events. Errors: `not_found` (no such session), and
// those of the reader and of `sink`.
core::Result<std::uint64_t> export_events(SessionReader& reader, const std::string& session,
                                          const ExportSink& sink);

// Appends one line: {"session":…,"seq":…,"at":"2026-01-31T12:00:00.000Z","direction":…,"type":…,
// "payload":{…}} and a line feed. The payload is the stored text, with line ends replaced by
// spaces.
void append_export_line(std::string& out, const Event& event);

}  // namespace parley::event
