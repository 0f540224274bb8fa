// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/string_map.h"

namespace parley::comfyui {

// Limits of an /object_info document. A full one of a large installation has about 10 MB.
inline constexpr std::size_t kMaxSchemaBytes = 32U << 20U;
inline constexpr std::size_t kMaxSchemaDepth = 64;
inline constexpr std::size_t kMaxSchemaValues = 3'000'000;

// How the front end shows an input.
enum class WidgetKind : std::uint8_t {
  none,  // a socket: its value comes over a link
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
  bool force_input = false;             // would be a widget, but the class wants a socket
  bool control_after_generate = false;  // the front end saves a further value behind this one
  bool uploads = false;                 // with an upload button, which old front ends saved too
  std::vector<std::string> choices;     // JSON text of each; of WidgetKind::choice
  bool open_choices = false;            // the choices are unknown here (a remote list)
  bool many_choices = false;            // the value may be a list of choices
  std::string default_value;            // JSON text; empty: none given
  std::optional<long double> min, max, step;
  bool multiline = false;
  std::string tooltip;
};

struct OutputSchema {
  std::string name;
  std::string type;
};

// One node class. Inputs stand in the order of the front end's widgets: required, then optional,
// each as input_order has them.
struct NodeSchema {
  std::string type;  // the class
  std::string display_name;
  std::string category;
  std::string description;
  std::vector<InputSchema> inputs;
  std::vector<std::string> hidden;  // filled by the server; no link and no value
  std::vector<OutputSchema> outputs;
  bool output_node = false;
  bool deprecated = false;
  bool experimental = false;

  const InputSchema* input(std::string_view name) const;
  std::vector<std::string_view> input_names() const;
};

// The classes of a ComfyUI server, as GET /object_info and /object_info/{class} describe them.
class NodeSchemas {
 public:
  // Adds the classes of such a document; a class that is known is replaced. Missing and odd parts
  // of a class are taken as absent. Errors: limits, text that is no JSON object.
  core::Result<void> add(std::string_view object_info);

  // nullptr: unknown. The pointer lives until the next add().
  const NodeSchema* find(std::string_view type) const;
  std::vector<std::string_view> types() const;
  std::size_t size() const { return by_type_.size(); }

 private:
  core::StringMap<NodeSchema> by_type_;
};

// Whether an output of type `from` may be linked to an input of type `to`: "*" fits all, "A,B" is a
// list of which one must be common; case does not matter.
bool types_fit(std::string_view from, std::string_view to);

// Nodes of the front end alone. ComfyUI's server never sees them.
bool is_virtual(std::string_view type);

}  // namespace parley::comfyui
