// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// The parts of a service worker's global scope that the worker uses. The pages are compiled with the types of
// documents, which have no names for these.
export interface Later extends Event {
  waitUntil: (work: Promise<unknown>) => void;
}

export interface FetchLater extends Later {
  readonly request: Request;
  respondWith: (answer: Promise<Response>) => void;
}

export interface PushLater extends Later {
  readonly data: { text: () => string } | null;
}

export interface NotificationLater extends Later {
  readonly notification: Notification;
  readonly action: string;
}

export interface MessageLater extends Later {
  readonly data: unknown;
  readonly ports: readonly MessagePort[];
}

export interface OpenPage {
  readonly url: string;
  focus: () => Promise<unknown>;
  postMessage: (message: unknown) => void;
}

export interface WorkerScope {
  readonly registration: {
    readonly scope: string;
    showNotification: (title: string, options: NotificationOptions) => Promise<void>;
    getNotifications: (filter?: { tag: string }) => Promise<Notification[]>;
  };
  readonly clients: {
    matchAll: (filter: { type: 'window'; includeUncontrolled: true }) => Promise<OpenPage[]>;
    openWindow: (url: string) => Promise<unknown>;
  };
  readonly caches: CacheStorage;
  readonly maxActions: number; // buttons that the browser shows on a notification
  readonly language: string; // of the browser
  fetch: (input: string | Request, init?: RequestInit) => Promise<Response>;
  skipWaiting: () => Promise<void>;
}
