// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/net/http/http.h"

#include <algorithm>
#include <utility>

#include "base/core/json_writer.h"
#include "base/core/percent.h"
#include "base/net/http/http_text.h"

namespace parley::net {

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (equals_ignoring_case(field, name)) return value;
  }
  return {};
}

bool Headers::has(std::string_view name) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [&](const auto& field) { return equals_ignoring_case(field.first, name); });
}

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string name, std::string value) {
  remove(name);
  add(std::move(name), std::move(value));
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_,
                [&](const auto& field) { return equals_ignoring_case(field.first, name); });
}

bool Headers::lists(std::string_view name, std::string_view token) const {
  for (const auto& [field, value] : fields_) {
    if (!equals_ignoring_case(field, name)) continue;
    bool found = false;
    each_list_item(value, [&](const ListItem& item) {
      found = found || (equals_ignoring_case(item.token, token) && item.quality > 0);
    });
    if (found) return true;
  }
  return false;
}

std::optional<std::string> Request::query_param(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto key = core::percent_decoded(pair.substr(0, equals), core::Plus::space);
    if (!key || *key != name) continue;
    const std::string_view raw = pair.substr(std::min(equals + 1, pair.size()));
    return core::percent_decoded(raw, core::Plus::space).value_or(std::string(raw));
  }
  return std::nullopt;
}

std::string_view Request::path_param(std::string_view name) const {
  for (const auto& [key, value] : path_params) {
    if (key == name) return value;
  }
  return {};
}

std::string Request::token() const {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string_view given = headers.get("Authorization");
  if (given.size() > kScheme.size() &&
      equals_ignoring_case(given.substr(0, kScheme.size()), kScheme)) {
    return std::string(trim(given.substr(kScheme.size())));
  }
  return query_param("token").value_or(std::string());
}

Response Response::text(int status, std::string body) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(body);
  return response;
}

Response Response::json(int status, std::string body) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(body);
  return response;
}

Response Response::error(const core::Error& error) {
  std::string body;
  core::JsonWriter json(body);
  json.begin_object();
  json.key("code").string(core::code_name(error.code));
  json.key("message").string(error.message);
  if (!error.field.empty()) json.key("field").string(error.field);
  json.end_object();
  return Response::json(core::http_status(error.code), std::move(body));
}

Responder::Responder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Responder::Responder(Responder&&) noexcept = default;

Responder& Responder::operator=(Responder&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

Responder::~Responder() {
  if (impl_ == nullptr) return;
  impl_->send(Response::error(
      {core::Code::internal, "The server produced no response to this request.", std::string()}));
}

void Responder::send(Response response) {
  if (impl_ == nullptr) return;
  const std::unique_ptr<Impl> impl = std::move(impl_);
  impl->send(std::move(response));
}

std::shared_ptr<BodyWriter> Responder::start(Response head) {
  if (impl_ == nullptr) return nullptr;
  const std::unique_ptr<Impl> impl = std::move(impl_);
  return impl->start(std::move(head));
}

void Responder::on_disconnect(core::Task task) {
  if (impl_ != nullptr) impl_->on_disconnect(std::move(task));
}

core::Scheduler& Responder::scheduler() { return impl_->scheduler(); }

}  // namespace parley::net
