// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Everything about patches, in one chunk.
export { readPatch, splitPatches } from '@/text/patch';
export { default as PatchView } from './PatchView.vue';
