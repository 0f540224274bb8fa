// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/core/contain.h"
#include "base/core/json_writer.h"
#include "base/core/limits.h"
#include "base/net/http/compression.h"
#include "dialects/api/handlers.h"
#include "dialects/api/session/event_stream.h"

namespace parley::api {
namespace {

// Requests that wait for Context::disk, above which a page is not compressed there.
constexpr std::size_t kMaxPagesBeforeCompression = 4;

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    if (comma != 0) out.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return out;
}

// The client's position. Last-Event-ID takes precedence over `after`: a browser that reconnects
// repeats the `after` of its first request and adds the newer Last-Event-ID.
core::Result<std::optional<Position>> read_after(const net::Request& request) {
  const std::string_view last = request.headers.get("Last-Event-ID");
  const auto after = request.query_param("after");
  if (last.empty() && !after) return std::nullopt;
  auto position =
      last.empty() ? parse_position(*after, "after") : parse_position(last, "Last-Event-ID");
  if (!position) return core::fail(position.error());
  return *position;
}

// Sends 410 with the data that a client needs to begin anew.
void send_gone(Call& call, std::string_view reason, const std::string& epoch,
               const event::SessionRow& row) {
  send_object(call, 410, [&](core::JsonWriter& json) {
    json.key("code").string("history_gone");
    json.key("message").string(
        "The events after \"after\" are no longer stored. Read again from first_seq, with this "
        "epoch.");
    json.key("field").string("after").key("reason").string(reason);
    json.key("epoch").string(epoch).key("first_seq").number(row.first_seq);
    json.key("last_seq").number(row.last_seq);
  });
}

// A page above net::kMaxCompressedBytes is compressed on Context::disk, because that would block
// the loop. If several wait there, it is sent as it is.
void send_large(const Context& context, Call call, std::string body) {
  const std::shared_ptr<std::atomic<std::size_t>> waiting = context.waiting_for_disk;
  if (waiting->fetch_add(1) >= kMaxPagesBeforeCompression) {
    --*waiting;
    return send_json(call, 200, std::move(body));
  }
  core::Scheduler& back = call.responder.scheduler();
  context.disk.post([&back, waiting, call = std::move(call), body = std::move(body)]() mutable {
    auto packed = core::contain("compression of a page", [&]() -> core::Result<std::string> {
      std::optional<std::string> created = net::gzip(body);
      if (!created) return core::fail(core::Code::resource_exhausted, "There is no memory.");
      return *std::move(created);
    });
    --*waiting;
    const bool is_packed = packed.has_value();
    if (packed) body = *std::move(packed);
    net::Response response = net::Response::json(200, std::move(body));
    response.headers.set("Cache-Control", "no-store");
    response.headers.add("Vary", "Accept-Encoding");
    if (is_packed) response.headers.set("Content-Encoding", "gzip");
    back.post([call = std::move(call), response = std::move(response)]() mutable {
      call.responder.send(std::move(response));
    });
  });
}

std::string page_json(const Context& context, const event::EventPage& page) {
  return core::json_object([&](core::JsonWriter& json) {
    json.key("epoch").string(context.store.epoch());
    json.key("first_seq").number(page.first_seq).key("last_seq").number(page.last_seq);
    json.key("more").boolean(page.more).key("events").begin_array();
    for (const event::Event& event : page.events) json.raw(event_json(event));
    json.end_array();
  });
}

void read_page(const Context& context, Call call, const event::SessionRow& row,
               event::ReadQuery query) {
  core::Scheduler& scheduler = call.responder.scheduler();
  context.store.read(
      std::move(query), scheduler,
      [&context, call = std::move(call), row](core::Result<event::EventPage> page) mutable {
        if (!page && page.error().code == core::Code::not_found) {
          page = event::EventPage{{}, row.first_seq, row.last_seq, false};
        }
        if (!page) return send_error(call, page.error());
        send_page(context, std::move(call), page_json(context, *page));
      });
}

}  // namespace

void send_page(const Context& context, Call call, std::string body) {
  const bool is_large = body.size() > net::kMaxCompressedBytes;
  if (is_large && net::accepts_coding(call.request.headers, "gzip")) {
    return send_large(context, std::move(call), std::move(body));
  }
  send_json(call, 200, std::move(body));
}

void get_events(const Context& context, Call call) {
  const auto after = read_after(call.request);
  if (!after) return send_error(call, after.error());
  const auto limit = query_number(call.request, "limit", 100, 1, core::limits::kMaxPageEvents);
  if (!limit) return send_error(call, limit.error());
  const auto before = query_number(call.request, "before", 0, 0, INT64_MAX);
  if (!before) return send_error(call, before.error());
  const auto max_bytes =
      query_number(call.request, "max_bytes", event::kMaxPageBytes, 1, event::kMaxPageBytes);
  if (!max_bytes) return send_error(call, max_bytes.error());
  const std::string follow = call.request.query_param("follow").value_or("true");
  if (follow != "true" && follow != "false") {
    return send_error(
        call, {core::Code::invalid_argument, "\"follow\" must be true or false.", "follow"});
  }
  if (*after && *before > 0) {
    return send_error(call, {core::Code::invalid_argument,
                             "\"after\" and \"before\" cannot be used together.", "before"});
  }
  StreamQuery stream;
  stream.after = *after;
  stream.types = split_list(call.request.query_param("types").value_or(""));
  stream.follow = follow == "true";
  const bool sse = call.request.headers.lists("Accept", "text/event-stream");
  const bool ndjson = call.request.headers.lists("Accept", "application/x-ndjson");
  stream.form = sse ? StreamForm::sse : StreamForm::ndjson;
  std::string id(call.request.path_param("id"));
  with_owned_session(
      context, std::move(call), std::move(id),
      [&context, stream = std::move(stream), streamed = sse || ndjson, limit = *limit,
       before = *before, max_bytes = *max_bytes](Call found, event::SessionRow row) mutable {
        if (streamed) return stream_events(context, std::move(found), row, std::move(stream));
        const std::string_view gap = stream.after ? gap_reason(*stream.after, context.store.epoch(),
                                                               row.first_seq, row.last_seq)
                                                  : std::string_view();
        if (!gap.empty()) return send_gone(found, gap, context.store.epoch(), row);
        event::ReadQuery query;
        query.session = row.id;
        query.after = stream.after ? stream.after->seq : row.first_seq - 1;
        if (before > 0) query.before = before;
        query.limit = limit;
        query.max_bytes = max_bytes;
        query.types = std::move(stream.types);
        read_page(context, std::move(found), row, std::move(query));
      });
}

}  // namespace parley::api
