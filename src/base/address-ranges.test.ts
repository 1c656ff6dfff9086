import { expect, it } from 'vitest';
import { AddressRanges, isAddressRange, isLoopbackHost, plainAddress } from './address-ranges.ts';

it.each([
  ['10.0.0.5', true],
  ['10.0.0.0/8', true],
  ['::1', true],
  ['fd00::/8', true],
  ['10.0.0.0/33', false],
  ['fd00::/129', false],
  ['10.0.0', false],
  ['proxy.example', false],
  ['10.0.0.0/', false],
  ['', false],
])('%j is an address or a range: %s', (text, expected) => {
  expect(isAddressRange(text)).toBe(expected);
});

it.each([
  ['127.0.0.1', true],
  ['10.9.8.7', true],
  ['11.0.0.1', false],
  ['fd00::7', true],
  ['fe00::7', false],
  ['unknown', false],
  ['', false],
])('a set of ranges has %j: %s', (address, expected) => {
  expect(new AddressRanges(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']).has(address)).toBe(expected);
  expect(new AddressRanges([]).has(address)).toBe(false);
});

it('addresses are compared without a zone, and IPv4 as IPv4', () => {
  expect(['::ffff:10.0.0.1', 'fe80::1%eth0', '10.0.0.1', undefined].map(plainAddress)).toEqual([
    '10.0.0.1',
    'fe80::1',
    '10.0.0.1',
    '',
  ]);
});

it.each([
  ['localhost', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.evil.example', false],
  ['', false],
])('a server on %j is reachable only from this machine: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
