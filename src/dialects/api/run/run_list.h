// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/core/json_writer.h"
#include "dialects/api/api.h"
#include "runtime/run/run.h"

namespace parley::api {

// Writes the members of a run into an open object.
void write_run(core::JsonWriter& json, const run::Run& run);

// Answers `call` with server-sent events about future changes: each of the caller's runs that
// begins, changes its state or ends, and each session of runs that is deleted (event "removed"). If
// `session` is not empty, only changes in that session. There is no backlog: after a reconnection
// the client must read a page of the list. Needs Context::run_changes.
void stream_run_list(const Context& context, Call call, std::string session);

}  // namespace parley::api
