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

// The candidates in what a model wrote, at most `most`: JSON {"candidates":[...]} (or the bare
// list), else lines "CANDIDATE i: THOUGHT: ... | TOOL_CALLS: [...]", else the whole text as one.
// Calls that it made instead of writing them belong to the only candidate. Calls have no ids yet.
std::vector<Candidate> read_candidates(const model::Message& reply, std::size_t most);

// One score of each of `count` candidates, from 0 to 1: JSON {"scores":[...]} or the bare list, or
// lines that end in a number. Scales up to 10 or 100 are brought to 1. Nothing if they cannot be
// told.
std::optional<std::vector<double>> read_scores(std::string_view text, std::size_t count);

// A score from the form of a candidate alone, 0 to 1, for where the model gave none: thoughts of
// sensible length, with tools where the request asks for a search, about the request's words.
double heuristic_score(const Candidate& candidate, std::string_view request);

}  // namespace parley::agent
