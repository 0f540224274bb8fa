// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { readDocument } from '@/wire/plain_server';
import { type Range, readStatistics, type Statistics, statisticsRequest } from './statistics';

export class HttpStatistics {
  constructor(
    private readonly token: string,
    private readonly fetchIt: typeof fetch = (input, init) => fetch(input, init),
  ) {}

  async read(range: Range, now: Date): Promise<Statistics> {
    return readStatistics(
      await readDocument(`/v1/statistics?${statisticsRequest(range, now)}`, this.token, this.fetchIt),
    );
  }
}
