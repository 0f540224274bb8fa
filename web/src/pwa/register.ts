// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText } from '@/wire/json';
import { kFilesMessage, kOpenMessage, kSkipMessage } from './messages';

// The page's side of the worker.
export interface PageShell {
  open: (address: string) => void; // shows a page: "/inbox/item/..."
  offer: (reload: () => void) => void; // a new version is ready
  unreachable: () => void; // a file of the page could not be loaded: the server is not reachable
  broken: () => void; // a file of the page was loaded and failed, or is damaged
}

const kConsolePath = '/console/'; // of the console if a front end is served at "/"
const kLookMs = 60_000; // least time between two looks for a new version

// The folder of the page, which is the worker's scope.
export function scopeOf(pathname: string): string {
  return `${pathname}/`.startsWith(kConsolePath) ? kConsolePath : '/';
}

// The page's own document, relative to the folder of the console.
function ownDocument(): string {
  return document.documentElement.dataset['document'] ?? '';
}

// The path of the page's script, which has a hash of the version in its name; '': none.
function ownScript(): string {
  const script = document.querySelector<HTMLScriptElement>('script[type=module][src]');
  return script ? new URL(script.src).pathname : '';
}

function reload(): void {
  window.location.reload();
}

// Tells why a file of the page could not be loaded: the server has a newer version without it, or is not reachable;
// otherwise the file itself has failed.
async function explainMiss(page: PageShell): Promise<void> {
  try {
    const response = await fetch(`${scopeOf(window.location.pathname)}${ownDocument()}`, { cache: 'no-store' });
    const isNewer = response.ok && !(await response.text()).includes(ownScript());
    if (isNewer) page.offer(reload);
    else page.broken();
  } catch {
    page.unreachable();
  }
}

const kAnswerMs = 2000; // time for a worker to send the paths of its files

// Whether a worker belongs to the version of this page: it keeps the page's script.
async function isOfThisPage(worker: ServiceWorker): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  const files = new Promise<unknown>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent) => {
      resolve(data);
    };
    setTimeout(resolve, kAnswerMs, null);
  });
  worker.postMessage(kFilesMessage, [port2]);
  return asArray(await files).includes(ownScript());
}

class PageWorker {
  private registration: ServiceWorkerRegistration | null = null;
  private isAsked = false; // this page has asked for the new version
  private lookedAt = Date.now();
  private hadController: boolean;

  constructor(
    private readonly container: ServiceWorkerContainer,
    private readonly page: PageShell,
  ) {
    this.hadController = container.controller !== null;
  }

  async start(): Promise<void> {
    const scope = scopeOf(window.location.pathname);
    try {
      this.registration = await this.container.register(`${scope}sw.js`, { scope, updateViaCache: 'none' });
    } catch {
      return; // The page works without: storage or workers may be switched off.
    }
    const { registration } = this;
    if (registration.waiting) void this.meet(registration.waiting);
    registration.addEventListener('updatefound', () => {
      const fresh = registration.installing;
      fresh?.addEventListener('statechange', () => {
        if (fresh.state === 'installed') void this.meet(fresh);
      });
    });
  }

  // Looks for a new version when the page is looked at again.
  readonly look = (): void => {
    if (document.hidden || Date.now() - this.lookedAt < kLookMs) return;
    this.lookedAt = Date.now();
    void this.registration?.update().catch(() => undefined);
  };

  // Another worker controls the page, because this page or another one has asked for it.
  readonly changed = async (): Promise<void> => {
    const isFirst = !this.hadController;
    this.hadController = true;
    if (this.isAsked) return reload();
    const { controller } = this.container;
    if (!isFirst && controller && !(await isOfThisPage(controller))) this.page.offer(reload);
  };

  readonly onMessage = (event: MessageEvent): void => {
    const message = asObject(event.data);
    const address = asText(message['address']);
    if (message['type'] === kOpenMessage && address.startsWith('/')) this.page.open(address);
  };

  // A worker waits for the pages of the earlier one. If this page was already loaded in the worker's version, there
  // is nothing to offer. The first worker of a browser does not wait.
  private async meet(waiting: ServiceWorker): Promise<void> {
    if (this.container.controller === null) return;
    if (await isOfThisPage(waiting)) return waiting.postMessage(kSkipMessage);
    this.page.offer(() => {
      this.isAsked = true;
      if (waiting.state === 'installed') waiting.postMessage(kSkipMessage);
      else reload();
    });
  }
}

// Registers the service worker once the page has loaded. Returns a function that removes the listeners.
function listen(page: PageShell, container: ServiceWorkerContainer): () => void {
  const worker = new PageWorker(container, page);
  const start = () => void worker.start();
  const changed = () => void worker.changed();
  if (document.readyState === 'complete') start();
  else window.addEventListener('load', start, { once: true });
  container.addEventListener('message', worker.onMessage);
  container.addEventListener('controllerchange', changed);
  document.addEventListener('visibilitychange', worker.look);
  window.addEventListener('online', worker.look);
  return () => {
    window.removeEventListener('load', start);
    container.removeEventListener('message', worker.onMessage);
    container.removeEventListener('controllerchange', changed);
    document.removeEventListener('visibilitychange', worker.look);
    window.removeEventListener('online', worker.look);
  };
}

// Starts the service worker if the browser has one for this page, and reports files of the page that cannot be
// loaded. Returns a function that ends this.
export function startWorker(page: PageShell): () => void {
  const container = (navigator as Partial<Navigator>).serviceWorker;
  const missed = () => void explainMiss(page);
  window.addEventListener('vite:preloadError', missed);
  const end = import.meta.env.PROD && container ? listen(page, container) : () => undefined;
  return () => {
    window.removeEventListener('vite:preloadError', missed);
    end();
  };
}
