// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "demo_model/step_text.h"

namespace parley::demo_model {

// `tell`: what the step before brought; `say`: words of the request itself.
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
  node_set,
  tell,
  say,
  greet,
  capabilities
};

// One step of a request, as the table of patterns reads it.
struct Step {
  std::string text;
  Intent intent = Intent::unknown;
  // What the step names, by the names of the table: "path", "content", "items".
  std::map<std::string, std::vector<std::string>, std::less<>> slots;
  bool of_result = false;  // what it writes is what the step before brought
  bool counts = false;     // it asks how many there are
  bool judges = false;     // it asks for a summary, a comparison
  // Of "TOOL {json}"; else empty.
  std::string tool;
  std::string arguments;

  std::string first(std::string_view slot) const;  // empty: it names none
};

struct Request {
  Language language = Language::english;
  std::vector<Step> steps;
};

// Later steps that say "it" or "the file" get the path of those before.
Request read_request(std::string_view text);

}  // namespace parley::demo_model
