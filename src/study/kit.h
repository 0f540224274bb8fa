// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "study/study_index.h"

// The study kit: the definition of the studies that participants can start. Read from a TOML file;
// docs/studies.md describes it.
namespace parley::study {

// The tools that a host offers to agents (contract section 3.4), in their order.
std::vector<std::string> all_tools();

struct KitCondition {
  std::string id;
  std::string title;
  std::uint64_t weight = 1;
  bool agent = true;  // an agent takes part
  bool gui_adaptation =
      true;  // it may change what the page shows: filter, sort, highlight, augment
  std::vector<std::string> tools;  // that are offered: what the file lists, less what the two above
                                   // rule out
};

struct KitScenario {
  std::string id;
  std::string title;
  std::string instructions;  // Markdown, for the participant
  std::uint64_t seed = 1;    // of the booking's sample data
  std::uint64_t days = 14;   // of showings in it
};

enum class AssignmentRule : std::uint8_t {
  random,  // by a hash of seed and participant, with the conditions' weights
  block,   // each block of participants has every combination, in an order drawn from the seed
  fixed,   // what the file says of the participant; others get the first of each
};

struct KitParticipant {
  std::string id;
  std::string condition;
  std::string scenario;
};

struct KitStudy {
  std::string id;
  std::string title;
  std::string consent;   // Markdown
  std::string end_text;  // Markdown
  AssignmentRule assignment = AssignmentRule::random;
  std::uint64_t seed = 1;
  std::vector<KitCondition> conditions;      // at least one
  std::vector<KitScenario> scenarios;        // at least one
  std::vector<KitParticipant> participants;  // of a fixed assignment

  const KitCondition* condition(std::string_view wanted) const;
  const KitScenario* scenario(std::string_view wanted) const;
};

// A fault of a kit, and its line.
struct KitFault {
  std::uint64_t line = 0;  // 0: of the file as a whole
  std::string message;     // what is wrong and what is allowed
};

// All studies that there are. Immutable, so it may be used from any thread.
class Kit {
 public:
  // Every fault is named at once. `name` is the file's, for messages of the parser.
  static tl::expected<Kit, std::vector<KitFault>> parse(std::string_view text,
                                                        const std::string& name);
  // Reads a file. A file that cannot be read is one fault.
  static tl::expected<Kit, std::vector<KitFault>> load(const std::string& path);

  const std::vector<KitStudy>& studies() const { return studies_; }
  const KitStudy* find(std::string_view id) const;

 private:
  explicit Kit(std::vector<KitStudy> studies) : studies_(std::move(studies)) {}

  std::vector<KitStudy> studies_;
};

// The assignment of a new participant of a study. It depends on the seed and the participant's id
// alone; with blocks, on the seed and `position`, the number of earlier participants.
Assignment choose(const KitStudy& study, std::string_view participant_id, std::uint64_t position);

}  // namespace parley::study
