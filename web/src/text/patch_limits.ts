// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// A longer patch is shown as plain text. Apart from the reader of patches, which is loaded with the first one.
export const kMaxPatchChars = 2_200_000;
