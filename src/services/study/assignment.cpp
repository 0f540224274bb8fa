// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Assigns conditions and scenarios to participants.
#include <openssl/sha.h>

#include <array>
#include <numeric>
#include <utility>

#include "base/core/assert.h"
#include "services/study/kit.h"

namespace parley::study {
namespace {

// A hash that depends only on the seed and the texts, so that it is the same on every computer and
// in every version.
std::uint64_t hash_of(const KitStudy& study, std::string_view what, std::string_view whom) {
  std::string text = std::to_string(study.seed);
  for (const std::string_view part : {std::string_view(study.id), what, whom}) {
    text.push_back('\0');
    text += part;
  }
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data());
  std::uint64_t out = 0;
  for (std::size_t i = 0; i < 8; ++i) out = out << 8U | hash.at(i);
  return out;
}

std::uint64_t weight_sum(const KitStudy& study) {
  std::uint64_t sum = 0;
  for (const KitCondition& condition : study.conditions) sum += condition.weight;
  return sum;
}

const KitCondition& by_weight(const KitStudy& study, std::uint64_t ticket) {
  for (const KitCondition& condition : study.conditions) {
    if (ticket < condition.weight) return condition;
    ticket -= condition.weight;
  }
  return study.conditions.back();
}

Assignment by_chance(const KitStudy& study, std::string_view participant) {
  const KitCondition& condition =
      by_weight(study, hash_of(study, "condition", participant) % weight_sum(study));
  const std::uint64_t drawn = hash_of(study, "scenario", participant);
  return {condition.id, study.scenarios[drawn % study.scenarios.size()].id, 0};
}

// In a block each combination of condition and scenario occurs as often as the condition's weight.
Assignment by_block(const KitStudy& study, std::uint64_t position) {
  const std::uint64_t size = weight_sum(study) * study.scenarios.size();
  PARLEY_ASSERT(size > 0, "study kit " + study.id + ": no condition has a weight, or there is no " +
                              "scenario, and a participant is assigned");
  const std::string block = std::to_string(position / size);
  std::vector<std::uint64_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint64_t i = size - 1; i > 0; --i) {
    const std::uint64_t drawn = hash_of(study, "block " + block, std::to_string(i)) % (i + 1);
    std::swap(order[i], order[drawn]);
  }
  const std::uint64_t cell = order[position % size];
  return {by_weight(study, cell / study.scenarios.size()).id,
          study.scenarios[cell % study.scenarios.size()].id, 0};
}

Assignment by_list(const KitStudy& study, std::string_view participant) {
  Assignment out{study.conditions.front().id, study.scenarios.front().id, 0};
  for (const KitParticipant& one : study.participants) {
    if (one.id != participant) continue;
    if (!one.condition.empty()) out.condition = one.condition;
    if (!one.scenario.empty()) out.scenario = one.scenario;
  }
  return out;
}

}  // namespace

Assignment choose(const KitStudy& study, std::string_view participant_id, std::uint64_t position) {
  Assignment out;
  switch (study.assignment) {
    case AssignmentRule::random:
      out = by_chance(study, participant_id);
      break;
    case AssignmentRule::block:
      out = by_block(study, position);
      break;
    case AssignmentRule::fixed:
      out = by_list(study, participant_id);
      break;
  }
  out.position = position;
  return out;
}

}  // namespace parley::study
