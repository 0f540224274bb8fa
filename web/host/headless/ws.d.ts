// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The members of the package `ws` that the headless host uses.
declare module 'ws' {
  export default class WebSocket {
    constructor(url: string, options?: { maxPayload?: number; headers?: Record<string, string> });
    readonly bufferedAmount: number;
    onopen: ((event: never) => void) | null;
    onmessage: ((event: never) => void) | null;
    onclose: ((event: never) => void) | null;
    onerror: ((event: never) => void) | null;
    send(text: string): void;
    close(code?: number, reason?: string): void;
  }
}
