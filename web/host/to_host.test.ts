// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { kConsoleAddresses, kHostAddresses } from '@/shell/addresses';

const script = readFileSync(new URL('../public/to_host.js', import.meta.url), 'utf8');

// The document that the console's page with this address is replaced by; null: none.
function replacement(hash: string): string | null {
  let found: string | null = null;
  const window = { location: { hash, search: '?token=t', replace: (to: string) => (found = to) } };
  const document = { documentElement: { dataset: {} as Record<string, string> } };
  new Function('window', 'document', script)(window, document);
  expect(document.documentElement.dataset['leaving']).toBe(found === null ? undefined : '');
  return found;
}

const filled = (paths: Readonly<Record<string, string>>) =>
  Object.values(paths).map((path) => `#${path.replace(/:(\w+)\??/g, '$1')}`);

it.each([...filled(kHostAddresses), '#/host', '#/host?dev=1', '#/study/pilot?participant=P07'])(
  '%s loads the host page',
  (hash) => {
    expect(replacement(hash)).toBe(`host/index.html?token=t${hash}`);
  },
);

it.each([...filled(kConsoleAddresses), '', '#/hosts', '#/studyings/x'])('%s stays with the console', (hash) => {
  expect(replacement(hash)).toBeNull();
});
