// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "model/event/session_reader.h"
#include "services/study/study.h"

namespace parley::study {

// The lines of one study log, in order. Blocks; use on one thread.
class LogSource {
 public:
  LogSource() = default;
  LogSource(const LogSource&) = delete;
  LogSource& operator=(const LogSource&) = delete;
  virtual ~LogSource() = default;

  // Reads the next line, without its line feed. `line` is valid until the next call. False: the
  // end.
  virtual core::Result<bool> next(std::string_view& line) = 0;
  // True if the line that next() returned last has its line feed.
  virtual bool complete() const { return true; }
};

// The lines of a file. Errors: `not_found`, `permission_denied`, `data_loss`.
core::Result<std::unique_ptr<LogSource>> open_log_file(const std::string& path);

// The lines of the event store, in the form of the study's file. `reader` must outlive the source.
// Errors: `not_found` (the store has no such session).
core::Result<std::unique_ptr<LogSource>> open_stored_log(event::SessionReader& reader,
                                                         const std::string& session);

// The state of the logs of a data directory.
enum class LogFiles : std::uint8_t {
  whole,       // they have all that the event store has, or had
  may_be_old,  // another server may have continued a study: those of stores in a database
};

// True if the log of a study is its file, if there is one: the events are not all there any more,
// or the files are whole. `reader` may be null.
core::Result<bool> prefers_file(LogFiles files, const Study& study, event::SessionReader* reader);

// The log of a study of a data directory: its file or its events, the preferred one of those that
// are there. `reader` may be null.
core::Result<std::unique_ptr<LogSource>> open_study_log(const std::string& data_dir, LogFiles files,
                                                        const Study& study,
                                                        event::SessionReader* reader);

}  // namespace parley::study
