// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "demo_model/step.h"
#include "runtime/model/model.h"

// How far a request has been done in a conversation, and what comes next.
namespace parley::demo_model {

// What became of one step.
struct Outcome {
  enum class Kind : std::uint8_t {
    done,
    failed,      // a call of it; what comes after is left out
    missing,     // parameters that the request does not give
    impossible,  // no tool fits
    talk,        // nothing to call: a greeting, words to be said
  };
  Kind kind = Kind::done;
  Step step;
  std::string tool;
  std::vector<std::string> results;  // as the tool gave them, one for each call
  std::vector<std::string> missing;
};

struct Progress {
  Request request;
  std::vector<Outcome> outcomes;
  std::vector<model::ToolCall> next;  // the calls that come next; empty: all is done that can be
  std::size_t next_step = 0;
  std::size_t left_out = 0;  // steps after one that failed
};

// The last message of the user that asks for something. Null: there is none.
const model::Message* last_request(const std::vector<model::Message>& messages);

// Follows the steps of `request` through what was called and answered after the last request of the
// conversation. `given`: what was there before the first step ("write it to b.txt").
Progress walk(std::string_view request, const model::ModelRequest& conversation,
              std::optional<std::string> given = std::nullopt);

// What a tool gave, without the line that names the tool and without line numbers.
std::string plain_result(std::string_view result);

}  // namespace parley::demo_model
