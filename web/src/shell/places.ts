// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { IconName } from '@/components/icons';
import type { PlaceName } from './keys';

export interface Place {
  name: PlaceName; // its route
  icon: IconName;
  onPhones: boolean; // is in the bar of phones; the others are in its sheet "More"
}

// The main pages in the order of the rail.
export const kPlaces: readonly Place[] = [
  { name: 'inbox', icon: 'inbox', onPhones: true },
  { name: 'runs', icon: 'runs', onPhones: true },
  { name: 'chat', icon: 'chat', onPhones: true },
  { name: 'studies', icon: 'studies', onPhones: false },
  { name: 'people', icon: 'people', onPhones: false },
  { name: 'search', icon: 'search', onPhones: false },
  { name: 'statistics', icon: 'statistics', onPhones: false },
  { name: 'settings', icon: 'settings', onPhones: false },
];

// Pages of one question, of replays, runs and settings belong to the inbox, studies, runs and settings.
export function isInside(place: PlaceName, route: string): boolean {
  if (place === 'inbox') return route === 'inbox' || route === 'item';
  if (place === 'studies') return route === 'studies' || route.startsWith('replay');
  if (place === 'runs' || place === 'settings') return route.startsWith(place === 'runs' ? 'run' : place);
  return route === place;
}

// The message with the name of a main page.
export function placeWords(place: PlaceName): string {
  return place === 'search' || place === 'statistics' ? `shell.nav.${place}` : `nav.${place}`;
}
