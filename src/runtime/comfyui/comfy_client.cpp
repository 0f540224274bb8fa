// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/comfy_client.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <utility>

#include "base/core/assert.h"
#include "base/core/id.h"
#include "base/core/json_member.h"
#include "base/core/json_writer.h"
#include "base/core/percent.h"
#include "base/core/utf8.h"
#include "runtime/comfyui/json_access.h"

namespace parley::comfyui {

namespace {

void append_quoted(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"') {
      out.append("%22");
    } else if (c == '\r') {
      out.append("%0D");
    } else if (c == '\n') {
      out.append("%0A");
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

}  // namespace

Multipart::Multipart(core::Entropy& entropy) : boundary_(core::random_hex(entropy, 16)) {}

void Multipart::begin_part(std::string_view name) {
  body_.append("--").append(boundary_).append("\r\nContent-Disposition: form-data; name=");
  append_quoted(body_, name);
}

void Multipart::add_field(std::string_view name, std::string_view value) {
  begin_part(name);
  body_.append("\r\n\r\n").append(value).append("\r\n");
}

void Multipart::add_file(std::string_view name, std::string_view filename,
                         std::string_view content_type, std::string_view bytes) {
  begin_part(name);
  body_.append("; filename=");
  append_quoted(body_, filename);
  body_.append("\r\nContent-Type: ").append(content_type).append("\r\n\r\n");
  body_.append(bytes).append("\r\n");
}

std::string Multipart::finish() {
  body_.append("--").append(boundary_).append("--\r\n");
  return std::exchange(body_, {});
}

namespace {

constexpr std::size_t kMaxShownNameBytes = 256;
constexpr std::size_t kMaxNames = 100'000;
constexpr int kWithdrawRounds = 3;

bool is_content_type(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

NodeSummary summary_of(std::string_view name, std::string_view json) {
  NodeSummary out;
  out.name = name;
  boost::system::error_code problem;
  const boost::json::value value = boost::json::parse(json, problem, {}, json_options());
  const boost::json::object* object = problem ? nullptr : value.if_object();
  if (object == nullptr) return out;
  out.display_name = core::string_member(*object, "display_name");
  out.category = core::string_member(*object, "category");
  out.description =
      core::utf8_truncate(core::text_member(*object, "description"), kMaxDescriptionBytes);
  if (const boost::json::array* outputs = array_member(*object, "output")) {
    for (const boost::json::value& type : *outputs) {
      // A list of choices instead of a type name.
      out.outputs.emplace_back(type.is_string() ? std::string_view(type.get_string()) : "COMBO");
    }
  }
  out.output_node = bool_member(*object, "output_node");
  out.deprecated = bool_member(*object, "deprecated");
  out.experimental = bool_member(*object, "experimental");
  return out;
}

std::string ids_json(std::string_view name, const std::vector<std::string>& ids) {
  return core::json_object([&](core::JsonWriter& json) { json.key(name).strings(ids); });
}

std::string prompt_json(const PromptRequest& request) {
  boost::json::object body{{"prompt", request.prompt}};
  if (!request.client_id.empty()) body["client_id"] = request.client_id;
  if (!request.prompt_id.empty()) body["prompt_id"] = request.prompt_id;
  if (request.front) body["front"] = true;
  if (!request.extra_data.empty()) body["extra_data"] = request.extra_data;
  return boost::json::serialize(body);
}

}  // namespace

ComfyClient::ComfyClient(ServerAddress address, ClientOptions options,
                         http_client::Fetcher& fetcher, core::Entropy& entropy,
                         core::Scheduler& home)
    : address_(std::move(address)),
      options_(std::move(options)),
      fetcher_(fetcher),
      entropy_(entropy),
      home_(home) {
  PARLEY_ASSERT(options_.credentials.check(), "credentials that were not checked");
}

ComfyClient::~ComfyClient() {
  alive_.reset();
  for (auto& [id, source] : std::exchange(exchanges_, {})) {
    source.cancel("The client of the ComfyUI server is gone.");
  }
}

void ComfyClient::get_object(std::string_view target, const core::CancelToken& cancel,
                             Done<boost::json::object> done) {
  send(request_of("GET", target), Read::json, cancel,
       [this, done = std::move(done)](core::Result<Answer> answer) mutable {
         if (!answer) return done(core::fail(std::move(answer.error())));
         if (!answer->success()) {
           return done(core::fail(error_of_status(answer->status, answer->text)));
         }
         boost::json::object* object = answer->json.if_object();
         if (object == nullptr) return done(core::fail(no_json("a request for an object")));
         done(std::move(*object));
       });
}

void ComfyClient::get_names(std::string_view target, const core::CancelToken& cancel,
                            Done<std::vector<std::string>> done) {
  send(request_of("GET", target), Read::json, cancel,
       [this, done = std::move(done)](core::Result<Answer> answer) mutable {
         if (!answer) return done(core::fail(std::move(answer.error())));
         if (!answer->success()) {
           return done(core::fail(error_of_status(answer->status, answer->text)));
         }
         const boost::json::array* list = answer->json.if_array();
         if (list == nullptr) return done(core::fail(no_json("a request for a list")));
         std::vector<std::string> names;
         for (const boost::json::value& name : *list) {
           if (name.is_string() && names.size() < kMaxNames) names.emplace_back(name.get_string());
         }
         done(std::move(names));
       });
}

void ComfyClient::command(std::string_view target, std::string json,
                          const core::CancelToken& cancel, Done<void> done) {
  send(post_of(target, std::move(json)), Read::bytes, cancel,
       [this, done = std::move(done)](core::Result<Answer> answer) mutable {
         if (!answer) return done(core::fail(std::move(answer.error())));
         if (!answer->success()) {
           return done(core::fail(error_of_status(answer->status, answer->text)));
         }
         done({});
       });
}

void ComfyClient::system_stats(const core::CancelToken& cancel, Done<boost::json::object> done) {
  get_object("/system_stats", cancel, std::move(done));
}

void ComfyClient::node_schema(std::string class_name, const core::CancelToken& cancel,
                              Done<NodeClass> done) {
  const auto cached = schemas_.find(class_name);
  if (cached != schemas_.end() &&
      home_.clock().mono() - cached->second.read_at < options_.schema_ttl) {
    return reply_later(std::move(done), cached->second.schema);
  }
  const std::string target = "/object_info/" + core::percent_encoded(class_name);
  get_object(target, cancel,
             [this, class_name = std::move(class_name),
              done = std::move(done)](core::Result<boost::json::object> answer) mutable {
               if (!answer) return done(core::fail(std::move(answer.error())));
               const boost::json::object* found = object_member(*answer, class_name);
               if (found == nullptr) {
                 return done(core::fail(
                     core::Code::not_found,
                     "The ComfyUI server has no node class \"" +
                         std::string(core::utf8_truncate(class_name, kMaxShownNameBytes)) + "\".",
                     "class_type"));
               }
               auto schema = std::make_shared<const boost::json::object>(*found);
               keep_schema(class_name, schema);
               done(std::move(schema));
             });
}

void ComfyClient::keep_schema(const std::string& class_name, const NodeClass& schema) {
  if (schemas_.size() >= options_.max_schemas && !schemas_.contains(class_name)) {
    const auto oldest = std::min_element(
        schemas_.begin(), schemas_.end(),
        [](const auto& a, const auto& b) { return a.second.read_at < b.second.read_at; });
    if (oldest != schemas_.end()) schemas_.erase(oldest);
  }
  schemas_[class_name] = {schema, home_.clock().mono()};
}

void ComfyClient::node_classes(const core::CancelToken& cancel,
                               Done<std::vector<NodeSummary>> done) {
  http_client::FetchRequest request = request_of("GET", "/object_info");
  request.total_timeout = options_.transfer_timeout;
  request.idle_timeout = options_.transfer_timeout;
  request.max_bytes = options_.max_node_list_bytes;
  auto classes = std::make_shared<std::vector<NodeSummary>>();
  send(
      std::move(request), Read::members, cancel,
      [this, classes, done = std::move(done)](core::Result<Answer> answer) mutable {
        if (!answer) return done(core::fail(std::move(answer.error())));
        if (!answer->success()) {
          return done(core::fail(error_of_status(answer->status, answer->text)));
        }
        done(std::move(*classes));
      },
      [classes](std::string_view name, std::string_view value) {
        if (classes->size() < kMaxNodeClasses) classes->push_back(summary_of(name, value));
      });
}

void ComfyClient::model_folders(const core::CancelToken& cancel,
                                Done<std::vector<std::string>> done) {
  get_names("/models", cancel, std::move(done));
}

void ComfyClient::models(std::string folder, const core::CancelToken& cancel,
                         Done<std::vector<std::string>> done) {
  get_names("/models/" + core::percent_encoded(folder), cancel, std::move(done));
}

void ComfyClient::queue(PromptRequest request, const core::CancelToken& cancel,
                        Done<PromptAnswer> done) {
  std::string body = prompt_json(request);
  if (body.size() > options_.max_prompt_bytes) {
    return reply_later(std::move(done),
                       core::fail(core::Code::invalid_argument,
                                  "The workflow has more than " +
                                      std::to_string(options_.max_prompt_bytes) + " bytes.",
                                  "prompt"));
  }
  send(post_of("/prompt", std::move(body)), Read::json, cancel,
       [this, done = std::move(done)](core::Result<Answer> answer) mutable {
         if (!answer) return done(core::fail(std::move(answer.error())));
         if (answer->status == 400) {
           boost::system::error_code problem;
           answer->json = boost::json::parse(answer->text, problem, {}, json_options());
           if (problem) return done(core::fail(error_of_status(400, answer->text)));
         } else if (!answer->success()) {
           return done(core::fail(error_of_status(answer->status, answer->text)));
         }
         const boost::json::object* told = answer->json.if_object();
         if (told == nullptr) return done(core::fail(no_json("a workflow")));
         done(read_prompt_answer(answer->status, *told));
       });
}

void ComfyClient::queue_state(const core::CancelToken& cancel, Done<QueueState> done) {
  get_object("/queue", cancel,
             [done = std::move(done)](core::Result<boost::json::object> body) mutable {
               if (!body) return done(core::fail(std::move(body.error())));
               done(read_queue(*body));
             });
}

void ComfyClient::delete_pending(const std::vector<std::string>& prompt_ids,
                                 const core::CancelToken& cancel, Done<void> done) {
  command("/queue", ids_json("delete", prompt_ids), cancel, std::move(done));
}

void ComfyClient::clear_pending(const core::CancelToken& cancel, Done<void> done) {
  command("/queue", R"({"clear":true})", cancel, std::move(done));
}

void ComfyClient::interrupt(const std::string& prompt_id, const core::CancelToken& cancel,
                            Done<void> done) {
  std::string body = "{}";
  if (!prompt_id.empty()) {
    body.clear();
    core::JsonWriter(body).begin_object().key("prompt_id").string(prompt_id).end_object();
  }
  command("/interrupt", std::move(body), cancel, std::move(done));
}

void ComfyClient::withdraw(std::string prompt_id, const core::CancelToken& cancel,
                           Done<void> done) {
  withdraw_round(std::move(prompt_id), kWithdrawRounds, cancel, std::move(done));
}

// Deletes a pending workflow, then checks again, because it may have started meanwhile.
void ComfyClient::withdraw_round(std::string prompt_id, int rounds, const core::CancelToken& cancel,
                                 Done<void> done) {
  queue_state(cancel, [this, prompt_id = std::move(prompt_id), rounds, cancel,
                       done = std::move(done)](core::Result<QueueState> queue) mutable {
    if (!queue) return done(core::fail(std::move(queue.error())));
    const auto is_it = [&](const QueueEntry& entry) { return entry.prompt_id == prompt_id; };
    if (std::any_of(queue->running.begin(), queue->running.end(), is_it)) {
      return interrupt(prompt_id, cancel, std::move(done));
    }
    if (std::none_of(queue->pending.begin(), queue->pending.end(), is_it)) {
      if (rounds < kWithdrawRounds) return done({});  // deleted
      return done(
          core::fail(core::Code::not_found,
                     "No workflow with this prompt_id is queued or running on the ComfyUI server.",
                     "prompt_id"));
    }
    if (rounds == 0) {
      return done(core::fail(core::Code::aborted,
                             "The ComfyUI server did not remove the workflow from its queue."));
    }
    delete_pending({prompt_id}, cancel,
                   [this, prompt_id, rounds, cancel,
                    done = std::move(done)](core::Result<void> deleted) mutable {
                     if (!deleted) return done(core::fail(std::move(deleted.error())));
                     withdraw_round(std::move(prompt_id), rounds - 1, cancel, std::move(done));
                   });
  });
}

void ComfyClient::free_memory(bool unload_models, const core::CancelToken& cancel,
                              Done<void> done) {
  std::string body;
  core::JsonWriter json(body);
  json.begin_object().key("unload_models").boolean(unload_models);
  json.key("free_memory").boolean(true).end_object();
  command("/free", std::move(body), cancel, std::move(done));
}

void ComfyClient::history(std::string prompt_id, const core::CancelToken& cancel,
                          Done<std::optional<PromptRecord>> done) {
  const std::string target = "/history/" + core::percent_encoded(prompt_id);
  get_object(target, cancel,
             [prompt_id = std::move(prompt_id),
              done = std::move(done)](core::Result<boost::json::object> body) mutable {
               if (!body) return done(core::fail(std::move(body.error())));
               const boost::json::object* entry = object_member(*body, prompt_id);
               if (entry == nullptr) return done(std::optional<PromptRecord>());
               auto record = read_prompt_record(prompt_id, *entry);
               if (!record) return done(core::fail(std::move(record.error())));
               done(std::optional<PromptRecord>(std::move(*record)));
             });
}

void ComfyClient::history(std::size_t max_items, const core::CancelToken& cancel,
                          Done<std::vector<PromptRecord>> done) {
  const std::string items = std::to_string(std::clamp<std::size_t>(max_items, 1, kMaxHistoryItems));
  get_object("/history" + query_of({{"max_items", items}}), cancel,
             [done = std::move(done)](core::Result<boost::json::object> body) mutable {
               if (!body) return done(core::fail(std::move(body.error())));
               std::vector<PromptRecord> records;
               for (const auto& [id, value] : *body) {
                 const boost::json::object* entry = value.if_object();
                 if (entry == nullptr || records.size() >= kMaxHistoryItems) continue;
                 auto record = read_prompt_record(id, *entry);
                 if (!record) return done(core::fail(std::move(record.error())));
                 records.push_back(std::move(*record));
               }
               done(std::move(records));
             });
}

void ComfyClient::view(const OutputFile& file, const core::CancelToken& cancel,
                       Done<FileBytes> done) {
  if (auto fine = file.check(); !fine) {
    return reply_later(std::move(done), core::fail(std::move(fine.error())));
  }
  http_client::FetchRequest request =
      request_of("GET", "/view" + query_of({{"filename", file.filename},
                                            {"subfolder", file.subfolder},
                                            {"type", file.type}}));
  request.total_timeout = options_.transfer_timeout;
  request.max_bytes = options_.max_file_bytes;
  send(std::move(request), Read::bytes, cancel,
       [this, done = std::move(done)](core::Result<Answer> answer) mutable {
         if (!answer) return done(core::fail(std::move(answer.error())));
         if (!answer->success()) {
           return done(core::fail(error_of_status(answer->status, answer->text)));
         }
         done(FileBytes{std::move(answer->content_type), std::move(answer->text)});
       });
}

void ComfyClient::upload_image(const FileUpload& upload, const core::CancelToken& cancel,
                               Done<OutputFile> done) {
  const OutputFile target{upload.filename, upload.subfolder, upload.type};
  core::Result<void> fine = target.check();
  if (fine && upload.bytes.size() > options_.max_upload_bytes) {
    fine = core::fail(
        core::Code::invalid_argument,
        "The file has more than " + std::to_string(options_.max_upload_bytes) + " bytes.", "bytes");
  }
  if (fine && !is_content_type(upload.content_type)) {
    fine =
        core::fail(core::Code::invalid_argument,
                   "The content type of a file must have the form \"image/png\".", "content_type");
  }
  if (!fine) {
    return reply_later(std::move(done), core::fail(std::move(fine.error())));
  }
  Multipart form(entropy_);
  form.add_file("image", upload.filename, upload.content_type, upload.bytes);
  form.add_field("type", upload.type);
  form.add_field("subfolder", upload.subfolder);
  if (upload.overwrite) form.add_field("overwrite", "true");
  http_client::FetchRequest request = request_of("POST", "/upload/image");
  request.headers.push_back("Content-Type: " + form.content_type());
  request.body = form.finish();
  request.total_timeout = options_.transfer_timeout;
  request.idle_timeout = options_.transfer_timeout;  // the server is silent during the upload
  send(std::move(request), Read::json, cancel,
       [this, done = std::move(done)](core::Result<Answer> answer) mutable {
         if (!answer) return done(core::fail(std::move(answer.error())));
         if (!answer->success()) {
           return done(core::fail(error_of_status(answer->status, answer->text)));
         }
         const boost::json::object* body = answer->json.if_object();
         if (body == nullptr) return done(core::fail(no_json("an upload")));
         OutputFile file{core::string_member(*body, "name"),
                         core::string_member(*body, "subfolder"),
                         core::string_member(*body, "type")};
         if (!file.check()) return done(core::fail(no_json("an upload")));
         done(std::move(file));
       });
}

std::string ComfyClient::socket_target(std::string_view client_id) const {
  return address_.prefix + "/ws" + query_of({{"clientId", client_id}});
}

}  // namespace parley::comfyui
