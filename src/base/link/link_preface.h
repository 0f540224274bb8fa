// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/link/link_answer.h"

namespace parley::link {

// Limit (Cluster, bytes): the object of a preface. Reached: `malformed`.
inline constexpr std::size_t kMaxPrefaceBytes = 4U << 10U;
// Limit (Cluster, bytes): address of a client in a preface. Reached: `malformed`.
inline constexpr std::size_t kMaxClientAddressBytes = 64;
// The second hop follows a home that has just moved.
// Limit (Cluster): nodes that a connection passes on its way to its home. Reached: `too_many_hops`.
inline constexpr int kMaxHops = 2;

// The content of a forwarded connection behind the preface.
enum class LinkKind : std::uint8_t {
  request,    // an HTTP request from its first byte
  websocket,  // an HTTP upgrade request from its first byte and the frames behind it; the sending
              // node has answered 101 to the client and drops the head of the home's answer
};

// The words of a node in front of a connection that it forwards. It gives no rights: the home
// authenticates the client by the request behind it. The address of the client and the scheme are
// believed because only a node of the cluster has a certificate of its authority.
struct Preface {
  std::string cluster;    // id of the cluster of both
  std::string from_name;  // the sending node
  NodeNumber from_number = kNoNode;
  NodeNumber to_number = kNoNode;  // the node that is wanted, one start of it
  std::string client;              // address of the client, without a port
  bool secure = false;             // the client came by TLS
  int hops = 1;                    // 1: the node that the client reached is the sender
  LinkKind kind = LinkKind::request;

  bool operator==(const Preface&) const = default;
};

// A preface on the wire: a line "PARLEY-LINK/VERSION SIZE" and SIZE bytes of one JSON object.
// Errors: `invalid_argument`, which names the field, for what decode_preface() would refuse.
core::Result<std::string> encode_preface(const Preface& preface);

// Reads the JSON object. Unknown members are ignored: neighbouring releases work side by side. Any
// number of hops from 1 is read; the home compares it with kMaxHops. Errors: `invalid_argument`,
// which names the field and the expected value, never the given one.
core::Result<Preface> decode_preface(std::string_view json);

// Reads a preface in any pieces. Copies only what is cut.
class PrefaceReader {
 public:
  enum class State : std::uint8_t { incomplete, complete, refused };

  // Takes the bytes of the preface from the front of `bytes` and returns their number; those behind
  // it belong to the connection. Takes nothing unless the state is incomplete.
  std::size_t take(std::string_view bytes);
  State state() const { return state_; }
  // Valid once complete.
  const Preface& preface() const { return preface_; }
  // Valid once refused: `malformed` or `version`, and a sentence.
  const Refusal& refusal() const { return refusal_; }

 private:
  std::size_t take_line(std::string_view bytes);
  std::size_t take_object(std::string_view bytes);
  void read_line();
  void read_object(std::string_view json);
  void refuse(RefusalCode code, std::string sentence);

  std::string cut_;       // the received part of the line, then of the object
  std::size_t size_ = 0;  // of the object; 0: the line is incomplete
  Preface preface_;
  Refusal refusal_;
  State state_ = State::incomplete;
};

}  // namespace parley::link
