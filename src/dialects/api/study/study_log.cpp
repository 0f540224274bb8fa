// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "dialects/api/handlers.h"
#include "dialects/api/study/study_json.h"

namespace parley::api {
namespace {

// Queued bytes of a slow client at which sending pauses.
constexpr std::size_t kMaxQueuedBytes = 1U << 20U;
constexpr core::Millis kPause{20};

// Sends the log of one study in pieces, at the client's speed.
class LogDownload : public std::enable_shared_from_this<LogDownload> {
 public:
  LogDownload(const Context& context, Call call)
      : context_(context),
        call_(std::move(call)),
        scheduler_(call_.responder.scheduler()),
        id_(call_.request.path_param("id")) {}

  void read_on() {
    context_.studies->read_log(call_.identity.workspace, id_, from_, scheduler_,
                               [self = shared_from_this()](core::Result<study::LogPart> part) {
                                 self->on_part(std::move(part));
                               });
  }

 private:
  void on_part(core::Result<study::LogPart> part) {
    if (!writer_ && !part) return send_error(call_, part.error());
    if (!writer_) start();
    if (!writer_->open()) return;
    // A truncated log must not look complete, so after an error the body is not ended.
    if (!part) return;
    writer_->write(part->text);
    from_ = part->next;
    if (!part->more) return writer_->end();
    resume();
  }

  void start() {
    net::Response head;
    head.headers.set("Content-Type", "application/x-ndjson");
    head.headers.set("Content-Disposition", "attachment; filename=\"" + id_ + ".jsonl\"");
    head.headers.set("Cache-Control", "no-store");
    writer_ = call_.responder.start(std::move(head));
  }

  void resume() {
    if (!writer_->open()) return;
    if (writer_->queued() < kMaxQueuedBytes) return read_on();
    scheduler_.after(kPause, [self = shared_from_this()] { self->resume(); });
  }

  const Context& context_;
  Call call_;
  core::Scheduler& scheduler_;
  const std::string id_;
  study::LogPosition from_;
  std::shared_ptr<net::BodyWriter> writer_;
};

}  // namespace

void get_study_log(const Context& context, Call call) {
  if (!has_studies(context, call)) return;
  std::make_shared<LogDownload>(context, std::move(call))->read_on();
}

}  // namespace parley::api
