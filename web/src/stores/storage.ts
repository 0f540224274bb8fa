// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Browser storage. Full or disabled storage and invalid values are ignored: a value is not kept then.
export function readStored<T>(storage: Storage | undefined, key: string, fallback: T): T {
  try {
    const text = storage?.getItem(key);
    return text === null || text === undefined ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function writeStored(storage: Storage | undefined, key: string, value: unknown): void {
  try {
    if (value === null || value === undefined) storage?.removeItem(key);
    else storage?.setItem(key, JSON.stringify(value));
  } catch {
    return;
  }
}

export function localStore(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

export function sessionStore(): Storage | undefined {
  try {
    return window.sessionStorage;
  } catch {
    return undefined;
  }
}
