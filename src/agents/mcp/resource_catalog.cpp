// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/resource_catalog.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_revision.h"
#include "agents/mcp/prompt_catalog.h"
#include "base/core/base64.h"
#include "base/core/json_member.h"
#include "base/core/json_parts.h"

namespace parley::mcp {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t kMaxCursorBytes = 1'024;
constexpr std::string_view kNumberVariable = "n";

// A place in the whole list: the index of a kind in kResourceTemplates, and a place of the
// provider.
struct ListPlace {
  std::size_t kind = 0;
  std::string place;
};

bool is_listed(std::size_t kind) {
  return kind < kResourceTemplates.size() &&
         kResourceTemplates.at(kind).kind != ResourceKind::attachment;
}

std::string cursor_of(const ListPlace& at) {
  return core::base64url_encode(std::string(kResourceTemplates.at(at.kind).name) + ":" + at.place);
}

std::optional<ListPlace> place_of(std::string_view cursor) {
  if (cursor.size() > kMaxCursorBytes) return std::nullopt;
  const auto text = core::base64_decode(cursor);
  const std::size_t colon = text ? text->find(':') : std::string::npos;
  if (colon == std::string::npos) return std::nullopt;
  const std::string_view word = std::string_view(*text).substr(0, colon);
  for (std::size_t kind = 0; is_listed(kind); ++kind) {
    if (kResourceTemplates.at(kind).name == word) return ListPlace{kind, text->substr(colon + 1)};
  }
  return std::nullopt;
}

void write_row(core::JsonWriter& json, const ResourceTemplate& of, const ResourceRow& row) {
  json.begin_object().key("uri").string(uri_of({of.kind, row.id}));
  json.key("name").string(row.title).key("description").string(of.description);
  json.key("mimeType").string(of.mime_type).end_object();
}

void list_templates(const ExchangePtr& exchange) {
  if (refuse_cursor(exchange)) return;
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("resourceTemplates");
  json.objects(kResourceTemplates, [](core::JsonWriter& out, const ResourceTemplate& each) {
    out.key("uriTemplate").string(each.uri).key("name").string(each.name);
    out.key("title").string(each.title).key("description").string(each.description);
    if (!each.mime_type.empty()) out.key("mimeType").string(each.mime_type);
  });
  write_cache_hints(json, exchange->client());
  json.end_object();
  exchange->reply(result);
}

void fail_read(Exchange& exchange, const std::string& uri, const core::Error& error) {
  std::string data;
  core::JsonWriter json(data);
  json.begin_object().key("uri").string(uri).end_object();
  if (error.code == core::Code::not_found) {
    const int code = exchange.client().modern() ? kInvalidParams : kLegacyResourceNotFound;
    return exchange.fail(code, "Resource not found", data);
  }
  exchange.fail(kInternalError, error.message, data);
}

void send_content(Exchange& exchange, const std::string& uri, const ResourceContent& content) {
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("contents").begin_array().begin_object().key("uri").string(uri);
  json.key("mimeType").string(content.mime_type);
  if (content.binary) {
    json.key("blob").string(core::base64_encode(content.bytes));
  } else {
    json.key("text").string(content.bytes);
  }
  json.end_object().end_array();
  write_cache_hints(json, exchange.client());
  json.end_object();
  exchange.reply(result);
}

// `values`: all that match. `complete`: they are the matches of everything that there is.
void send_values(Exchange& exchange, const std::vector<std::string>& values, bool complete) {
  const std::size_t count = std::min(values.size(), ResourceCatalog::kMaxValues);
  std::string result;
  core::JsonWriter json(result);
  json.begin_object().key("completion").begin_object().key("values").begin_array();
  for (std::size_t i = 0; i < count; ++i) json.string(values[i]);
  json.end_array();
  if (complete) json.key("total").number(static_cast<std::uint64_t>(values.size()));
  json.key("hasMore").boolean(!complete || values.size() > count).end_object().end_object();
  exchange.reply(result);
}

const ResourceTemplate* template_with(std::string_view uri) {
  const auto* found = std::find_if(kResourceTemplates.begin(), kResourceTemplates.end(),
                                   [uri](const ResourceTemplate& each) { return each.uri == uri; });
  return found == kResourceTemplates.end() ? nullptr : found;
}

}  // namespace

// A page of resources/list that is being collected.
struct ResourceCatalog::Listing {
  ExchangePtr exchange;
  ListPlace at;
  std::size_t count = 0;
  std::string result;
  core::JsonWriter json{result};
};

void ResourceCatalog::write_capabilities(core::JsonWriter& json) {
  json.key("resources").raw(R"({"subscribe":true,"listChanged":true})");
  json.key("completions").raw("{}");
}

bool ResourceCatalog::handle(const ExchangePtr& exchange) {
  const std::string& method = exchange->method();
  if (method == "resources/list") return list(exchange), true;
  if (method == "resources/templates/list") return list_templates(exchange), true;
  if (method == "resources/read") return read(exchange), true;
  if (method == "completion/complete") return complete(exchange), true;
  return false;
}

void ResourceCatalog::list(const ExchangePtr& exchange) {
  const auto listing = std::make_shared<Listing>();
  listing->exchange = exchange;
  const value* cursor = exchange->params().if_contains("cursor");
  if (cursor != nullptr && !cursor->is_null()) {
    auto at = cursor->is_string() ? place_of(cursor->get_string()) : std::nullopt;
    if (!at) return exchange->fail(kInvalidParams, "resources/list: unknown cursor");
    listing->at = *std::move(at);
  }
  listing->json.begin_object().key("resources").begin_array();
  fill(listing);
}

// Adds resources until the page is full or the last kind ends.
void ResourceCatalog::fill(const std::shared_ptr<Listing>& listing) {
  if (!listing->exchange->open()) return;
  if (listing->count >= kPageSize || !is_listed(listing->at.kind)) {
    core::JsonWriter& json = listing->json;
    json.end_array();
    if (is_listed(listing->at.kind)) json.key("nextCursor").string(cursor_of(listing->at));
    write_cache_hints(json, listing->exchange->client());
    json.end_object();
    return listing->exchange->reply(listing->result);
  }
  const ResourceTemplate& of = kResourceTemplates.at(listing->at.kind);
  provider_.list(of.kind, listing->at.place, kPageSize - listing->count,
                 [this, listing, &of](const core::Result<ResourcePage>& page) {
                   if (!page) return listing->exchange->fail(page.error());
                   for (const ResourceRow& row : page->rows) write_row(listing->json, of, row);
                   listing->count += page->rows.size();
                   listing->at.place = page->next;
                   if (page->next.empty()) ++listing->at.kind;
                   fill(listing);
                 });
}

void ResourceCatalog::read(const ExchangePtr& exchange) {
  std::string uri = core::string_member(exchange->params(), "uri");
  if (uri.empty()) {
    return exchange->fail(kInvalidParams, R"(resources/read: "uri" must be a string)");
  }
  auto name = resource_named(uri);
  if (!name) return fail_read(*exchange, uri, {core::Code::not_found, {}, {}});
  provider_.read(*std::move(name), [exchange, uri](core::Result<ResourceContent> content) {
    if (content && content->bytes.size() > kMaxResourceBytes) {
      content = core::fail(core::Code::resource_exhausted, {});
    }
    if (content) return send_content(*exchange, uri, *content);
    core::Error error = content.error();
    if (error.code == core::Code::resource_exhausted) {
      error.message = "The resource is larger than " + std::to_string(kMaxResourceBytes >> 20U) +
                      " MiB, the limit of one read.";
    }
    fail_read(*exchange, uri, error);
  });
}

void ResourceCatalog::complete(const ExchangePtr& exchange) {
  const object* ref = core::object_member(exchange->params(), "ref");
  const object* argument = core::object_member(exchange->params(), "argument");
  if (ref == nullptr || argument == nullptr) {
    return exchange->fail(kInvalidParams,
                          R"(completion/complete: "ref" and "argument" must be objects)");
  }
  const std::string_view type = core::text_member(*ref, "type");
  const std::string_view name = core::text_member(*argument, "name");
  std::string begin = core::string_member(*argument, "value");
  if (type == "ref/prompt" && prompt_has(core::text_member(*ref, "name"), name)) {
    return send_values(*exchange, {}, true);
  }
  const ResourceTemplate* of =
      type == "ref/resource" ? template_with(core::text_member(*ref, "uri")) : nullptr;
  if (of != nullptr && name == of->variable) {
    return complete_id(exchange, of->kind, std::move(begin));
  }
  if (of != nullptr && of->kind == ResourceKind::attachment && name == kNumberVariable) {
    return complete_number(exchange, std::move(begin));
  }
  exchange->fail(kInvalidParams, R"(completion/complete: unknown "ref" or argument)");
}

void ResourceCatalog::complete_id(const ExchangePtr& exchange, ResourceKind kind,
                                  std::string begin) {
  if (kind == ResourceKind::attachment) kind = ResourceKind::question;
  provider_.list(kind, {}, kMaxCandidates,
                 [exchange, begin = std::move(begin)](const core::Result<ResourcePage>& page) {
                   if (!page) return exchange->fail(page.error());
                   std::vector<std::string> values;
                   for (const ResourceRow& row : page->rows) {
                     if (row.id.starts_with(begin)) values.push_back(row.id);
                   }
                   send_values(*exchange, values, page->next.empty());
                 });
}

// The numbers of the attachments of the question that the context names.
void ResourceCatalog::complete_number(const ExchangePtr& exchange, std::string begin) {
  const object* context = core::object_member(exchange->params(), "context");
  const object* arguments =
      context == nullptr ? nullptr : core::object_member(*context, "arguments");
  std::string key = arguments == nullptr ? std::string() : core::string_member(*arguments, "key");
  if (key.empty()) return send_values(*exchange, {}, true);
  provider_.count_attachments(
      std::move(key), [exchange, begin = std::move(begin)](const core::Result<std::size_t>& count) {
        if (!count && count.error().code != core::Code::not_found) {
          return exchange->fail(count.error());
        }
        std::vector<std::string> values;
        for (std::size_t n = 1; count && n <= *count; ++n) {
          if (std::to_string(n).starts_with(begin)) values.push_back(std::to_string(n));
        }
        send_values(*exchange, values, true);
      });
}

void ResourceCatalog::watch(const Interests& interests,
                            std::function<void(const Change&)> changed) {
  const bool wanted =
      interests.resource_list ||
      std::any_of(interests.uris.begin(), interests.uris.end(),
                  [](const std::string& uri) { return resource_named(uri).has_value(); });
  if (!wanted) return;
  const bool first = changed_ == nullptr;
  changed_ = std::move(changed);
  if (first) provider_.watch([this](const ResourceChange& change) { on_change(change); });
}

void ResourceCatalog::on_change(const ResourceChange& change) {
  for (const ResourceName& name : change.updated) {
    changed_({Change::Kind::resource, uri_of(name)});
  }
  if (change.listed) on_list_changed();
}

void ResourceCatalog::on_list_changed() {
  if (timer_ != 0) return;
  const auto now = scheduler_.clock().mono();
  if (now < next_list_changed_) {
    const auto wait = std::chrono::ceil<core::Millis>(next_list_changed_ - now);
    timer_ = scheduler_.after(wait, [this] {
      timer_ = 0;
      on_list_changed();
    });
    return;
  }
  next_list_changed_ = now + kListChangedEvery;
  changed_({Change::Kind::resources});
}

}  // namespace parley::mcp
