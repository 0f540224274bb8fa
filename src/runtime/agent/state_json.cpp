// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/state_json.h"

namespace parley::agent {
namespace {

namespace dom = simdjson::dom;

tl::unexpected<core::Error> unreadable(std::string_view name) {
  std::string field(name);
  return core::fail(core::Code::data_loss,
                    "The member '" + field + "' of the state cannot be read.", field);
}

// The member; std::nullopt if absent or null.
std::optional<dom::element> present(const dom::object& from, std::string_view name) {
  dom::element value;
  if (from.at_key(name).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

template <typename Raw, typename Out>
core::Result<void> read_as(const dom::object& from, std::string_view name, Out& out) {
  const std::optional<dom::element> value = present(from, name);
  if (!value) return {};
  Raw raw{};
  if (value->get(raw) != simdjson::SUCCESS) return unreadable(name);
  out = Out(raw);
  return {};
}

}  // namespace

core::Result<void> read_member(const dom::object& from, std::string_view name, std::string& out) {
  return read_as<std::string_view>(from, name, out);
}

core::Result<void> read_member(const dom::object& from, std::string_view name, std::uint64_t& out) {
  return read_as<std::uint64_t>(from, name, out);
}

core::Result<void> read_member(const dom::object& from, std::string_view name, bool& out) {
  return read_as<bool>(from, name, out);
}

core::Result<void> read_member(const dom::object& from, std::string_view name,
                               std::optional<std::uint64_t>& out) {
  return read_as<std::uint64_t>(from, name, out);
}

core::Result<void> read_member(const dom::object& from, std::string_view name,
                               std::optional<dom::array>& out) {
  return read_as<dom::array>(from, name, out);
}

core::Result<void> read_member(const dom::object& from, std::string_view name,
                               std::optional<dom::object>& out) {
  return read_as<dom::object>(from, name, out);
}

core::Result<void> read_member(const dom::object& from, std::string_view name,
                               std::optional<runtime::Usage>& out) {
  std::optional<dom::object> object;
  if (auto read = read_member(from, name, object); !read || !object) return read;
  runtime::Usage usage;
  auto read = first_failure(read_member(*object, "prompt_tokens", usage.prompt_tokens),
                            read_member(*object, "completion_tokens", usage.completion_tokens),
                            read_member(*object, "total_tokens", usage.total_tokens));
  if (read) out = usage;
  return read;
}

core::Result<void> read_member(const dom::object& from, std::string_view name,
                               std::vector<std::string>& out) {
  std::optional<dom::array> array;
  if (auto read = read_member(from, name, array); !read || !array) return read;
  out.clear();
  for (const dom::element item : *array) {
    std::string_view text;
    if (item.get(text) != simdjson::SUCCESS) return unreadable(name);
    out.emplace_back(text);
  }
  return {};
}

core::Result<dom::object> as_object(const dom::element& from, std::string_view name) {
  dom::object object;
  if (from.get(object) != simdjson::SUCCESS) return unreadable(name);
  return object;
}

core::Result<model::Message> read_message(const dom::element& from) {
  return model::message_from_state_form(simdjson::minify(from));
}

void write_usage(core::JsonWriter& json, std::string_view name,
                 const std::optional<runtime::Usage>& usage) {
  if (!usage) return;
  json.key(name).begin_object();
  json.key("prompt_tokens").number(usage->prompt_tokens);
  json.key("completion_tokens").number(usage->completion_tokens);
  json.key("total_tokens").number(usage->total_tokens);
  json.end_object();
}

void write_texts(core::JsonWriter& json, std::string_view name,
                 const std::vector<std::string>& texts) {
  json.key(name).strings(texts);
}

void write_messages(core::JsonWriter& json, const std::vector<model::Message>& messages,
                    std::uint64_t from) {
  json.begin_array();
  for (std::size_t i = from; i < messages.size(); ++i) model::write_state_form(json, messages[i]);
  json.end_array();
}

}  // namespace parley::agent
