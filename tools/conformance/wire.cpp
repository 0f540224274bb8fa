// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/wire.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/core/hex.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "tools/conformance/bytes.h"
#include "tools/conformance/http_client.h"

namespace parley::conformance {
namespace json = boost::json;
namespace {

constexpr std::size_t kMaxBuffered = 512U << 20U;

json::value text_or_json(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (!error) return value;
  return core::is_utf8(text) ? json::value(text) : json::value(core::hex_text(text));
}

Received closed(std::string reason) {
  Received out;
  out.kind = Received::Kind::closed;
  out.reason = std::move(reason);
  return out;
}

Received message(json::value value, std::string bytes) {
  Received out;
  out.value = std::move(value);
  out.bytes = std::move(bytes);
  return out;
}

core::Result<std::string> payload_of(const Outgoing& what) {
  if (what.bytes) return *what.bytes;
  if (what.text) return *what.text;
  if (what.message) return json::serialize(*what.message);
  return core::fail(core::Code::invalid_argument, "there is nothing to send");
}

// Lines of a program's standard output, and lines to its input.
class ProgramWire final : public Wire {
 public:
  explicit ProgramWire(std::unique_ptr<Process> process) : process_(std::move(process)) {}

  core::Result<void> send(const Outgoing& what, Deadline deadline) override {
    PARLEY_TRY(const auto payload, payload_of(what));
    const bool whole_line = what.message.has_value();
    return process_->write_all(whole_line ? payload + "\n" : payload, deadline);
  }

  core::Result<Received> receive(Deadline deadline) override {
    while (true) {
      const std::size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        if (line.ends_with('\r')) line.pop_back();
        return message(text_or_json(line), line);
      }
      PARLEY_TRY(const auto more, process_->read_some(buffer_, deadline));
      if (!more) return closed("the program closed its output");
    }
  }

  core::Result<void> close(int, const std::string&, Deadline) override {
    process_->close_input();
    return {};
  }

  Process* process() override { return process_.get(); }

 private:
  std::unique_ptr<Process> process_;
  std::string buffer_;
};

// Raw bytes: a message is all that has arrived.
class TcpWire final : public Wire {
 public:
  explicit TcpWire(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}

  core::Result<void> send(const Outgoing& what, Deadline deadline) override {
    PARLEY_TRY(const auto payload, payload_of(what));
    return channel_->write_all(payload, deadline);
  }

  core::Result<Received> receive(Deadline deadline) override {
    std::string bytes;
    const auto more = channel_->read_some(bytes, deadline);
    if (!more && more.error().code == core::Code::deadline_exceeded) {
      return core::fail(more.error());
    }
    if (!more || !*more) return closed(more ? "end of stream" : more.error().message);
    const json::value value =
        core::is_utf8(bytes) ? json::value(bytes) : json::value(core::hex_text(bytes));
    return message(value, bytes);
  }

  core::Result<void> close(int, const std::string&, Deadline) override {
    channel_->finish_writing();
    return {};
  }

  bool is_stream() const override { return true; }

 private:
  std::unique_ptr<Channel> channel_;
};

// The body of a response as lines (NDJSON) or events (server-sent events).
class StreamWire final : public Wire {
 public:
  StreamWire(StreamSettings::Kind kind, std::unique_ptr<HttpExchange> exchange)
      : kind_(kind), exchange_(std::move(exchange)) {}

  core::Result<void> send(const Outgoing&, Deadline) override {
    return core::fail(core::Code::unimplemented, "nothing can be sent on this stream");
  }

  core::Result<Received> receive(Deadline deadline) override {
    while (true) {
      std::string part;
      while (next_part(part)) {
        if (kind_ == StreamSettings::Kind::ndjson) {
          if (!part.empty()) return message(text_or_json(part), part);
        } else if (const auto event = event_of(part)) {
          return message(json::value(*event), part);
        }
      }
      const auto more = exchange_->read_body_some(buffer_, deadline);
      if (!more && more.error().code == core::Code::deadline_exceeded) {
        return core::fail(more.error());
      }
      if (!more) return closed(more.error().message);
      if (!*more) return closed("end of body");
      if (buffer_.size() > kMaxBuffered) return closed("a message without an end");
    }
  }

  core::Result<void> close(int, const std::string&, Deadline) override {
    exchange_.reset();
    return {};
  }

 private:
  // Removes a whole line or event from the buffer.
  bool next_part(std::string& part) {
    const std::string_view separator = kind_ == StreamSettings::Kind::ndjson ? "\n" : "\n\n";
    const std::size_t end = buffer_.find(separator);
    if (end == std::string::npos) return false;
    part = buffer_.substr(0, end);
    buffer_.erase(0, end + separator.size());
    return true;
  }

  static std::optional<json::object> event_of(const std::string& part) {
    json::object event;
    std::string data;
    bool has_data = false;
    std::size_t at = 0;
    while (at <= part.size()) {
      const std::size_t end = std::min(part.find('\n', at), part.size());
      const std::string line = part.substr(at, end - at);
      at = end + 1;
      const std::size_t colon = line.find(':');
      if (colon == 0 || line.empty()) continue;
      const std::string name = line.substr(0, colon);
      std::string value = colon == std::string::npos ? "" : line.substr(colon + 1);
      if (value.starts_with(' ')) value.erase(0, 1);
      if (name == "data") {
        data += (has_data ? "\n" : "") + value;
        has_data = true;
      } else {
        event.insert_or_assign(name, value);
      }
    }
    if (has_data) event.insert_or_assign("data", text_or_json(data));
    if (event.empty()) return std::nullopt;
    return event;
  }

  StreamSettings::Kind kind_;
  std::unique_ptr<HttpExchange> exchange_;
  std::string buffer_;
};

}  // namespace

core::Result<std::string> Codec::encode(const json::value& value) const {
  if (kind == Kind::proto) return schema->encode(message, value);
  if (kind == Kind::text) return json::serialize(value);
  return core::fail(core::Code::invalid_argument,
                    "a connection of bytes sends 'hex', not 'message'");
}

core::Result<json::value> Codec::decode(std::string_view bytes) const {
  if (kind == Kind::proto) return schema->decode(message, bytes);
  if (kind == Kind::text) return text_or_json(bytes);
  return json::value(core::hex_text(bytes));
}

core::Result<Received> Wire::receive_control(Deadline) {
  return core::fail(core::Code::unimplemented, "this connection has no control frames");
}

core::Result<OpenedStream> open_stream(const Target& target, const StreamSettings& settings,
                                       Deadline deadline) {
  HttpRequest request{settings.method, settings.path, settings.headers, settings.body};
  PARLEY_TRY(auto exchange, HttpExchange::start(target, request, deadline));
  PARLEY_TRY(auto head, exchange->head(deadline));
  OpenedStream opened;
  opened.status = head.status;
  opened.headers = std::move(head.headers);
  opened.wire = std::make_unique<StreamWire>(settings.kind, std::move(exchange));
  return opened;
}

core::Result<std::unique_ptr<Wire>> open_tcp(const Target& target, Deadline deadline) {
  PARLEY_TRY(auto channel, Channel::connect(target, deadline));
  return std::unique_ptr<Wire>(std::make_unique<TcpWire>(std::move(channel)));
}

core::Result<std::unique_ptr<Wire>> open_program(const Process::Start& how) {
  PARLEY_TRY(auto process, Process::start(how));
  return std::unique_ptr<Wire>(std::make_unique<ProgramWire>(std::move(process)));
}

}  // namespace parley::conformance
