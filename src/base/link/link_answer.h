// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace parley::link {

// One start of a node: the number that it got when it joined the cluster. Another start of the same
// node has another number. Positive; 0: none.
using NodeNumber = std::int64_t;
inline constexpr NodeNumber kNoNode = 0;

// Nodes by number. Few: a cluster has some dozens.
using NodeNumbers = std::vector<NodeNumber>;
inline bool has_node(const NodeNumbers& nodes, NodeNumber node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

// The first word of a preface and of its answer, with the version behind it. The form of a
// preface's first line and of a refusal is the same in all versions.
inline constexpr std::string_view kLinkMagic = "PARLEY-LINK/";
inline constexpr int kLinkVersion = 1;

// Limit (Cluster): answer to a preface. Reached: the sentence is cut; the connection is ended by
// the other side.
inline constexpr std::size_t kMaxLinkAnswerBytes = 512;

enum class RefusalCode : std::uint8_t {
  wrong_cluster,  // the preface names another cluster
  not_me,         // the preface wants another node, or another start of this one
  too_many_hops,
  malformed,      // the preface breaks a rule of its form, or names a sender that the peer is not
  version,        // the version of the preface is unknown
  busy,           // a limit of connections is reached
  shutting_down,  // the node accepts nothing new
  unknown,        // a code that this release does not know; never sent
};
inline constexpr std::array<std::string_view, 8> kRefusalNames = {
    "wrong_cluster", "not_me", "too_many_hops", "malformed",
    "version",       "busy",   "shutting_down", "unknown"};
inline std::string_view refusal_name(RefusalCode code) {
  return kRefusalNames.at(static_cast<std::size_t>(code));
}

// The reason why a node does not take a connection, for the log of the other.
struct Refusal {
  RefusalCode code = RefusalCode::unknown;
  std::string sentence;

  bool operator==(const Refusal&) const = default;
};

// The answer to a preface: accepted, refused, or moved to another node.
struct LinkAnswer {
  std::optional<Refusal> refusal = {};
  NodeNumber successor =
      kNoNode;  // the node that has what this one had; only if nothing is refused

  bool is_accepted() const { return !refusal && successor == kNoNode; }
  bool operator==(const LinkAnswer&) const = default;
};

// One line: "PARLEY-LINK/1 accepted", "PARLEY-LINK/1 moved NUMBER" or
// "PARLEY-LINK/1 refused CODE SENTENCE", at most kMaxLinkAnswerBytes with its line feed. Characters
// that would break the line are written out.
std::string encode_answer(const LinkAnswer& answer);
// Reads a line without its line feed, also the refusal of another version. Errors:
// `invalid_argument`, with a sentence.
core::Result<LinkAnswer> decode_answer(std::string_view line);

// Reads an answer in any pieces.
class LinkAnswerReader {
 public:
  // Takes the bytes of the answer from the front of `bytes` and returns their number; the others
  // belong to the connection. Takes nothing once there is a result.
  std::size_t take(std::string_view bytes);
  // std::nullopt while the line is incomplete. Errors: those of decode_answer(), and a line that is
  // too long.
  const std::optional<core::Result<LinkAnswer>>& result() const { return result_; }

 private:
  std::string line_;
  std::optional<core::Result<LinkAnswer>> result_;
};

}  // namespace parley::link
