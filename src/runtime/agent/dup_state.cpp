// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/dup_state.h"

#include "runtime/agent/state_json.h"

namespace parley::agent {

namespace dom = simdjson::dom;

void write_core(core::JsonWriter& json, const ReactState& core, std::uint64_t log_from) {
  if (log_from > 0) json.key("log_from").number(log_from);
  json.key("core").begin_object();
  core.write_members(json, log_from, true);
  json.end_object();
}

core::Result<void> apply_core(const dom::object& written, ReactState& core) {
  std::uint64_t log_from = 0;
  if (auto read = read_member(written, "log_from", log_from); !read) return read;
  std::optional<dom::object> members;
  if (auto read = read_member(written, "core", members); !read) return read;
  if (!members) return core::fail(core::Code::data_loss, "The state has no core.", "core");
  return core.apply_members(*members, log_from, true);
}

void DupState::write(core::JsonWriter& json, std::uint64_t log_from) const {
  json.begin_object();
  write_core(json, core, log_from);
  if (understood) {
    json.key("understood").begin_object();
    json.key("core_goal").string(understood->core_goal);
    write_texts(json, "key_constraints", understood->key_constraints);
    json.key("relevant_context").string(understood->relevant_context);
    json.end_object();
  }
  json.end_object();
}

core::Result<void> DupState::apply(const dom::object& written) {
  if (auto read = apply_core(written, core); !read) return read;
  understood.reset();
  std::optional<dom::object> members;
  if (auto read = read_member(written, "understood", members); !read || !members) return read;
  Understanding value;
  auto read = first_failure(read_member(*members, "core_goal", value.core_goal),
                            read_member(*members, "key_constraints", value.key_constraints),
                            read_member(*members, "relevant_context", value.relevant_context));
  if (read) understood = std::move(value);
  return read;
}

}  // namespace parley::agent
