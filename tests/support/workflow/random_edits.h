// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include "runtime/comfyui/workflow/workflow.h"

namespace parley::comfyui {

// For tests: random edits of the sample workflows, accepted and refused ones, determined by the
// seed.
class RandomEdits {
 public:
  explicit RandomEdits(unsigned seed) : random_(seed) {}

  // True if the edit was accepted.
  bool edit(Workflow& workflow, const NodeSchemas& schemas) {
    const std::string one = node();
    const std::string other = node();
    const std::string& input = pick(inputs_);
    const std::string output = std::to_string(random_() % 3);
    switch (random_() % 8) {
      case 0:
        return workflow.add_node(pick(types_), "", "", schemas).has_value();
      case 1:
        return random_() % 3 == 0 && workflow.remove_node(one).has_value();
      case 2:
        return workflow.set_input(one, input, pick(values_), schemas).has_value();
      case 3:
        return workflow.disconnect(one, input).has_value();
      case 4:
        return workflow.set_mode(one, pick(modes_)).has_value();
      default:
        return workflow.connect(one, output, other, input, schemas).has_value();
    }
  }

 private:
  const std::string& pick(const std::vector<std::string>& list) {
    return list[random_() % list.size()];
  }
  std::string node() {
    const std::string id = std::to_string(1 + random_() % 22);
    return random_() % 6 == 0 ? "12:" + std::to_string(1 + random_() % 4) : id;
  }

  std::mt19937 random_;
  const std::vector<std::string> types_ = {"KSampler",   "VAEDecode", "PreviewImage",  "Reroute",
                                           "LoraLoader", "LoadImage", "PrimitiveNode", "Note"};
  const std::vector<std::string> inputs_ = {"model",  "clip",         "vae",  "samples",
                                            "images", "steps",        "seed", "width",
                                            "text",   "latent_image", "0",    "positive"};
  const std::vector<std::string> values_ = {"1", "20", "\"x\"", "null", "-3", "64.0", "[1]"};
  const std::vector<std::string> modes_ = {"always", "mute", "bypass"};
};

}  // namespace parley::comfyui
