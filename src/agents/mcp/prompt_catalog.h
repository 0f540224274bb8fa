// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "agents/mcp/exchange.h"
#include "base/core/json_writer.h"

namespace parley::mcp {

// Answers prompts/list and prompts/get: texts that make a model ask its person.
void list_prompts(const ExchangePtr& exchange);
void get_prompt(const ExchangePtr& exchange);
// True if the prompt exists and has this argument.
bool prompt_has(std::string_view prompt, std::string_view argument);

// Refuses a list request with a cursor: these lists have one page. True if it was refused.
bool refuse_cursor(const ExchangePtr& exchange);
// Appends the cache hints that revision 2026-07-28 requires of lists.
void write_cache_hints(core::JsonWriter& json, const ClientFacts& client);

}  // namespace parley::mcp
