// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "services/study/study_index.h"

// The study kit: the definitions of the studies that participants can start, read from a TOML file.
// docs/studies.md describes the file.
namespace parley::study {

// The tools that a host offers to agents, in the order of contract section 3.4.
std::vector<std::string> all_tools();

struct KitCondition {
  std::string id;
  std::string title;
  std::uint64_t weight = 1;
  bool agent = true;  // an agent takes part
  // The agent may change the page: filter, sort, highlight, augment.
  bool gui_adaptation = true;
  // The tools listed in the file, without those that `agent` and `gui_adaptation` exclude.
  std::vector<std::string> tools;
};

struct KitScenario {
  std::string id;
  std::string title;
  std::string instructions;  // Markdown, for the participant
  std::uint64_t seed = 1;    // seed of the booking's sample data
  std::uint64_t days = 14;   // days of showings in the sample data
};

enum class AssignmentRule : std::uint8_t {
  random,  // by a hash of seed, study and participant; uses the weights
  block,   // each block has every combination, in an order drawn from the seed
  fixed,   // as listed; other participants get the first condition and scenario
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
  std::vector<KitParticipant> participants;  // for AssignmentRule::fixed

  const KitCondition* condition(std::string_view wanted) const;
  const KitScenario* scenario(std::string_view wanted) const;
};

// A fault of a kit, and its line.
struct KitFault {
  std::uint64_t line = 0;  // 0: the fault is about the whole file
  std::string message;     // the fault and the allowed values
};

// All studies of a kit. Immutable, so it may be used on any thread.
class Kit {
 public:
  // Reports all faults at once. `name`: name of the file, for messages of the parser.
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

// The assignment of a new participant of a study. Depends only on the study's definition and the
// participant's id; with AssignmentRule::block on `position`, the number of earlier participants,
// instead of the id.
Assignment choose(const KitStudy& study, std::string_view participant_id, std::uint64_t position);

}  // namespace parley::study
