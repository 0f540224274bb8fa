// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { onMounted, useTemplateRef } from 'vue';

// Focuses what has `ref="heading"` when the page opens, so that it is read out and Tab goes on from
// it.
export function useHeadingFocus(): void {
  const heading = useTemplateRef<HTMLElement>('heading');
  onMounted(() => {
    heading.value?.focus({ preventScroll: true });
  });
}
