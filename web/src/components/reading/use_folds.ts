// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import {
  computed,
  inject,
  type InjectionKey,
  onScopeDispose,
  provide,
  type Ref,
  ref,
  shallowReactive,
  watch,
} from 'vue';

// The parts of a card that were not shown yet: folded ones, until they are opened, and those that are being loaded.
interface Folds {
  whole: boolean; // everything must be seen: nothing scrolls inside
  shut: Set<symbol>;
  loading: Set<symbol>;
  opened: () => void;
}

const kFolds: InjectionKey<Folds> = Symbol('folds');

// The folds of a card: the numbers of its parts that were never opened, and of those that are being loaded. `whole`:
// code is folded too, in place of scrolling; `opened`: called before a part grows.
export function provideFolds(
  whole: boolean,
  opened: () => void,
): Readonly<Record<'folded' | 'loading', Readonly<Ref<number>>>> {
  const [shut, loading] = [shallowReactive(new Set<symbol>()), shallowReactive(new Set<symbol>())];
  provide(kFolds, { whole, shut, loading, opened });
  return { folded: computed(() => shut.size), loading: computed(() => loading.size) };
}

// The card of a part. `folds`: it folds long parts; `whole`: also those that scroll inside elsewhere.
export interface FoldPlace {
  folds: boolean;
  whole: boolean;
}

// Counts this part in the card's `parts` while `isIn` is true.
function counted(card: Folds | null, parts: 'shut' | 'loading', isIn: () => boolean): void {
  const id = Symbol();
  watch(
    isIn,
    (is) => {
      if (is) card?.[parts].add(id);
      else if (card?.[parts].delete(id) === true) card.opened();
    },
    { immediate: true },
  );
  onScopeDispose(() => card?.[parts].delete(id));
}

// The fold of a part: whether it is open, and its card. `isFolded`: it has something to open; `isLoading`: it cannot be
// shown yet.
export function useFold(
  isFolded: (place: FoldPlace) => boolean,
  isLoading?: () => boolean,
): FoldPlace & { open: Ref<boolean> } {
  const card = inject(kFolds, null);
  const place = { folds: card !== null, whole: card?.whole === true };
  const open = ref(false);
  counted(card, 'shut', () => isFolded(place) && !open.value);
  if (isLoading) counted(card, 'loading', isLoading);
  return { ...place, open };
}
