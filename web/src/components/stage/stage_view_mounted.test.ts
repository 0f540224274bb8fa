// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// @vitest-environment jsdom
import { Quasar } from 'quasar';
import { afterEach, describe, expect, it } from 'vitest';
import { type App, createApp, h, nextTick, reactive } from 'vue';
import type { UiSpec } from '@/stage/ui_spec';
import { i18n, loadPageTexts } from '@/i18n';
import StageView from './StageView.vue';

await loadPageTexts();

let app: App | null = null;
afterEach(() => {
  app?.unmount();
  app = null;
  document.body.innerHTML = '';
});

type Event = [string, ...unknown[]];

async function show(spec: UiSpec, readonly = false) {
  const events: Event[] = [];
  const props = reactive({ spec, readonly });
  const on =
    (name: string) =>
    (...values: unknown[]) =>
      events.push([name, ...values]);
  const listeners = {
    onSelect: on('select'),
    onQuantity: on('quantity'),
    onNext: on('next'),
    onPrev: on('prev'),
    onUndo: on('undo'),
  };
  const root = document.createElement('div');
  document.body.append(root);
  app = createApp({ render: () => h(StageView, { ...props, ...listeners }) });
  app.use(Quasar).use(i18n).mount(root);
  await nextTick();
  await nextTick();
  const find = (selector: string) => {
    const found = root.querySelector<HTMLElement>(selector);
    if (!found) throw new Error(`${selector} is not on the page`);
    return found;
  };
  return { root, events, props, find };
}

const seats: UiSpec = {
  stage: 'seat',
  title: 'Select Seats',
  description: '',
  visibleItems: [
    { id: 'A1', value: 'A1' },
    { id: 'A2', value: 'A2', isDisabled: true },
    { id: 'A3', value: 'A3' },
  ],
  state: { selectedList: [{ id: 'A3', value: 'A3' }], highlighted: [{ id: 'A1', value: 'A1' }], booking: {} },
  items: [1, 2, 3].map((number) => ({
    id: `A${number}`,
    row: 'A',
    number,
    label: `A${number}`,
    type: number === 1 ? 'premium' : 'standard',
  })),
  modification: { highlight: { itemIds: ['A1'] } },
  display: { valueField: 'label', component: 'seatMap' },
  meta: { rows: ['A'], seatsPerRow: 3 },
};

describe('the seat map', () => {
  it('names each seat with its visible state', async () => {
    const { find } = await show(seats);
    expect(find('[data-item="A1"]').getAttribute('aria-label')).toBe('Row A, seat 1, Premium, Free, Suggested');
    expect(find('[data-item="A2"]').getAttribute('aria-label')).toBe('Row A, seat 2, Taken');
    expect(find('[data-item="A3"]').getAttribute('aria-label')).toBe('Row A, seat 3, Yours');
  });

  it('takes a click on a free seat, none on a taken one', async () => {
    const { find, events } = await show(seats);
    find('[data-item="A1"]').click();
    find('[data-item="A2"]').click();
    expect(events).toEqual([['select', 'A1']]);
  });

  it('is one stop of the Tab key', async () => {
    const { root } = await show(seats);
    const stops = [...root.querySelectorAll<HTMLElement>('[data-rove]')].filter((it) => it.tabIndex === 0);
    expect(stops.map((it) => it.dataset['item'])).toEqual(['A3']);
  });

  it('lets the participant undo the agent’s suggestion', async () => {
    const { find, events } = await show(seats);
    expect(find('[data-change="highlight"]').textContent).toContain('The agent suggests A1');
    find('[data-undo="highlight"]').click();
    expect(events).toEqual([['undo', 'highlight']]);
  });
});

describe('a replayed stage', () => {
  it('has no controls', async () => {
    const { root, find, events } = await show(seats, true);
    expect(root.querySelector('[data-test="next"]')).toBeNull();
    expect(root.querySelector('[data-undo]')).toBeNull();
    find('[data-item="A1"]').click();
    expect(events).toEqual([]);
  });
});

describe('tickets', () => {
  const tickets = (count: number): UiSpec => ({
    ...seats,
    stage: 'ticket',
    visibleItems: [{ id: 'tt1', value: 'Adult' }],
    items: [{ id: 'tt1', name: 'Adult', priceDisplay: '$14.00', description: 'All' }],
    state: { quantities: [{ item: { id: 'tt1', value: 'Adult' }, count }], booking: {} },
    modification: {},
    display: { valueField: 'name', component: 'counter' },
    meta: { maxTotal: 2 },
  });

  it('are bound by the seats', async () => {
    const { find, events, props } = await show(tickets(1));
    find('[data-test="plus"]').click();
    expect(events).toEqual([['quantity', 'tt1', 2]]);
    props.spec = tickets(2);
    await nextTick();
    expect((find('[data-test="plus"]') as HTMLButtonElement).disabled).toBe(true);
    expect(find('[data-test="next"]').hasAttribute('disabled')).toBe(false);
  });
});

describe('a stage that follows', () => {
  it('takes the focus after its button, but not from other fields', async () => {
    const movie: UiSpec = {
      ...seats,
      stage: 'movie',
      visibleItems: [],
      items: [],
      state: { booking: {}, selected: { id: 'm', value: 'M' } },
      modification: {},
      display: { valueField: 'id', component: 'buttonGroup' },
    };
    const { find, props } = await show(movie);
    const chat = document.createElement('input');
    document.body.append(chat);
    chat.focus();
    props.spec = { ...movie, stage: 'theater' };
    await nextTick();
    await nextTick();
    expect(document.activeElement).toBe(chat);
    find('[data-test="next"]').click();
    props.spec = { ...movie, stage: 'date' };
    await nextTick();
    await nextTick();
    expect(document.activeElement?.textContent).toBe('Choose a date');
  });
});

describe('a long list', () => {
  const long = (chosen?: string): UiSpec => ({
    ...seats,
    stage: 'movie',
    visibleItems: Array.from({ length: 3000 }, (_, index) => ({ id: `m${index}`, value: `Film ${index}` })),
    items: [],
    state: { booking: {}, ...(chosen ? { selected: { id: chosen, value: '' } } : {}) },
    modification: {},
    display: { valueField: 'title', component: 'buttonGroup' },
  });

  it('is drawn in parts, always with the chosen item', async () => {
    const { root, find, props } = await show(long());
    expect(root.querySelectorAll('[data-item]')).toHaveLength(60);
    expect(find('[data-test="show-more"]').textContent).toContain('2940');
    props.spec = long('m99');
    await nextTick();
    expect(root.querySelectorAll('[data-item]')).toHaveLength(100);
  });
});

describe('a list emptied by the agent', () => {
  it('says so and offers the way back', async () => {
    const { root, find } = await show({
      ...seats,
      visibleItems: [],
      modification: { filter: { field: 'row', operator: 'eq', value: 'Z' } },
    });
    expect(root.textContent).toContain('Nothing is left to show');
    find('[data-undo="filter"]');
  });
});
