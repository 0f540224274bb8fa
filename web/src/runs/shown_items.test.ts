// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { expect, it } from 'vitest';
import type { RunItem } from './run_items';
import { withoutEmptySteps } from './shown_items';

const node = (key: string, state = 'done', error = '') => ({ is: 'node', key, state, error }) as unknown as RunItem;
const text = (key: string) => ({ is: 'text', key }) as unknown as RunItem;
const shown = (items: RunItem[], keep = '') => withoutEmptySteps(items, keep).map(({ key }) => key);

it('a step that has ended with nothing in it is not shown', () => {
  expect(
    shown([node('think'), text('words'), node('act'), node('observe'), node('think2'), text('more'), node('end')]),
  ).toEqual(['think', 'words', 'think2', 'more']);
});

it('a step that runs, has failed or was chosen is shown', () => {
  expect(
    shown(
      [node('failed', 'failed', 'no key'), node('stopped', 'stopped'), node('chosen'), node('running', 'running')],
      'chosen',
    ),
  ).toEqual(['failed', 'stopped', 'chosen', 'running']);
});
