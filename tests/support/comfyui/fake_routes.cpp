// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <utility>

#include "base/core/json_member.h"
#include "base/core/json_parts.h"
#include "base/net/http/multipart_form.h"
#include "tests/support/comfyui/fake_server.h"
#include "tests/support/comfyui/plugin_page.h"
#include "tests/support/comfyui/prompt_rules.h"

// The routes of FakeServer.
namespace parley::fake_comfyui {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using net::Request;
using net::Response;

constexpr std::size_t kMaxNodes = 10'000;
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxId = 64;
// The answer of aiohttp to an exception in a route.
constexpr std::string_view kInternalError =
    "500 Internal Server Error\n\nServer got itself in trouble";

Response json_of(const value& body, int status = 200) {
  return Response::json(status, boost::json::serialize(body));
}

// The body as an object; std::nullopt if it is not one.
std::optional<object> body_of(const Request& request) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::system::error_code problem;
  value body = boost::json::parse(request.body, problem, {}, options);
  if (problem || !body.is_object()) return std::nullopt;
  return std::move(body.get_object());
}

std::set<std::string> ids_of(const object& body, std::string_view name) {
  std::set<std::string> ids;
  const value* list = body.if_contains(name);
  if (list == nullptr || !list->is_array()) return ids;
  for (const value& id : list->get_array()) {
    if (id.is_string()) ids.emplace(id.get_string());
  }
  return ids;
}

Response refused_prompt(const object& error, const object& node_errors) {
  return json_of(object{{"error", error}, {"node_errors", node_errors}}, 400);
}

bool leaves(std::string_view folder) {
  return folder.starts_with('/') || folder == ".." || folder.starts_with("../") ||
         folder.find("/..") != std::string_view::npos;
}

std::string_view content_type_of(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG")) return "image/png";
  if (bytes.starts_with("\xff\xd8")) return "image/jpeg";
  return "application/octet-stream";
}

}  // namespace

Response FakeServer::get_page(const Request& /*request*/) {
  Response response = Response::text(200, std::string(plugin_page()));
  response.headers.set("Content-Type", "text/html; charset=utf-8");
  // The page is meant to be framed by a page of another origin.
  response.headers.set("X-Frame-Options", "ALLOWALL");
  response.headers.set("Content-Security-Policy",
                       "default-src 'self' 'unsafe-inline'; frame-ancestors *");
  return response;
}

Response FakeServer::post_prompt(const Request& request) {
  const auto body = body_of(request);
  if (!body) return Response::text(500, std::string(kInternalError));
  const value* prompt = body->if_contains("prompt");
  if (prompt == nullptr) {
    return refused_prompt({{"type", "no_prompt"},
                           {"message", "No prompt provided"},
                           {"details", "No prompt provided"},
                           {"extra_info", object()}},
                          {});
  }
  if (!prompt->is_object()) return Response::text(500, std::string(kInternalError));
  Job job;
  job.prompt = prompt->get_object();
  if (job.prompt.size() > kMaxNodes) return Response::text(413, "Too many nodes.");
  const value* number = body->if_contains("number");
  job.number = number_;
  if (number != nullptr && number->is_number()) {
    job.number = number->to_number<double>();
  } else {
    if (core::bool_member(*body, "front")) job.number = -job.number;
    ++number_;
  }
  const value* extra = body->if_contains("extra_data");
  if (extra != nullptr && extra->is_object()) job.extra_data = extra->get_object();
  job.client_id = core::string_member(*body, "client_id");
  if (!job.client_id.empty()) job.extra_data["client_id"] = job.client_id;
  Verdict verdict = validate_prompt(job.prompt, catalog_, [this](std::string_view name) {
    return files_.find(FileStore::key_of(name)) != nullptr;
  });
  if (!verdict.valid) {
    return refused_prompt(verdict.error, verdict.node_errors);
  }
  job.prompt_id = core::string_member(*body, "prompt_id").substr(0, kMaxId);
  if (job.prompt_id.empty()) job.prompt_id = engine_.new_prompt_id();
  job.outputs = std::move(verdict.outputs);
  const object answer{{"prompt_id", job.prompt_id},
                      {"number", job.number_value()},
                      {"node_errors", std::move(verdict.node_errors)}};
  if (!engine_.submit(std::move(job))) return Response::text(503, "The queue is full.");
  return json_of(answer);
}

Response FakeServer::get_prompt(const Request& /*request*/) {
  return json_of(object{{"exec_info", {{"queue_remaining", engine_.remaining()}}}});
}

Response FakeServer::get_queue(const Request& /*request*/) { return json_of(engine_.queue()); }

Response FakeServer::post_queue(const Request& request) {
  const auto body = body_of(request);
  if (!body) return Response::text(400, "");
  if (core::bool_member(*body, "clear")) engine_.clear_pending();
  engine_.remove_pending(ids_of(*body, "delete"));
  return Response::text(200, "");
}

Response FakeServer::get_history(const Request& request) {
  std::size_t max_items = 10'000;
  const std::string named = request.query_param("max_items").value_or("");
  if (!named.empty()) std::from_chars(named.data(), named.data() + named.size(), max_items);
  return json_of(engine_.history(max_items));
}

Response FakeServer::get_one_history(const Request& request) {
  return json_of(engine_.history(request.path_param("id")));
}

Response FakeServer::post_history(const Request& request) {
  const auto body = body_of(request);
  if (!body) return Response::text(400, "");
  if (core::bool_member(*body, "clear")) engine_.clear_history();
  engine_.remove_history(ids_of(*body, "delete"));
  return Response::text(200, "");
}

Response FakeServer::post_interrupt(const Request& request) {
  const auto body = body_of(request);
  engine_.interrupt(body ? core::string_member(*body, "prompt_id") : std::string());
  return Response::text(200, "");
}

Response FakeServer::post_free(const Request& /*request*/) {
  engine_.forget_cache();
  return Response::text(200, "");
}

Response FakeServer::get_object_info(const Request& /*request*/) {
  return Response::json(200, catalog_.describe_all(object_info_bytes_));
}

Response FakeServer::get_one_object_info(const Request& request) {
  const std::string_view name = request.path_param("class");
  object out;
  if (catalog_.has(name)) out[name] = catalog_.describe(name);
  return json_of(out);
}

Response FakeServer::get_view(const Request& request) {
  const std::string name = request.query_param("filename").value_or("");
  if (name.empty()) return Response::text(404, "");
  if (name.starts_with('/') || name.find("..") != std::string::npos) return Response::text(400, "");
  FileStore::Key key{request.query_param("type").value_or("output"),
                     request.query_param("subfolder").value_or(""), name};
  if (key.type != "output" && key.type != "input" && key.type != "temp") {
    return Response::text(400, "");
  }
  if (leaves(key.subfolder)) return Response::text(403, "");
  const std::string* bytes = files_.find(key);
  if (bytes == nullptr) return Response::text(404, "");
  Response response = Response::text(200, *bytes);
  response.headers.set("Content-Type", std::string(content_type_of(*bytes)));
  response.headers.set("Content-Disposition", "filename=\"" + name + "\"");
  return response;
}

Response FakeServer::post_upload(const Request& request) {
  const auto form = net::read_form(request.headers.get("Content-Type"), request.body);
  if (!form) return Response::text(400, "");
  FileStore::Key key{"input", "", ""};
  std::string_view bytes;
  bool overwrite = false;
  for (const net::FormPart& part : *form) {
    if (part.name == "image") {
      key.name = part.filename;
      bytes = part.bytes;
    } else if (part.name == "type" && !part.bytes.empty()) {
      key.type = part.bytes;
    } else if (part.name == "subfolder") {
      key.subfolder = part.bytes;
    } else if (part.name == "overwrite") {
      overwrite = part.bytes == "true" || part.bytes == "1";
    }
  }
  const bool known = key.type == "input" || key.type == "output" || key.type == "temp";
  if (key.name.empty() || key.name.find('/') != std::string::npos || !known ||
      leaves(key.subfolder)) {
    return Response::text(400, "");
  }
  const std::string name = key.name;
  const std::size_t dot = std::min(name.rfind('.'), name.size());
  const std::string* there = files_.find(key);
  for (int i = 1; there != nullptr && !overwrite && *there != bytes; ++i) {
    key.name = name.substr(0, dot) + " (" + std::to_string(i) + ")" + name.substr(dot);
    there = files_.find(key);
  }
  files_.put(key, std::string(bytes));
  return json_of(object{{"name", key.name}, {"subfolder", key.subfolder}, {"type", key.type}});
}

Response FakeServer::get_system_stats(const Request& /*request*/) {
  const std::int64_t gib = std::int64_t{1} << 30U;
  return json_of(object{{"system",
                         {{"os", "posix"},
                          {"ram_total", 16 * gib},
                          {"ram_free", 8 * gib},
                          {"comfyui_version", "0.3.64"},
                          {"python_version", "3.12.3"},
                          {"pytorch_version", "2.8.0"},
                          {"embedded_python", false},
                          {"argv", {"main.py"}}}},
                        {"devices",
                         {{{"name", "cpu"},
                           {"type", "cpu"},
                           {"index", nullptr},
                           {"vram_total", 16 * gib},
                           {"vram_free", 8 * gib},
                           {"torch_vram_total", 16 * gib},
                           {"torch_vram_free", 8 * gib}}}}});
}

Response FakeServer::get_models(const Request& /*request*/) {
  array out;
  for (const auto& [folder, files] : options_.models) out.push_back(boost::json::string(folder));
  return json_of(out);
}

Response FakeServer::get_one_models(const Request& request) {
  const auto found = options_.models.find(request.path_param("folder"));
  if (found == options_.models.end()) return Response::text(404, "");
  array out;
  for (const std::string& file : found->second) out.push_back(boost::json::string(file));
  return json_of(out);
}

Response FakeServer::get_model_folders(const Request& /*request*/) {
  array out;
  for (const auto& [folder, files] : options_.models) {
    out.push_back(object{{"name", folder}, {"folders", {"/ComfyUI/models/" + folder}}});
  }
  return json_of(out);
}

Response FakeServer::get_model_files(const Request& request) {
  const auto found = options_.models.find(request.path_param("folder"));
  if (found == options_.models.end()) return Response::text(404, "");
  array out;
  for (const std::string& file : found->second) {
    out.push_back(object{{"name", file}, {"pathIndex", 0}});
  }
  return json_of(out);
}

Response FakeServer::get_empty_list(const Request& /*request*/) { return json_of(array()); }

Response FakeServer::get_empty_object(const Request& /*request*/) { return json_of(object()); }

object FakeServer::features() const {
  return {{"supports_preview_metadata", false}, {"max_upload_size", options_.max_body_bytes}};
}

Response FakeServer::get_features(const Request& /*request*/) { return json_of(features()); }

Response FakeServer::get_users(const Request& /*request*/) {
  return json_of(object{{"storage", "server"}, {"migrated", true}});
}

Response FakeServer::post_inject(const Request& request) {
  const auto body = body_of(request);
  if (!body) return Response::text(400, "A JSON object is expected.");
  auto fault = read_fault(*body);
  if (!fault) return Response::error(fault.error());
  inject(std::move(*fault));
  return Response::text(200, "");
}

}  // namespace parley::fake_comfyui
