import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { AddressRanges } from '../../base/address-ranges.ts';
import { countedAs, readVisitor } from './visitors.ts';

const proxies = new AddressRanges(['10.0.0.0/8', 'fd00::/8']);

function visitor(peer: string, headers: Record<string, string>) {
  // Only the address of the socket is read.
  return readVisitor({ socket: { remoteAddress: peer } as IncomingMessage['socket'], headers }, proxies);
}

describe('where a request comes from', () => {
  it.each([
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    // What the client wrote itself is on the left.
    ['10.0.0.1', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '198.51.100.1, 203.0.113.9, 10.0.0.7', '203.0.113.9'],
    ['10.0.0.1', '10.0.0.8, 10.0.0.7', '10.0.0.8'],
    ['10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['10.0.0.1', '203.0.113.9, garbage, 10.0.0.7', '10.0.0.7'],
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['fd00::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['127.0.0.1', '203.0.113.9', '127.0.0.1'],
  ])('from %s with X-Forwarded-For %j is %s', (peer, forwarded, expected) => {
    expect(visitor(peer, { 'x-forwarded-for': forwarded }).address).toBe(expected);
  });

  it('host and scheme of a trusted proxy count, and those of others do not', () => {
    const headers = { host: 'inner:80', 'x-forwarded-host': 'zoo.example, inner', 'x-forwarded-proto': 'HTTPS' };
    expect(visitor('10.0.0.1', headers)).toMatchObject({ host: 'zoo.example', scheme: 'https', isProxied: true });
    expect(visitor('192.0.2.1', headers)).toMatchObject({ host: 'inner:80', scheme: undefined, isProxied: false });
    expect(visitor('10.0.0.1', { host: 'zoo.example' })).toMatchObject({ host: 'zoo.example', isProxied: false });
  });
});

it.each([
  ['203.0.113.9', '203.0.113.9'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:DB8::9', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('requests from %s are counted as %s', (address, key) => {
  expect(countedAs(address)).toBe(key);
});
