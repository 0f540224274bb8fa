// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "api/api.h"

namespace parley::api {

// Answers `call` with server-sent events: each run of the caller that begins, changes its state or
// ends, and each session of runs that is deleted (event "removed"), from now on; those of one
// session, if `session` is not empty. Nothing is kept for a disconnected client, which reads a page
// of the list after it has reconnected. Needs Context::run_changes.
void stream_run_list(const Context& context, Call call, std::string session);

}  // namespace parley::api
