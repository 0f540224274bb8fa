// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// asset: a file with a hash in its name, from the cache first. index: the page of the console, from the network
// first. file: a kept file without a hash, from the network first. page: another page, from the network; the offline
// page replaces it if that fails. network: the worker does not answer.
export type Way = 'asset' | 'index' | 'file' | 'page' | 'network';

export interface Asked {
  method: string;
  url: string;
  mode: string;
  hasRange: boolean;
}

const kAssets = '/assets/';
const kData = /^\/(?:(?:v1|api)\/|ca\.(?:crt|mobileconfig)$)/;

export function hasToken(url: string): boolean {
  return new URL(url).searchParams.has('token');
}

// How a request is answered. `scope`: the address of the console's page; `kept`: paths of kept files.
export function wayOf({ hasRange, method, mode, url }: Asked, scope: string, kept: readonly string[]): Way {
  const { origin, pathname } = new URL(url);
  const home = new URL(scope);
  if (method !== 'GET' || origin !== home.origin || hasRange || kData.test(pathname)) return 'network';
  if (mode === 'navigate') {
    if (!pathname.startsWith(home.pathname)) return 'network';
    return pathname === home.pathname || pathname === `${home.pathname}index.html` ? 'index' : 'page';
  }
  if (hasToken(url)) return 'network';
  if (pathname.startsWith(kAssets)) return 'asset';
  return kept.includes(pathname) ? 'file' : 'network';
}

// The answer to a request for an asset may be kept if it is complete, of this server, and marked as one that never
// changes. Files of another front end below /assets/ may lack that mark.
export function mayKeep(url: string, response: Pick<Response, 'status' | 'type' | 'headers' | 'redirected'>): boolean {
  if (response.status !== 200 || response.type !== 'basic' || response.redirected || hasToken(url)) return false;
  const marks = response.headers.get('Cache-Control') ?? '';
  return /\bimmutable\b/i.test(marks) && !/no-store|private/i.test(marks);
}
