// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/agent/tot_state.h"
#include "runtime/model/message.h"

namespace parley::agent {

// The candidates in a model's text, at most `most`: JSON {"candidates":[...]} (or the bare list),
// else lines "CANDIDATE i: THOUGHT: ... | TOOL_CALLS: [...]", else the whole text as one candidate.
// If there is only one candidate, and it has no calls, it gets those of the reply. Calls have no
// ids yet.
std::vector<Candidate> read_candidates(const model::Message& reply, std::size_t most);

// A score from 0 to 1 for each of `count` candidates: JSON {"scores":[...]} or the bare list, or
// lines that end in a number. Scales up to 10 or 100 are normalised to 1. std::nullopt if the
// scores cannot be read.
std::optional<std::vector<double>> read_scores(std::string_view text, std::size_t count);

// A score from 0 to 1 by form alone, used if the model gave none: favours thoughts of 10 to 2,000
// bytes, calls (more so if the request asks for a search), and words of the request.
double heuristic_score(const Candidate& candidate, std::string_view request);

}  // namespace parley::agent
