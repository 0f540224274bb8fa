// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { mayKeep, wayOf } from './cache_rules';
import type { WorkerScope } from './worker_scope';

// Facts about the build, which the worker contains.
export interface ShellFiles {
  version: string; // a hash of all files
  assets: readonly string[]; // paths of hashed files that the first page needs
  others: readonly string[]; // paths of the scripts of other documents, which are not kept at first
  files: readonly string[]; // paths of files without a hash
  offline: string; // one of `files`: the page that replaces one that cannot be fetched
}

// Keeps the console's own files, so that it opens without its server. Never keeps answers of the API.
export class PageCache {
  private readonly home: string;
  private readonly family: string; // prefix of the names of its caches, of all versions
  private readonly name: string;

  constructor(
    private readonly scope: WorkerScope,
    private readonly shell: ShellFiles,
  ) {
    this.home = scope.registration.scope;
    this.family = `parley ${new URL(this.home).pathname} `;
    this.name = `${this.family}${shell.version}`;
  }

  // Fetches the files of this version; fails if one is missing, and the browser tries again later.
  async install(): Promise<void> {
    const cache = await this.scope.caches.open(this.name);
    await cache.addAll([...this.shell.assets]);
    await cache.addAll(this.shell.files.map((path) => new Request(path, { cache: 'no-cache' })));
    await cache.add(new Request(this.home, { cache: 'no-cache' }));
  }

  // Removes the files of earlier versions.
  async activate(): Promise<void> {
    const old = (await this.scope.caches.keys()).filter((name) => name.startsWith(this.family) && name !== this.name);
    await Promise.all(old.map((name) => this.scope.caches.delete(name)));
  }

  // The answer to a request; null: the browser sends it as if there were no worker.
  answer(request: Request): Promise<Response> | null {
    const { headers, method, mode, url } = request;
    switch (wayOf({ method, mode, url, hasRange: headers.has('Range') }, this.home, this.shell.files)) {
      case 'asset':
        return this.fromCache(request);
      case 'index':
        return this.fromNetwork(request, this.home);
      case 'file':
        return this.fromNetwork(request, url);
      case 'page':
        return this.scope.fetch(request).catch(() => this.offline());
      case 'network':
        return null;
    }
  }

  private async fromCache(request: Request): Promise<Response> {
    const cache = await this.scope.caches.open(this.name);
    const known = await cache.match(request, { ignoreVary: true });
    if (known) return known;
    const response = await this.scope.fetch(request);
    if (mayKeep(request.url, response)) await this.keep(cache, request.url, response.clone());
    return response;
  }

  // The index and the files of this version stay as they were installed: a newer index belongs to the next version.
  private async fromNetwork(request: Request, key: string): Promise<Response> {
    try {
      return await this.scope.fetch(request);
    } catch {
      const cache = await this.scope.caches.open(this.name);
      return (await cache.match(key, { ignoreVary: true })) ?? this.offline();
    }
  }

  // Full storage is ignored: the page works without a kept file.
  private async keep(cache: Cache, url: string, response: Response): Promise<void> {
    try {
      await cache.put(url, response);
    } catch {
      return;
    }
  }

  private async offline(): Promise<Response> {
    const cache = await this.scope.caches.open(this.name);
    return (await cache.match(this.shell.offline, { ignoreVary: true })) ?? Response.error();
  }
}
