import { expect, it } from 'vitest';
import { Config } from './config.ts';
import { drainSeconds } from './drain-seconds.ts';

const behindProxy = { public_url: 'https://zoo.example', trusted_proxies: ['127.0.0.1'] };

it.each<[string, Record<string, unknown>, string, number]>([
  ['on loopback, nobody waits', {}, '127.0.0.1', 0],
  ['behind a proxy on this machine', behindProxy, 'localhost', 5],
  ['beyond loopback', {}, '0.0.0.0', 5],
  ['as the config says', { drain_seconds: 12, ...behindProxy }, '::1', 12],
  ['never, if the config says so', { drain_seconds: 0 }, '10.0.0.1', 0],
])('a hub that was told to stop still serves: %s', (_when, server, host, seconds) => {
  expect(drainSeconds(Config.parse({ server }).server, host)).toBe(seconds);
});
