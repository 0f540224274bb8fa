// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/core/result.h"
#include "dialects/api/handlers.h"
#include "dialects/api/session/event_stream.h"
#include "runtime/stream/export_form.h"
#include "runtime/stream/frame.h"

namespace parley::api {
namespace {

struct Wanted {
  StreamQuery stream;
  bool single_key = false;
  bool with_time = false;
};

core::Result<bool> flag(const net::Request& request, std::string_view name, bool fallback) {
  const auto text = request.query_param(name);
  if (!text) return fallback;
  if (*text == "true") return true;
  if (*text == "false") return false;
  return core::fail(core::Code::invalid_argument,
                    "\"" + std::string(name) + "\" must be true or false.", std::string(name));
}

core::Result<Wanted> read_wanted(const net::Request& request) {
  Wanted wanted;
  const std::string_view last = request.headers.get("Last-Event-ID");
  const auto after = request.query_param("after");
  if (!last.empty() || after) {
    PARLEY_TRY(auto position, last.empty() ? parse_position(*after, "after")
                                           : parse_position(last, "Last-Event-ID"));
    wanted.stream.after = std::move(position);
  }
  PARLEY_TRY(const auto follow, flag(request, "follow", true));
  wanted.stream.follow = follow;
  PARLEY_TRY(const auto times, flag(request, "times", false));
  wanted.with_time = times;
  const std::string format = request.query_param("format").value_or("stream");
  if (format != "stream" && format != "export") {
    return core::fail(core::Code::invalid_argument, "\"format\" must be stream or export.",
                      "format");
  }
  wanted.single_key = format == "export";
  wanted.stream.form =
      request.headers.lists("Accept", "text/event-stream") ? StreamForm::sse : StreamForm::ndjson;
  return wanted;
}

// Makes the function that writes an event; it returns false if the event does not belong to a run.
std::function<bool(const event::Event&, std::string&)> writer_of(const Wanted& wanted) {
  if (wanted.single_key) {
    return [](const event::Event& event, std::string& out) {
      const std::optional<std::string> form = runtime::export_of(event);
      if (form) out += *form;
      return form.has_value();
    };
  }
  return [options = runtime::FrameOptions{wanted.with_time}](const event::Event& event,
                                                             std::string& out) {
    if (!runtime::is_frame(event.type)) return false;
    runtime::append_frame(out, event, options);
    return true;
  };
}

}  // namespace

void get_run_events(const Context& context, Call call) {
  auto wanted = read_wanted(call.request);
  if (!wanted) return send_error(call, wanted.error());
  core::Scheduler& scheduler = call.responder.scheduler();
  std::string owner = call.identity.workspace;
  std::string id(call.request.path_param("id"));
  context.runs->find(
      owner, id, scheduler,
      [&context, call = std::move(call), wanted = std::move(*wanted), owner,
       id](const core::Result<run::Run>& run) mutable {
        if (!run) return send_error(call, run.error());
        StreamQuery& stream = wanted.stream;
        stream.plain = true;
        stream.begin = std::max<std::uint64_t>(run->first_seq, 1);
        if (run->ended_at) stream.end = run->last_seq;
        if (run->ended_at && run->first_seq == 0) {  // It ended before it began: no event is its.
          stream.end = 1;
          stream.begin = stream.end + 1;
        }
        stream.next_begins = "run_start";
        stream.write = writer_of(wanted);
        stream.last_type = runtime::kReplyType;
        stream.is_last = [&context, owner, id](std::uint64_t seq, core::Scheduler& on,
                                               absl::AnyInvocable<void(bool)> done) {
          context.runs->find(
              owner, id, on,
              [seq, done = std::move(done)](const core::Result<run::Run>& now) mutable {
                done(!now || (now->ended_at && now->last_seq <= seq));
              });
        };
        std::string session = run->session;
        with_owned_session(context, std::move(call), std::move(session),
                           [&context, stream = std::move(stream)](
                               Call found, const event::SessionRow& row) mutable {
                             stream_events(context, std::move(found), row, std::move(stream));
                           });
      });
}

}  // namespace parley::api
