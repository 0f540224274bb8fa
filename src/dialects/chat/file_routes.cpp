// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
//
// Files that front ends upload and show again (contract of the chat, section 1.3).
#include <memory>
#include <utility>

#include "base/core/json_writer.h"
#include "base/core/percent.h"
#include "base/core/result.h"
#include "base/net/http/multipart_form.h"
#include "dialects/chat/chat_message.h"
#include "dialects/chat/front_end_call.h"

namespace parley::chat {
namespace {

using core::Code;
using core::Result;
using front_end::Upload;
using Tables = front_end::FrontEndStore::Tables;

// Limit of bytes queued for a slow client, and size of one piece.
// Limit (Chats): bytes of a download that are not taken. Reached: reading pauses.
constexpr std::size_t kMaxQueuedBytes = 1U << 20U;
// Limit (Chats): piece in which a download is read.
constexpr std::size_t kPieceBytes = 256U << 10U;
constexpr core::Millis kPause{20};

void write_upload(core::JsonWriter& json, const Upload& upload) {
  const std::string path = std::string(kDownloadPath) + upload.stored_name;
  json.begin_object().key("id").string(std::to_string(upload.id));
  json.key("createTime").string(date_text(upload.created_at_ms));
  json.key("updateTime").string(date_text(upload.created_at_ms));
  json.key("fileName").string(upload.name).key("storedName").string(upload.stored_name);
  json.key("fileSize").string(std::to_string(upload.size)).key("fileType").string(upload.type);
  json.key("fileExtension").string(upload.extension()).key("sourceType").string("SERVER_LOCAL");
  json.key("webRelativePath").string(path).key("webPath").string(path);
  json.key("businessType").string(upload.business_type);
  json.key("businessId").string(upload.business_id);
  json.key("downloadCount").number(upload.downloads).end_object();
}

std::string uploads_json(const std::vector<Upload>& uploads) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_array();
  for (const Upload& upload : uploads) write_upload(json, upload);
  json.end_array();
  return out;
}

front_end::UploadPurpose purpose_of(const net::Request& request) {
  return {request.query_param("businessType").value_or(""),
          request.query_param("businessId").value_or("")};
}

// Stores the files of the form whose parts have this name. On an error none is kept.
Result<std::vector<Upload>> store_files(const Tables& tables, const std::string& owner,
                                        const net::Request& request, std::string_view field) {
  PARLEY_TRY(const auto form, net::read_form(request.headers.get("Content-Type"), request.body));
  std::vector<front_end::NewUpload> files;
  for (const net::FormPart& part : form) {
    if (part.name == field) files.push_back({part.filename, part.type, part.bytes});
  }
  if (files.empty()) {
    return core::fail(Code::invalid_argument,
                      "The form has no file \"" + std::string(field) + "\".", std::string(field));
  }
  return tables.uploads.add(owner, purpose_of(request), files);
}

Result<std::string> upload_one(const Tables& tables, const std::string& owner,
                               const net::Request& request) {
  PARLEY_TRY(const auto stored, store_files(tables, owner, request, "file"));
  std::string out;
  core::JsonWriter json(out);
  write_upload(json, stored.front());
  return out;
}

Result<std::string> upload_batch(const Tables& tables, const std::string& owner,
                                 const net::Request& request) {
  PARLEY_TRY(const auto stored, store_files(tables, owner, request, "files"));
  return uploads_json(stored);
}

void store_upload(ChatContext& context, FrontEndCall call, FrontEndWork work) {
  if (!may_store(context, call)) return;
  core::Scheduler& home = call.scheduler();
  const std::size_t bytes = call.request.body.size();
  context.front_end->run<std::string>(
      home, bytes,
      [work, owner = std::move(call.owner), request = std::move(call.request)](
          const Tables& tables) { return work(tables, owner, request); },
      send_data(std::move(call.answer)));
}
void post_upload(ChatContext& context, FrontEndCall call) {
  store_upload(context, std::move(call), upload_one);
}
void post_batch(ChatContext& context, FrontEndCall call) {
  store_upload(context, std::move(call), upload_batch);
}

Result<std::string> list_all(const Tables& tables, const std::string& owner,
                             const net::Request& /*request*/) {
  PARLEY_TRY(const auto all, tables.uploads.list(owner, std::nullopt));
  return uploads_json(all);
}

Result<std::string> list_purpose(const Tables& tables, const std::string& owner,
                                 const net::Request& request) {
  PARLEY_TRY(const auto all, tables.uploads.list(owner, purpose_of(request)));
  return uploads_json(all);
}

Result<std::string> remove_file(const Tables& tables, const std::string& owner,
                                const net::Request& request) {
  PARLEY_TRY_VOID(tables.uploads.remove(owner, std::string(request.path_param("storedName"))));
  return "null";
}

// Only pictures are shown inline: an upload must not run code in this origin.
net::Response head_of(const Upload& upload) {
  net::Response head;
  head.headers.set("Content-Type", upload.type);
  head.headers.set("Content-Disposition",
                   std::string(upload.is_picture() ? "inline" : "attachment") +
                       "; filename*=UTF-8''" + core::percent_encoded(upload.name));
  head.headers.set("X-Content-Type-Options", "nosniff");
  head.headers.set("Content-Security-Policy", "default-src 'none'; sandbox");
  head.headers.set("Cache-Control", "no-store");
  return head;
}

// Sends a file in pieces, at the client's speed.
class FileDownload : public std::enable_shared_from_this<FileDownload> {
 public:
  FileDownload(front_end::FrontEndStore& store, FrontEndCall call)
      : store_(store), call_(std::move(call)), scheduler_(call_.scheduler()) {}

  void begin() {
    store_.run<Upload>(
        scheduler_, 0,
        [owner = call_.owner, name = std::string(call_.request.path_param("storedName"))](
            const Tables& tables) { return tables.uploads.take(owner, name); },
        [self = shared_from_this()](Result<Upload> upload) { self->on_found(std::move(upload)); });
  }

 private:
  // Refuses with an HTTP status: a browser that loads a picture evaluates nothing else.
  void on_found(Result<Upload> upload) {
    if (!upload) return refuse(upload.error());
    upload_ = std::move(*upload);
    read_on();
  }

  void refuse(const core::Error& error) {
    net::Response response = wrapped_refusal(error);
    if (response.status == 200) response.status = core::http_status(error.code);
    call_.answer.responder.send(std::move(response));
  }

  void read_on() {
    store_.run<std::string>(
        scheduler_, 0,
        [owner = call_.owner, upload = upload_, at = sent_](const Tables& tables) {
          return tables.uploads.read(owner, upload, at, kPieceBytes);
        },
        [self = shared_from_this()](const Result<std::string>& piece) { self->on_piece(piece); });
  }

  void on_piece(const Result<std::string>& piece) {
    if (!writer_ && !piece) return refuse(piece.error());
    if (!writer_) writer_ = call_.answer.responder.start(head_of(upload_));
    // A truncated file must not look complete, so after an error the body is not ended.
    if (!writer_->open() || !piece) return;
    if (!piece->empty()) writer_->write(*piece);
    sent_ += piece->size();
    if (sent_ >= upload_.size) return writer_->end();
    resume();
  }

  void resume() {
    if (!writer_->open()) return;
    if (writer_->queued() < kMaxQueuedBytes) return read_on();
    scheduler_.after(kPause, [self = shared_from_this()] { self->resume(); });
  }

  front_end::FrontEndStore& store_;
  FrontEndCall call_;
  core::Scheduler& scheduler_;
  Upload upload_;
  std::uint64_t sent_ = 0;
  std::shared_ptr<net::BodyWriter> writer_;
};

void download(ChatContext& context, FrontEndCall call) {
  std::make_shared<FileDownload>(*context.front_end, std::move(call))->begin();
}

}  // namespace

void install_files(net::Router& router, ChatContext& context) {
  add_route(router, context, "POST", "/api/v1/files/upload", post_upload);
  add_route(router, context, "POST", "/api/v1/files/upload/batch", post_batch);
  add_route(router, context, "GET", "/api/v1/files/download/{storedName}", download);
  add_store_route(router, context, "GET", "/api/v1/files/user", list_all);
  add_store_route(router, context, "GET", "/api/v1/files/business", list_purpose);
  add_store_route(router, context, "DELETE", "/api/v1/files/{storedName}", remove_file);
}

}  // namespace parley::chat
