// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/chat/chat_message.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/core/json_member.h"
#include "base/core/json_text.h"
#include "base/core/utf8.h"

namespace parley::chat {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::array<std::pair<std::string_view, MessageType>, 5> kTypes = {{
    {"USER_MESSAGE", MessageType::user_message},
    {"USER_ORDER", MessageType::user_order},
    {"AGENT_TOOL_CALL_RESPONSE", MessageType::tool_answer},
    {"INTERRUPT", MessageType::interrupt},
    {"PING", MessageType::ping},
}};
constexpr std::size_t kMaxShownBytes = 64;

struct Media {
  std::string_view name;
  model::Part::Type with_data;
  std::string_view media_type;  // if the client names none
};
constexpr std::array<Media, 4> kMedia = {{
    {"image", model::Part::Type::image_base64, "image/png"},
    {"audio", model::Part::Type::audio_base64, "audio/wav"},
    {"video", model::Part::Type::file, "video/mp4"},
    {"pdfFile", model::Part::Type::file, "application/pdf"},
}};

// Browsers write the largest seed as 18446744073709552000, which is more than 64 bits. The tools
// that open the workflow check the rest of an object with very many members.
bool is_workflow(std::string_view text) {
  std::vector<core::JsonField> fields;
  std::vector<core::JsonField> none;
  const core::ScanResult found = core::scan_object(text, kMaxWorkflowDepth, {}, fields, none);
  return found == core::ScanResult::ok || found == core::ScanResult::too_many_fields;
}

// The stored name of the upload at an address of any server; empty: it is another address.
std::string upload_at(std::string_view url) {
  const std::size_t at = url.find(kDownloadPath);
  if (at == std::string_view::npos) return {};
  const std::string_view name = url.substr(at + kDownloadPath.size());
  return std::string(name.substr(0, name.find_first_of("/?#")));
}

// Reads one message; the first fault is reported.
class Reader {
 public:
  explicit Reader(const object& message) : message_(message) {}

  tl::expected<ClientMessage, MessageFault> read() {
    // Read first, because the answer to any fault contains it.
    std::string request_id;
    if (text(message_, "requestId", request_id)) out_.request_id = request_id;
    std::string type;
    if (!need_text("type", type) || !read_type(type)) return fault();
    if (!need_text("sessionCode", out_.session_code) || !need_text("requestId", request_id)) {
      return fault();
    }
    if (request_id.size() > kMaxRequestIdBytes) {
      out_.request_id.clear();
      fail("\"requestId\" is longer than " + std::to_string(kMaxRequestIdBytes) + " bytes.");
      return fault();
    }
    read_data(type);
    switch (out_.type) {
      case MessageType::user_message:
      case MessageType::user_order:
        need_text("content", out_.content);
        read_turn();
        break;
      case MessageType::tool_answer:
        read_answer();
        break;
      case MessageType::interrupt:
      case MessageType::ping:
        break;
    }
    if (!fault_.empty()) return fault();
    return std::move(out_);
  }

 private:
  tl::unexpected<MessageFault> fault() {
    const bool begins_run = !out_.session_code.empty() && (out_.type == MessageType::user_message ||
                                                           out_.type == MessageType::user_order);
    return tl::unexpected(MessageFault{std::move(out_.request_id), std::move(fault_), begins_run});
  }
  void fail(std::string message) {
    if (fault_.empty()) fault_ = std::move(message);
  }

  // False: the member is missing, null, or not a string.
  static bool text(const object& in, std::string_view name, std::string& out) {
    std::string_view value;
    if (in[name].get(value) != simdjson::SUCCESS) return false;
    out = value;
    return true;
  }
  bool need_text(std::string_view name, std::string& out) {
    if (text(message_, name, out)) return true;
    fail("\"" + std::string(name) + "\" is missing, or not a string.");
    return false;
  }
  // A member of `data`; a wrong type is a fault.
  std::optional<std::string> data_text(const object& in, std::string_view name) {
    element value;
    if (in[name].get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    std::string_view found;
    if (value.get(found) != simdjson::SUCCESS) {
      fail("\"" + place_ + std::string(name) + "\" must be a string.");
      return std::nullopt;
    }
    return std::string(found);
  }
  std::optional<bool> data_flag(std::string_view name) {
    element value;
    if ((*data_)[name].get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
    bool found = false;
    if (value.get(found) == simdjson::SUCCESS) return found;
    fail("\"data." + std::string(name) + "\" must be true or false.");
    return std::nullopt;
  }

  bool read_type(std::string_view type) {
    for (const auto& [name, value] : kTypes) {
      if (name != type) continue;
      out_.type = value;
      return true;
    }
    fail("There is no message type \"" + std::string(core::utf8_truncate(type, kMaxShownBytes)) +
         "\" for clients.");
    return false;
  }

  void read_data(std::string_view type) {
    element data;
    if (message_["data"].get(data) != simdjson::SUCCESS || data.is_null()) return;
    object found;
    if (data.get(found) != simdjson::SUCCESS) return fail("\"data\" must be an object.");
    data_ = found;
    const std::optional<std::string> inner = data_text(found, "type");
    // Clients of the text answer with the members of the request, its type among them.
    if (out_.type == MessageType::tool_answer && inner == "AGENT_TOOL_CALL_REQUEST") return;
    if (inner && *inner != type) {
      return fail("\"data.type\" must be equal to the \"type\" of the message.");
    }
    const bool has_agent = found["agentCode"].error() == simdjson::SUCCESS;
    if (inner || has_agent) {
      out_.generation = Generation::second;
    } else if (found["workflowContent"].error() == simdjson::SUCCESS) {
      out_.generation = Generation::first;
    }
  }

  // --- USER_MESSAGE, USER_ORDER ---

  void read_turn() {
    if (!data_) return;
    out_.agent = data_text(*data_, "agentCode").value_or("");
    element workflow_told;
    out_.has_workflow = (*data_)["workflowContent"].get(workflow_told) == simdjson::SUCCESS &&
                        !workflow_told.is_null();
    out_.workflow = data_text(*data_, "workflowContent").value_or("");
    std::int64_t number = 0;
    if ((*data_)["workflowId"].get(number) == simdjson::SUCCESS) {
      out_.workflow_id = std::to_string(number);
    } else {
      out_.workflow_id = data_text(*data_, "workflowId").value_or("");
    }
    out_.replaces = data_text(*data_, "replaces").value_or("");
    if (out_.workflow.size() > kMaxWorkflowBytes) {
      return fail("\"data.workflowContent\" is larger than " + std::to_string(kMaxWorkflowBytes) +
                  " bytes.");
    }
    if (!out_.workflow.empty() && !is_workflow(out_.workflow)) {
      return fail("\"data.workflowContent\" must be a JSON object as text, or empty.");
    }
    each("toolSchemas", run_tools_, [this](const object& tool) { read_tool(tool); });
    each("multimodalContents", kMaxAttachments,
         [this](const object& item) { read_attachment(item); });
  }

  template <typename Use>
  void each(std::string_view name, std::size_t limit, Use use) {
    element value;
    if ((*data_)[name].get(value) != simdjson::SUCCESS || value.is_null()) return;
    simdjson::dom::array list;
    if (value.get(list) != simdjson::SUCCESS) {
      return fail("\"data." + std::string(name) + "\" must be an array.");
    }
    if (list.size() > limit) {
      return fail("\"data." + std::string(name) + "\" has more than " + std::to_string(limit) +
                  " elements.");
    }
    place_ = "data." + std::string(name) + "[].";
    for (const element one : list) {
      object item;
      if (one.get(item) != simdjson::SUCCESS) {
        return fail("\"data." + std::string(name) + "\" must be an array of objects.");
      }
      use(item);
    }
    place_ = kData;
  }

  void read_tool(const object& in) {
    model::ToolSpec spec;
    spec.name = data_text(in, "name").value_or("");
    spec.description = data_text(in, "description").value_or("");
    element schema;
    spec.parameters = in["inputSchema"].get(schema) == simdjson::SUCCESS && !schema.is_null()
                          ? std::string(simdjson::minify(schema))
                          : std::string(R"({"type":"object"})");
    out_.tools.push_back(std::move(spec));
  }

  void read_attachment(const object& in) {
    const std::string type = data_text(in, "type").value_or("");
    Attachment out;
    if (type == "text") {
      out.text = data_text(in, "text").value_or("");
      out_.attachments.push_back(std::move(out));
      return;
    }
    const auto kind = std::find_if(kMedia.begin(), kMedia.end(),
                                   [&](const Media& media) { return media.name == type; });
    if (kind == kMedia.end()) {
      return fail("\"data.multimodalContents\" has an element of an unknown type.");
    }
    out.name = data_text(in, "uploadFileName").value_or("unnamed");
    out.text = "[" + type + ": " + out.name;
    const auto url = data_text(in, "url");
    if (url && !url->starts_with("data:")) out.text += ", " + *url;
    out.text += "]";
    out.upload_part = kind->with_data;
    model::Part part;
    part.name = out.name;
    part.media_type = data_text(in, "mimeType").value_or(std::string(kind->media_type));
    part.data = data_text(in, "base64Data").value_or("");
    if (!part.data.empty()) {
      part.type = kind->with_data;
      out.media = std::move(part);
      out_.attachments.push_back(std::move(out));
      return;
    }
    out.upload = url ? upload_at(*url) : std::string();
    if (kind->with_data == model::Part::Type::image_base64 && url &&
        (url->starts_with("https://") || url->starts_with("http://"))) {
      part.type = model::Part::Type::image_url;
      part.url = *url;
      out.media = std::move(part);
    }
    out_.attachments.push_back(std::move(out));
  }

  // --- AGENT_TOOL_CALL_RESPONSE ---

  void read_answer() {
    if (!data_) return fail("\"data\" is missing.");
    ToolAnswer& answer = out_.answer;
    answer.call_id = data_text(*data_, "toolCallId");
    answer.name = data_text(*data_, "toolName").value_or("");
    answer.arguments = data_text(*data_, "toolArgs");
    const std::optional<bool> allow = data_flag("isAllow");
    answer.success = data_flag("success");
    answer.result = data_text(*data_, "result").value_or("");
    answer.error = data_text(*data_, "error").value_or("");
    if (answer.name.empty()) return fail("\"data.toolName\" is missing.");
    if (!allow) {
      return fail("\"data.isAllow\" is missing: true allows the tool to run, false refuses it.");
    }
    answer.allow = *allow;
    const std::string scope = data_text(*data_, "scope").value_or("once");
    if (scope == "session") {
      answer.scope = Scope::session;
    } else if (scope == "always") {
      answer.scope = Scope::always;
    } else if (scope != "once") {
      return fail("\"data.scope\" must be \"once\", \"session\" or \"always\".");
    }
    if (answer.scope != Scope::once && !answer.allow) {
      fail("\"data.scope\" must be \"once\" if \"data.isAllow\" is false.");
    }
  }

  // The run has a smaller limit, which it reports itself.
  static constexpr std::size_t run_tools_ = 1'024;

  static constexpr std::string_view kData = "data.";

  const object message_;
  std::optional<object> data_;
  std::string place_{kData};  // path of the member being read, for its fault
  ClientMessage out_;
  std::string fault_;
};

}  // namespace

tl::expected<ClientMessage, MessageFault> read_message(std::string_view json) {
  simdjson::dom::parser parser;
  element root;
  if (parser.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS) {
    return tl::unexpected(MessageFault{{}, "The message is not JSON.", false});
  }
  object message;
  if (root.get(message) != simdjson::SUCCESS) {
    return tl::unexpected(MessageFault{{}, "The message must be a JSON object.", false});
  }
  return Reader(message).read();
}

std::string words_of(const ClientMessage& message) {
  std::string text = message.content;
  for (const Attachment& attachment : message.attachments) text += "\n\n" + attachment.text;
  return text;
}

std::string_view type_name(MessageType type) {
  for (const auto& [name, value] : kTypes) {
    if (value == type) return name;
  }
  return {};
}

}  // namespace parley::chat
