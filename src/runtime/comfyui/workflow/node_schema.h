// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "base/core/string_map.h"

namespace parley::comfyui {

// Limits of an /object_info document. A full one of a large installation has about 10 MB.
inline constexpr std::size_t kMaxSchemaBytes = 32U << 20U;
inline constexpr std::size_t kMaxSchemaDepth = 64;
inline constexpr std::size_t kMaxSchemaValues = 3'000'000;

// Kind of an input's widget in the front end.
enum class WidgetKind : std::uint8_t {
  none,  // a socket: the value arrives over a link
  integer,
  number,
  text,
  boolean,
  choice,
  other,    // a widget of any value (COLOR, those of extensions)
  dynamic,  // COMFY_DYNAMICCOMBO_V3: further widgets depend on its value; not supported
};

// One input of a node class.
struct InputSchema {
  std::string name;
  std::string type;  // "INT", "COMBO", "MODEL", "*", "A,B"
  WidgetKind widget = WidgetKind::none;
  bool required = false;
  bool force_input = false;             // has a widget type, but the class requires a socket
  bool control_after_generate = false;  // the front end saves an additional value after this one
  bool uploads = false;              // has an upload button, whose value old front ends saved too
  std::vector<std::string> choices;  // JSON text of each; for WidgetKind::choice
  // Other values are allowed too: the list is elsewhere (remote), or the class checks the value
  // itself, as for files ("sub/a.png", "a.png [output]").
  bool open_choices = false;
  bool many_choices = false;  // the value may be a list of choices
  std::string default_value;  // JSON text; empty: no default
  std::optional<long double> min, max, step;
  bool multiline = false;
  std::string tooltip;
};

struct OutputSchema {
  std::string name;
  std::string type;
};

// One node class. Inputs have the order of the front end's widgets: required, then optional, each
// in the order of input_order.
struct NodeSchema {
  std::string type;  // the class
  std::string display_name;
  std::string category;
  std::string description;
  std::vector<InputSchema> inputs;
  std::vector<std::string> hidden;  // filled by the server; without link and value
  std::vector<OutputSchema> outputs;
  bool output_node = false;
  bool deprecated = false;
  bool experimental = false;

  const InputSchema* input(std::string_view name) const;
  std::vector<std::string_view> input_names() const;
};

// The classes of a ComfyUI server, read from GET /object_info and /object_info/{class}.
class NodeSchemas {
 public:
  // Adds the classes of such a document; replaces known ones. Missing and invalid parts of a class
  // count as absent. Errors: limits, text that is no JSON object.
  core::Result<void> add(std::string_view object_info);

  // nullptr if unknown. The pointer is valid until the next add().
  const NodeSchema* find(std::string_view type) const;
  std::vector<std::string_view> types() const;
  std::size_t size() const { return by_type_.size(); }

 private:
  core::StringMap<NodeSchema> by_type_;
};

// A bound of an input for people: whole numbers with all digits ("18446744073709551615"), others
// with at most ten ("0.01").
std::string bound_text(long double bound);

// True if an output of type `from` may be linked to an input of type `to`: "*" matches all, "A,B"
// is a list of which one must be common; case is ignored.
bool types_fit(std::string_view from, std::string_view to);

// True for nodes that exist in the front end only and are never sent to the server.
bool is_virtual(std::string_view type);

}  // namespace parley::comfyui
