// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace parley::fake_comfyui {

// The page of the stand-in: a front end that shows its workflow as text, and the plugin that talks
// to the surrounding page by postMessage (comfy-pilot:ping, get-workflow, set-workflow,
// new-workflow, execute-workflow; sends workflow-graph-changed by itself).
std::string_view plugin_page();

}  // namespace parley::fake_comfyui
