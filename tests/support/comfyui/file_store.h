// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace parley::fake_comfyui {

// The files of the stand-in, in memory: the folders output, input and temp. If space runs out, the
// oldest files are removed.
class FileStore {
 public:
  struct Key {
    std::string type;
    std::string subfolder;
    std::string name;
    bool operator==(const Key&) const = default;
    bool operator<(const Key& other) const {
      return std::tie(type, subfolder, name) < std::tie(other.type, other.subfolder, other.name);
    }
  };

  explicit FileStore(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null if there is none.
  const std::string* find(const Key& key) const {
    const auto found = files_.find(key);
    return found == files_.end() ? nullptr : &found->second;
  }
  // Replaces a file of the same name.
  void put(const Key& key, std::string bytes) {
    remove(key);
    bytes_ += bytes.size();
    order_.push_back(key);
    files_.emplace(key, std::move(bytes));
    while (bytes_ > max_bytes_ && order_.size() > 1) remove(Key(order_.front()));
  }
  // Names of the files directly in a folder.
  std::vector<std::string> names(std::string_view type, std::string_view subfolder) const {
    std::vector<std::string> out;
    for (const auto& [key, bytes] : files_) {
      if (key.type == type && key.subfolder == subfolder) out.push_back(key.name);
    }
    return out;
  }
  // Parses "picture.png" or "folder/picture.png", with a suffix " [output]" for a folder other than
  // input.
  static Key key_of(std::string_view named) {
    Key key{"input", {}, std::string(named)};
    for (const char* type : {"input", "output", "temp"}) {
      const std::string mark = std::string(" [") + type + "]";
      if (!named.ends_with(mark)) continue;
      key.type = type;
      key.name = named.substr(0, named.size() - mark.size());
    }
    const std::size_t slash = key.name.rfind('/');
    if (slash != std::string::npos) {
      key.subfolder = key.name.substr(0, slash);
      key.name = key.name.substr(slash + 1);
    }
    return key;
  }

 private:
  void remove(const Key& key) {
    const auto found = files_.find(key);
    if (found == files_.end()) return;
    bytes_ -= found->second.size();
    files_.erase(found);
    std::erase(order_, key);
  }

  const std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::map<Key, std::string> files_;
  std::deque<Key> order_;
};

}  // namespace parley::fake_comfyui
