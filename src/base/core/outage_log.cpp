// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/outage_log.h"

#include <spdlog/spdlog.h>

namespace parley::core {

void OutageLog::note(const Result<void>& done) {
  if (done && failed_) spdlog::info("{}: they can again", what_);
  if (!done && !failed_) spdlog::warn("{}: {}", what_, done.error().message);
  failed_ = !done;
}

}  // namespace parley::core
