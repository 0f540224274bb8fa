// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/core/result.h"
#include "model/event/session_reader.h"
#include "services/study/study_index.h"

namespace parley::study {

struct RecoveredList {
  std::size_t found = 0;  // number of studies that were added to the list
};

// Completes the list of studies from the session store and the logs of the data directory: adds the
// missing studies whose sessions are still stored, and marks every number that a study or a log
// file has as taken. Blocks.
core::Result<RecoveredList> recover_list(StudyIndex& index, event::SessionReader& reader,
                                         const std::string& data_dir, bool write_logs);

}  // namespace parley::study
