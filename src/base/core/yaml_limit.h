// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include <cstddef>
#include <sstream>
#include <string>

namespace parley::core {

enum class YamlExcess { none, documents, values };

// Counter of documents and values; throws Stop at the first excess.
class YamlCount final : public YAML::EventHandler {
 public:
  explicit YamlCount(std::size_t most) : most_(most) {}

  YamlExcess excess() const {
    if (documents_ > 1) return YamlExcess::documents;
    return values_ > most_ ? YamlExcess::values : YamlExcess::none;
  }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {
    ++documents_;
    stop_at_excess();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { count(); }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override { count(); }
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {
    count();
  }
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {
    count();
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    count();
  }
  void OnMapEnd() override {}

  struct Stop {};

 private:
  void count() {
    ++values_;
    stop_at_excess();
  }
  void stop_at_excess() const {
    if (excess() != YamlExcess::none) throw Stop();
  }

  std::size_t most_;
  std::size_t documents_ = 0;
  std::size_t values_ = 0;
};

// The limit that a text from outside exceeds: one document, or `most` values. Keys and aliases
// count as values; the values that an alias repeats do not. Throws YAML::Exception for malformed
// text. Call before building a tree: yaml-cpp 0.7 finds endless documents in some texts, and its
// nodes take hundreds of bytes for each byte of text. Header only, so that programs without YAML do
// not link yaml-cpp.
inline YamlExcess yaml_excess(const std::string& text, std::size_t most) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  YamlCount count(most);
  try {
    while (parser.HandleNextDocument(count)) {
    }
  } catch (const YamlCount::Stop&) {
  }
  return count.excess();
}

}  // namespace parley::core
