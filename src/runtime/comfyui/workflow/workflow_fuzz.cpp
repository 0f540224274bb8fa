// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Fuzz target: arbitrary bytes as a workflow. They are refused, or the workflow's text reads back
// equal, it can be shown, edited, converted and compared, and every answer keeps its limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "runtime/comfyui/workflow/convert.h"
#include "runtime/comfyui/workflow/diff.h"
#include "runtime/comfyui/workflow/validate.h"

namespace parley::comfyui {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

const NodeSchemas& fuzz_schemas() {
  static const NodeSchemas kSchemas = [] {
    NodeSchemas out;
    require(out.add(R"({"KSampler":{"input":{"required":{"model":["MODEL"],"seed":["INT",{"min":0}],
        "steps":["INT",{"default":20,"min":1,"max":100}],"name":[["a","b"],{}]},
        "optional":{"latent_image":["LATENT"]}},"output":["LATENT"],"output_name":["LATENT"]},
        "SaveImage":{"input":{"required":{"images":["IMAGE"]}},"output":[],"output_node":true},
        "Load":{"input":{"required":{"image":["COMBO",{"options":["x"],"image_upload":true}]}},
        "output":["MODEL","LATENT","IMAGE","*"]}})")
                .has_value());
    return out;
  }();
  return kSchemas;
}

void use(const Workflow& first) {
  const NodeSchemas& schemas = fuzz_schemas();
  const auto again = Workflow::parse(first.text());
  require(again.has_value() && *again == first);
  require(first.outline(schemas).size() <= kMaxOutlineBytes + 256);
  require(first.outline({}, 100).size() <= 512);
  static_cast<void>(first.node("1", schemas));
  Workflow second = first;
  static_cast<void>(second.set_input("1", "steps", "7", schemas));
  static_cast<void>(second.set_input("1", "#0", "7", {}));
  static_cast<void>(second.connect("2", "0", "1", "model", schemas));
  static_cast<void>(second.connect("1:2", "0", "1:1", "0", schemas));
  static_cast<void>(second.disconnect("1", "0"));
  static_cast<void>(second.add_node("KSampler", "t", R"({"steps":3})", schemas));
  static_cast<void>(second.set_mode("2", "bypass"));
  static_cast<void>(second.set_title("2", "t"));
  static_cast<void>(second.remove_node("3"));
  const auto edited = Workflow::parse(second.text());
  require(edited.has_value() && *edited == second);
  for (const Workflow* one : {&first, &*edited}) {
    const auto checked = validate(*one, schemas);
    require(!checked || checked->findings.size() <= kMaxFindings);
    const auto api = to_api(*one, schemas);
    if (!api) continue;
    require(api->form() == Form::api);
    require(Workflow::parse(api->text()).has_value());
    static_cast<void>(diff(*one, *api, schemas).lines());
  }
  const WorkflowDiff found = diff(first, second, schemas);
  require(found.lines(1'000).size() <= 1'100);
  require(found.json(1'000).size() <= 64U << 10U);
  require(diff(first, first, schemas).empty());
}

}  // namespace
}  // namespace parley::comfyui

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using parley::comfyui::NodeSchemas;
  using parley::comfyui::Workflow;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto workflow = Workflow::parse(text);
  if (workflow) parley::comfyui::use(*workflow);
  NodeSchemas schemas;
  if (!schemas.add(text) || !workflow) return 0;
  static_cast<void>(workflow->outline(schemas));
  static_cast<void>(to_api(*workflow, schemas));
  return 0;
}
