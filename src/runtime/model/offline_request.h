// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/model/offline_text.h"

// What the demonstration model takes a request for: its steps, and of each what is to be done with
// what. Rules and word lists for English and Chinese.
namespace parley::model::offline {

enum class Intent : std::uint8_t {
  unknown,
  read,
  list,
  glob,
  search,
  write,
  make_folder,
  edit,
  remove,
  move,
  shell,
  fetch,
  remember,
  recall,
  todo_write,
  todo_read,
  ask_person,
  ask_agent,
  batch,
  say,
  greet,
  capabilities,
};

// What a step names, each where the intent has a use for it.
struct Slots {
  std::vector<std::string> paths;  // what it is done to; of move: from, to
  std::optional<std::string> folder;
  std::optional<std::string> pattern;  // of glob and search
  std::optional<std::string> content;
  std::optional<std::string> old_text;
  std::optional<std::string> new_text;
  std::optional<std::string> command;
  std::vector<std::string> urls;
  std::optional<std::string> subject;  // a fact, a query, a question, a task, what is to be said
  std::optional<std::string> agent;
  std::vector<std::string> items;    // of a todo list
  std::vector<std::string> options;  // of a question
  bool of_result = false;            // the content is what the step before brought
  bool counts = false;               // how many are there
};

struct Step {
  Text text;
  Intent intent = Intent::unknown;
  Slots slots;
};

// At most this much of a request is looked at, and so many steps of it are done.
inline constexpr std::size_t kMaxRequestBytes = 16U << 10U;
inline constexpr std::size_t kMaxSteps = 8;

struct Request {
  Language language = Language::english;
  std::vector<Step> steps;
};

// Later steps that say "it" or "the file" get the path of those before.
Request read_request(std::string_view text);

// The parts of a request that are done one after the other.
std::vector<std::string> split_steps(const Text& text);

Intent intent_of(const Text& text);
Slots slots_of(Intent intent, const Text& text);

// "a, b and c" as its parts.
std::vector<std::string> split_list(std::string_view text);

}  // namespace parley::model::offline
