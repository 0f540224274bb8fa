// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace parley::tool {

// File name for a session in the data folder: the session's id if that is a safe name, and a
// fingerprint of owner and id, so that no id escapes the folder and no two owners share a name.
std::string session_file_name(std::string_view owner, std::string_view session_id);

// DATA/kind/NAME. Creates nothing.
std::string session_folder(std::string_view data_folder, std::string_view kind,
                           std::string_view owner, std::string_view session_id);

inline constexpr std::string_view kToolOutputFolder = "tool-output";
inline constexpr std::string_view kTodoFolder = "todo";

}  // namespace parley::tool
