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

#include "tools/conformance/channel.h"
#include "tools/conformance/process.h"
#include "tools/conformance/proto_schema.h"

namespace parley::conformance {

using HeaderList = std::vector<std::pair<std::string, std::string>>;

// Content of a send step.
struct Outgoing {
  std::optional<boost::json::value> message;  // in the codec of the connection
  std::optional<std::string> text;
  std::optional<std::string> bytes;
  std::optional<boost::json::object> frame;  // a WebSocket frame, given by its parts
  int fragments = 1;
};

// A received message, control frame or close.
struct Received {
  enum class Kind { message, control, closed };
  Kind kind = Kind::message;
  boost::json::value value;  // the message in the codec's JSON form; the parts of a control frame
  std::string bytes;         // raw
  int code = 0;              // of a close frame
  std::string reason;
};

// Converts the messages of a connection to JSON and back.
struct Codec {
  enum class Kind { text, proto, bytes };
  Kind kind = Kind::text;
  std::shared_ptr<const ProtoSchema> schema;
  std::string message;

  core::Result<std::string> encode(const boost::json::value& value) const;
  // Text that is not JSON becomes a JSON string; bytes become one in hexadecimal.
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
  // Returns the next message, or the close. Errors: `deadline_exceeded`.
  virtual core::Result<Received> receive(Deadline deadline) = 0;
  // Returns the next control frame (pong, ping). Errors: `unimplemented` (the wire has none).
  virtual core::Result<Received> receive_control(Deadline deadline);
  // Starts the protocol's own end: a close frame, or the end of the input.
  virtual core::Result<void> close(int code, const std::string& reason, Deadline deadline) = 0;
  // The program behind the wire; null: none.
  virtual Process* process() { return nullptr; }
  // True if incoming bytes are not split into messages; only for raw TCP.
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
