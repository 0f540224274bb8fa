// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace parley::fake_comfyui {

// The files of the server by folder: "checkpoints" -> names, as /models lists them.
using Models = std::map<std::string, std::vector<std::string>, std::less<>>;

Models sample_models();

// The node classes of the stand-in, in the form of /object_info.
class NodeCatalog {
 public:
  // `input_files`: returns the names that LoadImage currently offers.
  NodeCatalog(const Models& models, std::function<std::vector<std::string>()> input_files);

  // The description of a class with its current choices; null if there is none.
  boost::json::value describe(std::string_view class_name) const;
  bool has(std::string_view class_name) const { return classes_.contains(class_name); }
  // The description as written, with "@folder" in place of choices.
  const boost::json::object& plain(std::string_view class_name) const;
  // All classes, padded with unused ones until the text has `min_bytes`.
  std::string describe_all(std::size_t min_bytes) const;

 private:
  boost::json::array choices(std::string_view folder) const;

  const Models& models_;
  std::function<std::vector<std::string>()> input_files_;
  boost::json::object classes_;
};

}  // namespace parley::fake_comfyui
