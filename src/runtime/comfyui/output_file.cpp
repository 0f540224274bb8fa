// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/output_file.h"

#include <algorithm>

#include "base/core/json_member.h"
#include "runtime/comfyui/json_access.h"

namespace parley::comfyui {
namespace {

constexpr std::size_t kMaxFileName = 255;
constexpr std::size_t kMaxSubfolder = 1'024;

tl::unexpected<core::Error> bad_file(const char* what, const char* field) {
  return core::fail(core::Code::invalid_argument, what, field);
}

bool has_control_byte(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

bool climbs(std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
  return false;
}

void add_files(const boost::json::array& list, std::string_view kind, NodeOutput& out) {
  for (const boost::json::value& item : list) {
    const boost::json::object* entry = item.if_object();
    if (entry == nullptr || out.files.size() >= kMaxFilesPerNode) continue;
    OutputFile file{core::string_member(*entry, "filename"),
                    core::string_member(*entry, "subfolder"), core::string_member(*entry, "type"),
                    std::string(kind)};
    if (file.check()) out.files.push_back(std::move(file));
  }
}

}  // namespace

core::Result<void> OutputFile::check() const {
  if (filename.empty() || filename.size() > kMaxFileName) {
    return bad_file("The name of the file is empty or too long.", "filename");
  }
  if (filename.find_first_of("/\\") != std::string::npos || filename == "." || filename == ".." ||
      has_control_byte(filename)) {
    return bad_file("The name of a file must not have a folder; use `subfolder` for it.",
                    "filename");
  }
  if (subfolder.size() > kMaxSubfolder || subfolder.starts_with('/') || climbs(subfolder) ||
      subfolder.find('\\') != std::string::npos || has_control_byte(subfolder)) {
    return bad_file("A subfolder must be a relative path without \"..\".", "subfolder");
  }
  if (type != "output" && type != "input" && type != "temp") {
    return bad_file("The type of a file must be output, input or temp.", "type");
  }
  return {};
}

NodeOutput read_node_output(std::string_view node_id, const boost::json::object& output) {
  NodeOutput out{std::string(node_id), {}, output};
  for (const char* kind : {"images", "gifs", "videos", "video", "audio"}) {
    if (const boost::json::array* list = array_member(output, kind)) add_files(*list, kind, out);
  }
  return out;
}

}  // namespace parley::comfyui
