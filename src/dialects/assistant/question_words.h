// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/session/interaction.h"

namespace parley::assistant {

// The whole request as one text, for clients that show no structured questions (generations 1 and
// 2): its text, the questions that the text does not contain, the choices of each, and how to
// answer. Equals `prompt.text` if there is nothing to choose.
std::string question_in_words(const session::Prompt& prompt);

}  // namespace parley::assistant
