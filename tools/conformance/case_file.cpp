// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/conformance/case_file.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "base/core/result.h"
#include "tools/conformance/source_map.h"
#include "tools/conformance/step_schema.h"
#include "tools/conformance/variables.h"

namespace parley::conformance {
namespace json = boost::json;
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMaxFileBytes = 16U << 20U;
constexpr int kMaxFragmentDepth = 8;

core::Result<std::string> read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in) return core::fail(core::Code::not_found, path + ":1: this file cannot be read");
  if (text.str().size() > kMaxFileBytes) {
    return core::fail(core::Code::invalid_argument, path + ":1: this file is over 16 MiB");
  }
  return text.str();
}

// A file that is being read: its tree and its line numbers.
struct Document {
  std::string path;
  json::value tree;
  SourceMap lines;

  Location at(const std::string& pointer) const { return {path, lines.line_of(pointer)}; }
  tl::unexpected<core::Error> fail(const std::string& pointer, const std::string& message) const {
    return core::fail(core::Code::invalid_argument, at(pointer).to_string() + ": " + message);
  }
};

core::Result<std::shared_ptr<const Document>> parse_document(std::string_view text,
                                                             const std::string& path) {
  json::stream_parser parser;
  boost::system::error_code error;
  const std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  const std::string_view rest = text.substr(std::min(read, text.size()));
  const bool extra = rest.find_first_not_of(" \t\r\n") != std::string_view::npos;
  if (error || extra) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(read), '\n');
    return core::fail(core::Code::invalid_argument,
                      path + ":" + std::to_string(line) + ": not JSON: " +
                          (error ? error.message() : std::string("something follows the value")));
  }
  return std::make_shared<const Document>(Document{path, parser.release(), SourceMap(text)});
}

// A named list of steps for use in cases, with the document that contains it.
struct Fragment {
  std::shared_ptr<const Document> document;
  std::string pointer;
  const json::array* steps = nullptr;
};
using Fragments = std::map<std::string, Fragment, std::less<>>;

std::string beside(const std::string& file, std::string_view relative) {
  return (fs::path(file).parent_path() / fs::path(relative)).lexically_normal().string();
}

class Loader {
 public:
  explicit Loader(std::shared_ptr<const Document> document) : document_(std::move(document)) {}

  core::Result<std::vector<Case>> load();

 private:
  core::Result<void> take_fragments(const std::shared_ptr<const Document>& document);
  core::Result<void> take_includes();
  core::Result<void> check_top();
  core::Result<ProtoFile> proto(const json::value& value, const std::string& pointer) const;
  core::Result<Case> one(const json::value& value, const std::string& pointer) const;
  core::Result<void> text_members(Case& created, const json::object& object,
                                  const std::string& pointer) const;
  core::Result<void> lay_out(const Document& document, const json::array& steps,
                             const std::string& pointer, const Bindings& given, int depth,
                             std::vector<Step>& out) const;
  core::Result<void> step(const Document& document, const json::value& value,
                          const std::string& pointer, const Bindings& given, int depth,
                          std::vector<Step>& out) const;

  std::shared_ptr<const Document> document_;
  Fragments fragments_;
  ProtoFile proto_;
};

core::Result<void> Loader::check_top() {
  const json::object* top = document_->tree.if_object();
  if (top == nullptr) return document_->fail("", "a case file is one JSON object");
  static const std::set<std::string_view> kKnown = {"note", "include", "fragments", "proto",
                                                    "cases"};
  for (const auto& member : *top) {
    if (!kKnown.contains(std::string_view(member.key()))) {
      return document_->fail("/" + std::string(member.key()),
                             "a case file has no key '" + std::string(member.key()) + "'");
    }
  }
  return {};
}

core::Result<void> Loader::take_fragments(const std::shared_ptr<const Document>& document) {
  const json::object* top = document->tree.if_object();
  if (top == nullptr) return document->fail("", "a file of fragments is one JSON object");
  const json::value* all = top->if_contains("fragments");
  if (all == nullptr) return {};
  if (!all->is_object()) return document->fail("/fragments", "must be an object");
  for (const auto& member : all->get_object()) {
    const std::string name(member.key());
    const std::string pointer = "/fragments/" + name;
    if (!member.value().is_array()) return document->fail(pointer, "must be an array of steps");
    const bool added =
        fragments_.emplace(name, Fragment{document, pointer, &member.value().get_array()}).second;
    if (!added) return document->fail(pointer, "two fragments have the name '" + name + "'");
  }
  return {};
}

core::Result<void> Loader::take_includes() {
  const json::value* includes = document_->tree.get_object().if_contains("include");
  if (includes == nullptr) return {};
  if (!includes->is_array()) return document_->fail("/include", "must be an array of file names");
  for (const json::value& name : includes->get_array()) {
    if (!name.is_string()) return document_->fail("/include", "must be an array of file names");
    const std::string path = beside(document_->path, name.get_string());
    const auto text = read_text(path);
    if (!text) return document_->fail("/include", path + " cannot be read");
    PARLEY_TRY(auto included, parse_document(*text, path));
    auto taken = take_fragments(included);
    if (!taken) return taken;
  }
  return {};
}

core::Result<ProtoFile> Loader::proto(const json::value& value, const std::string& pointer) const {
  const json::object* object = value.if_object();
  ProtoFile created = proto_;
  if (object == nullptr) return document_->fail(pointer, "must be {\"file\", \"message\"}");
  for (const auto& member : *object) {
    const std::string at = pointer + "/" + std::string(member.key());
    if (!member.value().is_string()) return document_->fail(at, "must be text");
    const std::string_view text = member.value().get_string();
    if (member.key() == "file") {
      created.path = beside(document_->path, text);
    } else if (member.key() == "message") {
      created.message = text;
    } else {
      return document_->fail(at, "'proto' has no key '" + std::string(member.key()) + "'");
    }
  }
  return created;
}

core::Result<void> Loader::text_members(Case& created, const json::object& object,
                                        const std::string& pointer) const {
  for (const auto& member : object) {
    const std::string at = pointer + "/" + std::string(member.key());
    const json::value& value = member.value();
    if (member.key() == "name" || member.key() == "source" || member.key() == "note") {
      if (!value.is_string()) return document_->fail(at, "must be text");
      if (member.key() == "name") created.name = value.get_string();
      if (member.key() == "source") created.source = value.get_string();
    } else if (member.key() == "needs") {
      if (!value.is_array()) return document_->fail(at, "must be an array of names");
      for (const json::value& need : value.get_array()) {
        if (!need.is_string()) return document_->fail(at, "must be an array of names");
        created.needs.emplace_back(need.get_string());
      }
    } else if (member.key() == "proto") {
      PARLEY_TRY(created.proto, proto(value, at));
    } else if (member.key() != "steps") {
      return document_->fail(at, "a case has no key '" + std::string(member.key()) + "'");
    }
  }
  return {};
}

core::Result<Case> Loader::one(const json::value& value, const std::string& pointer) const {
  const json::object* object = value.if_object();
  if (object == nullptr) return document_->fail(pointer, "a case is an object");
  Case created;
  created.proto = proto_;
  created.at = document_->at(pointer);
  PARLEY_TRY_VOID(text_members(created, *object, pointer));
  if (created.name.empty()) return document_->fail(pointer, "a case needs a 'name'");
  if (created.source.empty()) {
    return document_->fail(pointer, "a case needs a 'source': the line of the contract it checks");
  }
  const json::value* steps = object->if_contains("steps");
  if (steps == nullptr || !steps->is_array() || steps->get_array().empty()) {
    return document_->fail(pointer, "a case needs 'steps'");
  }
  PARLEY_TRY_VOID(
      lay_out(*document_, steps->get_array(), pointer + "/steps", {}, 0, created.steps));
  return created;
}

core::Result<void> Loader::lay_out(const Document& document, const json::array& steps,
                                   const std::string& pointer, const Bindings& given, int depth,
                                   std::vector<Step>& out) const {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto done = step(document, steps[i], pointer + "/" + std::to_string(i), given, depth, out);
    if (!done) return done;
  }
  return {};
}

core::Result<void> Loader::step(const Document& document, const json::value& value,
                                const std::string& pointer, const Bindings& given, int depth,
                                std::vector<Step>& out) const {
  if (!value.is_object()) return document.fail(pointer, "a step is an object");
  Step created;
  created.body = fill_parameters(value, given).as_object();
  created.at = document.at(pointer);
  const auto verb = step_verb(created.body);
  if (!verb) return document.fail(pointer, verb.error().message);
  created.verb = *verb;
  const auto checked = check_step(created.verb, created.body);
  if (!checked) {
    return document.fail(pointer + checked.error().field, checked.error().message);
  }
  if (created.verb != "use") {
    out.push_back(std::move(created));
    return {};
  }
  const auto found = fragments_.find(std::string_view(created.body.at("use").get_string()));
  if (found == fragments_.end()) return document.fail(pointer + "/use", "no such fragment");
  if (depth >= kMaxFragmentDepth)
    return document.fail(pointer, "fragments use each other in a ring");
  Bindings inner;
  if (const json::value* with = created.body.if_contains("with")) {
    for (const auto& member : with->get_object()) inner.emplace(member.key(), member.value());
  }
  const Fragment& fragment = found->second;
  return lay_out(*fragment.document, *fragment.steps, fragment.pointer, inner, depth + 1, out);
}

core::Result<std::vector<Case>> Loader::load() {
  auto checked = check_top();
  if (checked) checked = take_fragments(document_);
  if (checked) checked = take_includes();
  if (!checked) return core::fail(checked.error());
  const json::object& top = document_->tree.get_object();
  if (const json::value* described = top.if_contains("proto")) {
    PARLEY_TRY(proto_, proto(*described, "/proto"));
  }
  const json::value* cases = top.if_contains("cases");
  if (cases == nullptr || !cases->is_array()) {
    return document_->fail("", "a case file needs an array 'cases'");
  }
  std::vector<Case> out;
  std::set<std::string> names;
  for (std::size_t i = 0; i < cases->get_array().size(); ++i) {
    const std::string pointer = "/cases/" + std::to_string(i);
    PARLEY_TRY(auto created, one(cases->get_array()[i], pointer));
    if (!names.insert(created.name).second) {
      return document_->fail(pointer, "two cases have the name '" + created.name + "'");
    }
    out.push_back(std::move(created));
  }
  return out;
}

}  // namespace

core::Result<std::vector<Case>> parse_case_file(std::string_view text, const std::string& path) {
  PARLEY_TRY(auto document, parse_document(text, path));
  return Loader(std::move(document)).load();
}

core::Result<std::vector<Case>> load_case_file(const std::string& path) {
  PARLEY_TRY(const auto text, read_text(path));
  return parse_case_file(text, path);
}

core::Result<std::vector<std::string>> find_case_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      if (!fs::exists(path, error)) {
        return core::fail(core::Code::not_found, path + ":1: there is no such file or directory");
      }
      files.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
      const std::string name = entry.path().string();
      if (entry.path().extension() != ".json" || name.ends_with(".fragments.json")) continue;
      files.push_back(name);
    }
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace parley::conformance
