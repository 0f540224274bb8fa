// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "programs/conformance/channel.h"
#include "programs/conformance/process.h"
#include "programs/conformance/proto_schema.h"

namespace parley::conformance {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// What a step sends.
struct Outgoing {
  std::optional<boost::json::value> message;  // in the codec of the connection
  std::optional<std::string> text;
  std::optional<std::string> bytes;
  std::optional<boost::json::object> frame;  // a WebSocket frame, piece by piece
  int fragments = 1;
};

// What came in.
struct Received {
  enum class Kind { message, control, closed };
  Kind kind = Kind::message;
  boost::json::value value;  // the message in the codec's JSON form; of a control frame, its parts
  std::string bytes;         // as it came
  int code = 0;              // of a close
  std::string reason;
};

// Turns the messages of a connection into JSON and back.
struct Codec {
  enum class Kind { text, proto, bytes };
  Kind kind = Kind::text;
  std::shared_ptr<const ProtoSchema> schema;
  std::string message;

  core::Result<std::string> encode(const boost::json::value& value) const;
  // Text that is not JSON becomes a JSON string; so do bytes, in hexadecimal.
  core::Result<boost::json::value> decode(std::string_view bytes) const;
};

// One named connection of a case. Every wait is bounded by a deadline. One thread.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  virtual core::Result<void> send(const Outgoing& what, Deadline deadline) = 0;
  // The next message, or the close. Errors: `deadline_exceeded`.
  virtual core::Result<Received> receive(Deadline deadline) = 0;
  // The next control frame (pong, ping). Errors: `unimplemented` where there are none.
  virtual core::Result<Received> receive_control(Deadline deadline);
  // Begins the protocol's own way to end: a close frame, the end of the input.
  virtual core::Result<void> close(int code, const std::string& reason, Deadline deadline) = 0;
  // The program behind the wire, if there is one.
  virtual Process* process() { return nullptr; }
  // Text that has come in and is not split into messages; only for raw TCP.
  virtual bool is_stream() const { return false; }
};

struct WebSocketSettings {
  std::string path;
  HeaderList headers;
  std::vector<std::string> subprotocols;
  bool deflate = false;
  Codec codec;
};

// Errors: `unavailable`; `failed_precondition` when the upgrade was refused or is wrong.
core::Result<std::unique_ptr<Wire>> open_websocket(const Target& target,
                                                   const WebSocketSettings& settings,
                                                   Deadline deadline);

struct StreamSettings {
  enum class Kind { sse, ndjson };
  Kind kind = Kind::sse;
  std::string method = "GET";
  std::string path;
  HeaderList headers;
  std::string body;
};

struct OpenedStream {
  int status = 0;
  boost::json::object headers;
  std::unique_ptr<Wire> wire;
};

core::Result<OpenedStream> open_stream(const Target& target, const StreamSettings& settings,
                                       Deadline deadline);

core::Result<std::unique_ptr<Wire>> open_tcp(const Target& target, Deadline deadline);
core::Result<std::unique_ptr<Wire>> open_program(const Process::Start& how);

}  // namespace parley::conformance
