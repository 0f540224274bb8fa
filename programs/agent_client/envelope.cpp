// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/agent_client/envelope.h"

#include <simdjson.h>

#include "base/core/json_writer.h"
#include "base/net/loop/stream.h"

namespace parley::agent_client {
namespace {

namespace od = simdjson::ondemand;

static_assert(simdjson::SIMDJSON_PADDING <= net::Stream::kReadPadding);

tl::unexpected<core::Error> bad() {
  return core::fail(core::Code::invalid_argument,
                    "The message is not an envelope of the external agent protocol.");
}

bool take_raw(od::value value, std::string& out) {
  std::string_view raw;
  if (simdjson::to_json_string(value).get(raw) != simdjson::SUCCESS) return false;
  const std::size_t end = raw.find_last_not_of(" \t\r\n");
  out = raw.substr(0, end + 1);
  return true;
}

bool take_member(std::string_view name, od::value value, Envelope& out) {
  if (name == "type") {
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS) return false;
    out.type = text;
    return true;
  }
  if (name == "id") return take_raw(value, out.id);
  if (name == "replyTo") return take_raw(value, out.reply_to);
  if (name == "payload") return take_raw(value, out.payload);
  return true;
}

}  // namespace

core::Result<Envelope> read_envelope(std::string_view text) {
  od::parser parser;
  od::document document;
  od::object object;
  const simdjson::padded_string_view padded(text, text.size() + net::Stream::kReadPadding);
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS) {
    return bad();
  }
  Envelope out;
  for (auto field : object) {
    std::string_view name;
    od::value value;
    if (field.unescaped_key().get(name) != simdjson::SUCCESS ||
        field.value().get(value) != simdjson::SUCCESS || !take_member(name, value, out)) {
      return bad();
    }
  }
  if (out.type.empty()) return bad();
  return out;
}

std::string write_envelope(const Envelope& envelope) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("v").string("mvp-0.2").key("type").string(envelope.type);
    if (!envelope.id.empty()) json.key("id").raw(envelope.id);
    if (!envelope.reply_to.empty()) json.key("replyTo").raw(envelope.reply_to);
    json.key("payload").raw(envelope.payload.empty() ? "{}" : envelope.payload);
  });
}

std::string text_member(std::string_view raw_object, std::string_view name) {
  od::parser parser;
  const simdjson::padded_string padded(raw_object);
  od::document document;
  std::string_view text;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS ||
      document.find_field_unordered(name).get_string().get(text) != simdjson::SUCCESS) {
    return {};
  }
  return std::string(text);
}

bool true_member(std::string_view raw_object, std::string_view name) {
  od::parser parser;
  const simdjson::padded_string padded(raw_object);
  od::document document;
  bool value = false;
  return parser.iterate(padded).get(document) == simdjson::SUCCESS &&
         document.find_field_unordered(name).get_bool().get(value) == simdjson::SUCCESS && value;
}

}  // namespace parley::agent_client
