// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/prompt_record.h"

#include "base/core/json_member.h"
#include "runtime/comfyui/json_access.h"

namespace parley::comfyui {
namespace {

// Indexes in the 5-tuple [number, prompt_id, prompt, extra_data, outputs].
constexpr std::size_t kIdAt = 1;
constexpr std::size_t kPromptAt = 2;
constexpr std::size_t kExtraAt = 3;

// Reads [event, data] of status.messages: the details of an error or an interruption.
void read_message(const boost::json::value& value, PromptRecord& record) {
  const boost::json::array* message = value.if_array();
  if (message == nullptr || message->size() < 2 || !(*message)[0].is_string()) return;
  const boost::json::object* data = (*message)[1].if_object();
  if (data == nullptr) return;
  const std::string_view event = (*message)[0].get_string();
  if (event == "execution_error") record.fault = read_execution_fault(*data);
  if (event == "execution_interrupted") {
    record.status = PromptRecord::Status::interrupted;
    record.stopped_at = core::string_member(*data, "node_id");
  }
}

void read_run_status(const boost::json::object& entry, PromptRecord& record) {
  const boost::json::object* status = object_member(entry, "status");
  if (status == nullptr) return;  // servers before 2024
  const bool error = core::text_member(*status, "status_str") == "error";
  record.status = error ? PromptRecord::Status::error : PromptRecord::Status::success;
  if (const boost::json::array* messages = array_member(*status, "messages")) {
    for (const boost::json::value& message : *messages) read_message(message, record);
  }
}

void read_entries(const boost::json::object& body, std::string_view name,
                  std::vector<QueueEntry>& out) {
  const boost::json::array* list = array_member(body, name);
  if (list == nullptr) return;
  for (const boost::json::value& item : *list) {
    const boost::json::array* tuple = item.if_array();
    if (tuple == nullptr || tuple->size() <= kIdAt || out.size() >= kMaxQueueEntries) continue;
    if (!(*tuple)[kIdAt].is_string()) continue;
    QueueEntry entry;
    entry.number = number_of((*tuple)[0]).value_or(0);
    entry.prompt_id = std::string((*tuple)[kIdAt].get_string());
    if (tuple->size() > kExtraAt) {
      const boost::json::object* extra = (*tuple)[kExtraAt].if_object();
      if (extra != nullptr) entry.client_id = core::string_member(*extra, "client_id");
    }
    out.push_back(std::move(entry));
  }
}

}  // namespace

core::Result<PromptRecord> read_prompt_record(std::string_view prompt_id,
                                              const boost::json::object& entry) {
  PromptRecord record;
  record.prompt_id = prompt_id;
  const boost::json::object* outputs = object_member(entry, "outputs");
  if (outputs == nullptr) {
    return core::fail(core::Code::internal,
                      "An entry of the ComfyUI server's history has no outputs.");
  }
  for (const auto& [node, value] : *outputs) {
    const boost::json::object* output = value.if_object();
    if (output == nullptr || record.outputs.size() >= kMaxOutputNodes) continue;
    record.outputs.push_back(read_node_output(node, *output));
  }
  if (const boost::json::array* tuple = array_member(entry, "prompt")) {
    const boost::json::object* prompt =
        tuple->size() > kPromptAt ? (*tuple)[kPromptAt].if_object() : nullptr;
    if (prompt != nullptr) record.prompt = *prompt;
  }
  read_run_status(entry, record);
  return record;
}

core::Result<QueueState> read_queue(const boost::json::object& body) {
  if (array_member(body, "queue_running") == nullptr ||
      array_member(body, "queue_pending") == nullptr) {
    return core::fail(core::Code::internal, "The ComfyUI server's queue has no lists.");
  }
  QueueState queue;
  read_entries(body, "queue_running", queue.running);
  read_entries(body, "queue_pending", queue.pending);
  return queue;
}

}  // namespace parley::comfyui
