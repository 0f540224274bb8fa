// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/progress_event.h"

#include <array>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/json_member.h"
#include "base/core/utf8.h"
#include "runtime/comfyui/json_access.h"

namespace parley::comfyui {
namespace {

using ProgressKind = ProgressEvent::Kind;

constexpr std::size_t kMaxFaultText = 4'096;
constexpr std::size_t kPreviewHead = 8;

constexpr std::array<std::pair<std::string_view, ProgressKind>, 10> kKinds = {{
    {"status", ProgressKind::status},
    {"execution_start", ProgressKind::execution_start},
    {"execution_cached", ProgressKind::execution_cached},
    {"executing", ProgressKind::executing},
    {"progress", ProgressKind::progress},
    {"progress_state", ProgressKind::progress_state},
    {"executed", ProgressKind::executed},
    {"execution_success", ProgressKind::execution_success},
    {"execution_error", ProgressKind::execution_error},
    {"execution_interrupted", ProgressKind::execution_interrupted},
}};

std::string id_member(const boost::json::object& from, std::string_view name) {
  const boost::json::value* found = from.if_contains(name);
  if (found == nullptr) return {};
  if (found->is_string()) return std::string(found->get_string());
  if (found->is_int64()) return std::to_string(found->get_int64());
  return {};
}

void read_cached(const boost::json::object& data, ProgressEvent& event) {
  const boost::json::array* nodes = array_member(data, "nodes");
  if (nodes == nullptr) return;
  for (const boost::json::value& node : *nodes) {
    if (!node.is_string() || event.cached.size() >= kMaxEventNodes) continue;
    event.cached.emplace_back(node.get_string());
  }
}

void read_states(const boost::json::object& data, ProgressEvent& event) {
  const boost::json::object* nodes = object_member(data, "nodes");
  if (nodes == nullptr) return;
  for (const auto& [id, value] : *nodes) {
    const boost::json::object* state = value.if_object();
    if (state == nullptr || event.nodes.size() >= kMaxEventNodes) continue;
    event.nodes.push_back({std::string(id), core::string_member(*state, "state"),
                           number_member(*state, "value").value_or(0),
                           number_member(*state, "max").value_or(0)});
  }
}

void read_status(const boost::json::object& data, ProgressEvent& event) {
  const boost::json::object* status = object_member(data, "status");
  const boost::json::object* info =
      status == nullptr ? nullptr : object_member(*status, "exec_info");
  if (info != nullptr) event.queue_remaining = integer_member(*info, "queue_remaining");
}

ProgressEvent read_data(ProgressKind kind, const boost::json::object& data) {
  ProgressEvent event;
  event.kind = kind;
  event.prompt_id = core::string_member(data, "prompt_id");
  event.node_id = id_member(data, "node");
  event.display_node = id_member(data, "display_node");
  if (kind == ProgressKind::status) read_status(data, event);
  if (kind == ProgressKind::execution_cached) read_cached(data, event);
  if (kind == ProgressKind::progress_state) read_states(data, event);
  if (kind == ProgressKind::progress) {
    event.value = number_member(data, "value").value_or(0);
    event.max = number_member(data, "max").value_or(0);
  }
  if (kind == ProgressKind::executed) {
    const boost::json::object* output = object_member(data, "output");
    if (output != nullptr) event.output = read_node_output(event.node_id, *output);
  }
  if (kind == ProgressKind::execution_error || kind == ProgressKind::execution_interrupted) {
    event.node_id = id_member(data, "node_id");
  }
  if (kind == ProgressKind::execution_error) event.fault = read_execution_fault(data);
  return event;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = (value << 8U) | static_cast<unsigned char>(c);
  return value;
}

tl::unexpected<core::Error> bad_event(const char* what) {
  return core::fail(core::Code::internal,
                    std::string("A message of the ComfyUI server's WebSocket ") + what + ".");
}

}  // namespace

ExecutionFault read_execution_fault(const boost::json::object& data) {
  ExecutionFault fault;
  fault.node_id = id_member(data, "node_id");
  fault.node_type = core::string_member(data, "node_type");
  // Newer servers end it with a line break.
  fault.message = std::string(core::utf8_truncate(
      core::trimmed(core::text_member(data, "exception_message")), kMaxFaultText));
  fault.exception_type =
      std::string(core::utf8_truncate(core::text_member(data, "exception_type"), kMaxFaultText));
  if (const boost::json::array* lines = array_member(data, "traceback")) {
    // The last lines are the most useful.
    std::size_t first = lines->size();
    std::size_t bytes = 0;
    while (first > 0) {
      const boost::json::value& line = (*lines)[first - 1];
      const std::size_t size = line.is_string() ? line.get_string().size() : 0;
      if (bytes + size > kMaxTracebackBytes) break;
      bytes += size;
      --first;
    }
    for (; first < lines->size(); ++first) {
      if ((*lines)[first].is_string()) fault.traceback.append((*lines)[first].get_string());
    }
  }
  return fault;
}

core::Result<std::optional<ProgressEvent>> read_progress_event(std::string_view text) {
  boost::system::error_code problem;
  const boost::json::value document = boost::json::parse(text, problem, {}, json_options());
  if (problem) return bad_event("is not JSON");
  const boost::json::object* message = document.if_object();
  if (message == nullptr) return bad_event("is not a JSON object");
  const boost::json::value* type = message->if_contains("type");
  if (type == nullptr || !type->is_string()) return bad_event("has no type");
  for (const auto& [name, kind] : kKinds) {
    if (type->get_string() != name) continue;
    const boost::json::object* data = object_member(*message, "data");
    return read_data(kind, data == nullptr ? boost::json::object() : *data);
  }
  return std::optional<ProgressEvent>();
}

std::optional<Preview> read_preview(std::string_view message) {
  constexpr std::uint32_t kPreviewEvent = 1;
  constexpr std::uint32_t kJpeg = 1;
  constexpr std::uint32_t kPng = 2;
  if (message.size() <= kPreviewHead || message.size() > kPreviewHead + kMaxPreviewBytes) {
    return std::nullopt;
  }
  if (big_endian(message) != kPreviewEvent) return std::nullopt;
  const std::uint32_t kind = big_endian(message.substr(4));
  if (kind != kJpeg && kind != kPng) return std::nullopt;
  return Preview{kind == kJpeg ? Preview::Kind::jpeg : Preview::Kind::png,
                 message.substr(kPreviewHead)};
}

}  // namespace parley::comfyui
