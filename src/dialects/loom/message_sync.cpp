// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/loom/message_sync.h"

#include <memory>
#include <utility>

#include "base/core/limits.h"
#include "dialects/loom/message_log.h"

namespace parley::loom {
namespace {

// Extends one log to its thread's latest events, then reads a page. Pending callbacks keep the
// object alive.
class MessageSync final : public std::enable_shared_from_this<MessageSync> {
 public:
  MessageSync(LoomContext& context, std::string owner, std::string thread, MessagePlace place,
              std::size_t limit, core::Scheduler& scheduler, WorkspaceStore::Done<MessagePage> done)
      : context_(context),
        owner_(std::move(owner)),
        thread_(std::move(thread)),
        place_(place),
        limit_(limit),
        scheduler_(scheduler),
        done_(std::move(done)) {}

  void start() {
    context_.store().session(thread_, scheduler_,
                             [self = shared_from_this()](core::Result<event::SessionRow> row) {
                               self->on_session(row);
                             });
  }

 private:
  void on_session(const core::Result<event::SessionRow>& row) {
    if (!row && row.error().code != core::Code::not_found) return done_(core::fail(row.error()));
    if (!row || row->owner != owner_) return finish();
    context_.workspaces()->log_position(
        owner_, thread_, scheduler_,
        [self = shared_from_this()](core::Result<std::uint64_t> position) {
          if (!position) return self->done_(core::fail(position.error()));
          self->from_ = *position;
          self->read_ = *position;
          self->read_on();
        });
  }

  void read_on() {
    event::ReadQuery query;
    query.session = thread_;
    query.after = read_;
    query.limit = core::limits::kMaxPageEvents;
    query.types = MessageLog::types();
    context_.store().read(
        std::move(query), scheduler_,
        [self = shared_from_this()](core::Result<event::EventPage> page) { self->on_page(page); });
  }

  void on_page(const core::Result<event::EventPage>& page) {
    if (!page) return done_(core::fail(page.error()));
    for (const event::Event& event : page->events) {
      log_.take(event);
      read_ = event.seq;
    }
    if (page->more && !page->events.empty()) return read_on();
    if (log_.position() <= from_) return finish();
    context_.workspaces()->lengthen_log(owner_, thread_, from_, log_.position(),
                                        log_.take_messages(), scheduler_,
                                        [self = shared_from_this()](core::Result<void> result) {
                                          if (!result)
                                            return self->done_(core::fail(result.error()));
                                          self->finish();
                                        });
  }

  void finish() {
    context_.workspaces()->messages(owner_, thread_, place_, limit_, scheduler_, std::move(done_));
  }

  LoomContext& context_;
  std::string owner_;
  std::string thread_;
  MessagePlace place_;
  std::size_t limit_;
  core::Scheduler& scheduler_;
  WorkspaceStore::Done<MessagePage> done_;
  MessageLog log_;
  std::uint64_t from_ = 0;
  std::uint64_t read_ = 0;
};

}  // namespace

void read_messages(LoomContext& context, std::string owner, std::string thread, MessagePlace place,
                   std::size_t limit, core::Scheduler& scheduler,
                   WorkspaceStore::Done<MessagePage> done) {
  if (place.before) {
    context.workspaces()->messages(std::move(owner), std::move(thread), place, limit, scheduler,
                                   std::move(done));
    return;
  }
  std::make_shared<MessageSync>(context, std::move(owner), std::move(thread), place, limit,
                                scheduler, std::move(done))
      ->start();
}

}  // namespace parley::loom
