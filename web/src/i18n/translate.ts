// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { type Ref, ref, shallowRef } from 'vue';

// Texts in several languages, with the part of vue-i18n's interface that the console uses: that package has a
// compiler of messages, 14 KB of the first load. `vue-i18n` resolves to this file (vite.config.ts, tsconfig.json).
//
// A text is found by its path in a tree of messages. {name} is replaced by a value; "one | many" are two forms, of
// which `count` chooses.

export interface MessageTree {
  [key: string]: string | MessageTree;
}

export type Values = Readonly<Record<string, unknown>>;

export interface Texts {
  t: (key: string, values?: Values, count?: number) => string;
  te: (key: string) => boolean; // has the text
  locale: Ref<string>;
}

export interface I18n<L extends string> {
  install: () => void; // for app.use(): useI18n() returns these texts
  global: Texts & {
    locale: Ref<L>;
    availableLocales: readonly L[];
    setLocaleMessage: (locale: L, tree: MessageTree) => void;
    mergeLocaleMessage: (locale: L, tree: MessageTree) => void;
  };
}

type Table = Map<string, string>;

const kForms = ' | ';
let shared: Texts | null = null;

function flatten(tree: MessageTree, prefix: string, into: Table): Table {
  for (const [key, value] of Object.entries(tree)) {
    if (typeof value === 'string') into.set(prefix + key, value);
    else flatten(value, `${prefix}${key}.`, into);
  }
  return into;
}

// The form of a count: one, or any other number.
function formOf(text: string, count: number): string {
  const forms = text.split(kForms);
  return (count === 1 ? forms[0] : forms[1]) ?? text;
}

export function fill(text: string, values: Values = {}, count?: number): string {
  const chosen = count ?? (typeof values['count'] === 'number' ? values['count'] : 1);
  const form = text.includes(kForms) ? formOf(text, chosen) : text;
  return form.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    String(values[name] ?? (name === 'count' ? (count ?? '') : '')),
  );
}

export function createI18n<L extends string>(options: {
  locale: L;
  fallbackLocale: L;
  messages: Partial<Record<L, MessageTree>>;
}): I18n<L> {
  const tables = shallowRef<ReadonlyMap<string, Table>>(new Map());
  const locale = ref(options.locale) as Ref<L>;
  const put = (name: L, table: Table): void => void (tables.value = new Map(tables.value).set(name, table));
  const find = (key: string): string | undefined =>
    tables.value.get(locale.value)?.get(key) ?? tables.value.get(options.fallbackLocale)?.get(key);
  for (const [name, tree] of Object.entries<MessageTree | undefined>(options.messages))
    if (tree) put(name as L, flatten(tree, '', new Map()));

  const global: I18n<L>['global'] = {
    locale,
    get availableLocales() {
      return [...tables.value.keys()] as L[];
    },
    t(key, values, count) {
      const text = find(key);
      return text === undefined ? key : fill(text, values, count);
    },
    te: (key) => find(key) !== undefined,
    setLocaleMessage: (name, tree) => put(name, flatten(tree, '', new Map())),
    mergeLocaleMessage: (name, tree) => put(name, flatten(tree, '', new Map(tables.value.get(name)))),
  };
  return { global, install: () => void (shared = global) };
}

export function useI18n(): Texts {
  if (shared === null) throw new Error('useI18n() before app.use(i18n)');
  return shared;
}
