// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { IconName } from '@/components/icons';
import type { PlaceName } from './keys';

export interface Place {
  name: PlaceName; // its route
  icon: IconName;
  onPhones: boolean; // is in the bar of phones, which is narrow; the palette has all
}

// The main pages in the order of the rail.
export const kPlaces: readonly Place[] = [
  { name: 'inbox', icon: 'inbox', onPhones: true },
  { name: 'runs', icon: 'runs', onPhones: true },
  { name: 'chat', icon: 'chat', onPhones: true },
  { name: 'studies', icon: 'studies', onPhones: true },
  { name: 'people', icon: 'people', onPhones: true },
  { name: 'search', icon: 'search', onPhones: false },
  { name: 'statistics', icon: 'statistics', onPhones: false },
  { name: 'settings', icon: 'settings', onPhones: true },
];
