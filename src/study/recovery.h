// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/result.h"
#include "event/session_reader.h"
#include "study/study_index.h"

namespace parley::study {

struct RecoveredList {
  std::size_t found = 0;  // studies that the list lacked
};

// Brings the list of studies level with the session store and the logs of the data directory:
// studies of the store that it lacks are put in, as far as their events are still kept, and every
// number that a study or a file has had counts as taken. Blocks.
core::Result<RecoveredList> recover_list(StudyIndex& index, event::SessionReader& reader,
                                         const std::string& data_dir, bool write_logs);

}  // namespace parley::study
