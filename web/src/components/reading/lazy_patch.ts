// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { shallowRef } from 'vue';

type PatchTools = typeof import('./patch_tools');

const kRetryMs = 1_000;
const tools = shallowRef<PatchTools | null>(null);
let isRequested = false;

async function load(): Promise<void> {
  try {
    tools.value = await import('./patch_tools');
  } catch {
    // The server may be unreachable for a while.
    setTimeout(() => void load(), kRetryMs);
  }
}

// The components that show patches, loaded with the first patch; null until then, and reactive.
export function patchTools(): PatchTools | null {
  if (!tools.value && !isRequested) {
    isRequested = true;
    void load();
  }
  return tools.value;
}

// True if a text may have a patch without a fence: the cheap test before the tools are loaded.
export function mayHavePatch(text: string): boolean {
  return /^(diff --git |--- )/m.test(text) && /^@@ -|^diff --git /m.test(text);
}
