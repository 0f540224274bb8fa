// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments';

describe('the command line of parley-host', () => {
  it('has no required arguments', () => {
    expect(readArguments([], {})).toEqual({
      server: 'http://127.0.0.1:22080',
      bookingPath: '/v1/booking',
      sessions: ['default'],
      takeover: false,
      bookings: 0,
      quiet: false,
    });
  });

  it('accepts every option', () => {
    const args = '--server https://lab:8443/ --token T --session s1 --dataset d --takeover --bookings 5';
    expect(readArguments([...args.split(' '), '--tools', 'select, next', '--quiet'], {})).toEqual({
      server: 'https://lab:8443',
      bookingPath: '/v1/booking',
      token: 'T',
      sessions: ['s1'],
      dataset: 'd',
      takeover: true,
      bookings: 5,
      tools: ['select', 'next'],
      quiet: true,
    });
  });

  it('reads the token from the environment', () => {
    expect(readArguments([], { PARLEY_TOKEN: 'secret' })?.token).toBe('secret');
  });

  it('makes many sessions of a prefix', () => {
    expect(readArguments(['--sessions', 'lab:3'], {})?.sessions).toEqual(['lab-1', 'lab-2', 'lab-3']);
  });

  it.each([
    [['--sessions', 'lab'], '--sessions must be PREFIX:COUNT'],
    [['--sessions', 'lab:0'], '--sessions must be PREFIX:COUNT'],
    [['--sessions', '../x:3'], '--sessions must be PREFIX:COUNT'],
    [['--server', 'lab'], '--server must be an address'],
    [['--server', 'ftp://lab'], '--server must be an address'],
    [['--bookings', 'many'], '--bookings must be a number.'],
    [['--tools', 'select,fly'], '--tools: there is no tool "fly".'],
    [['--colour'], "Unknown option '--colour'"],
  ])('refuses %j', (args, message) => {
    expect(() => readArguments(args, {})).toThrow(message);
  });

  it('prints its usage', () => {
    expect(readArguments(['--help'], {})).toBeUndefined();
  });
});
