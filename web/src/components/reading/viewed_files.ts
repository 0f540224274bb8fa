// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { shallowReactive } from 'vue';

const kMaxPatches = 20;
const all = new Map<string, Set<number>>();

// The files of a patch that the person has marked as viewed, by index, until the page is closed: the same set for each
// place that shows the patch.
export function viewedFiles(text: string): Set<number> {
  const known = all.get(text) ?? shallowReactive(new Set<number>());
  all.delete(text);
  all.set(text, known);
  const [oldest] = all.keys();
  if (all.size > kMaxPatches && oldest !== undefined) all.delete(oldest);
  return known;
}
