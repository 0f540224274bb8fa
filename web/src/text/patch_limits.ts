// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// A longer patch is shown as plain text. Apart from the reader of patches, which is loaded with the first one.
// Limit (Answers in the console): characters of a patch shown file by file. Reached: shown as text.
export const kMaxPatchChars = 2_200_000;
