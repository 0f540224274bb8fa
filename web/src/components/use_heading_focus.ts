// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onMounted, useTemplateRef } from 'vue';

// Focuses the element with `ref="heading"` when the page opens, so that screen readers read it and Tab
// continues from it.
export function useHeadingFocus(): void {
  const heading = useTemplateRef<HTMLElement>('heading');
  onMounted(() => {
    heading.value?.focus({ preventScroll: true });
  });
}
