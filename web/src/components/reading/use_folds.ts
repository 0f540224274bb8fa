// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { computed, inject, type InjectionKey, onScopeDispose, provide, type Ref, ref, shallowReactive, watch } from 'vue';

// The folded parts of a card, until they are opened.
interface Folds {
  whole: boolean; // everything must be seen: nothing scrolls inside
  shut: Set<symbol>;
  opened: () => void;
}

const kFolds: InjectionKey<Folds> = Symbol('folds');

// For the card: the number of its parts that were never opened. `whole`: code is folded too, in place of scrolling;
// `opened`: called after each opening.
export function provideFolds(whole: boolean, opened: () => void): Readonly<Ref<number>> {
  const shut = shallowReactive(new Set<symbol>());
  provide(kFolds, { whole, shut, opened });
  return computed(() => shut.size);
}

// The card of a part. `folds`: it folds long parts; `whole`: also those that scroll inside elsewhere.
export interface FoldPlace {
  folds: boolean;
  whole: boolean;
}

// For a part: whether it is open, and its card. `isFolded`: it has something to open.
export function useFold(isFolded: (place: FoldPlace) => boolean): FoldPlace & { open: Ref<boolean> } {
  const card = inject(kFolds, null);
  const place = { folds: card !== null, whole: card?.whole === true };
  const open = ref(false);
  const id = Symbol();
  watch(
    () => isFolded(place) && !open.value,
    (isShut) => {
      if (isShut) card?.shut.add(id);
      else if (card?.shut.delete(id) === true) card.opened();
    },
    { immediate: true },
  );
  onScopeDispose(() => card?.shut.delete(id));
  return { ...place, open };
}
