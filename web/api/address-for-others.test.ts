import { expect, it } from 'vitest';
import { addressForOthers } from './address-for-others.ts';

it.each([
  ['https://zoo.example', 'http://127.0.0.1:7331', 'https://zoo.example'],
  ['https://zoo.example', 'https://zoo.example', 'https://zoo.example'],
  ['http://127.0.0.1:7331', 'http://localhost:9000', 'http://localhost:9000'],
  ['http://localhost:7331', 'http://my-machine:9000', 'http://my-machine:9000'],
  ['http://[::1]:7331', 'http://127.0.0.1:9000', 'http://127.0.0.1:9000'],
  [undefined, 'http://127.0.0.1:7331', 'http://127.0.0.1:7331'],
])('of a hub at %s, opened at %s, is %s', (hubUrl, origin, address) => {
  expect(addressForOthers(hubUrl, origin)).toBe(address);
});
