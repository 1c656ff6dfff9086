import { expect, it } from 'vitest';
import { fitsFormat, isKnownFormat } from './schema-formats.ts';

it.each<[format: string, good: string[], bad: string[]]>([
  [
    'date-time',
    ['2026-11-17T09:30:00Z', '2026-11-17t09:30:00.25+05:30', '1998-12-31T23:59:60Z', '1998-12-31T15:59:60-08:00'],
    [
      '2026-11-17',
      '2026-11-17T09:30:00',
      '2026-02-30T00:00:00Z',
      '2026-11-17T24:00:00Z',
      '1998-12-31T22:59:60Z',
      '2026-11-17 09:30:00Z',
    ],
  ],
  [
    'date',
    ['2024-02-29', '2026-11-17'],
    ['2023-02-29', '1900-02-29', '2026-13-01', '26-01-01', '2026-1-1', '２026-01-01'],
  ],
  ['time', ['09:30:00Z', '09:30:00.5-01:00'], ['09:30:00', '25:00:00Z', '09:30Z']],
  ['duration', ['P3D', 'PT1H30M', 'P1Y2M3DT4H5M6S', 'P2W'], ['P', 'PT', 'P1D2H', '3D', 'P1W2D', 'PT1D', 'P1']],
  [
    'email',
    ['joe@example.com', 'a.b+c@example.com', '"joe bloggs"@example.com', 'joe@[127.0.0.1]', 'joe@[IPv6:::1]'],
    ['joe', '@example.com', 'a..b@example.com', '.a@example.com', 'joe@-example.com', 'joe@[127.0.0.300]', 'a@b@c'],
  ],
  ['hostname', ['example.com', 'a', 'a-b.c'], ['', '-a.com', 'a..b', 'a_b', `${'a'.repeat(64)}.com`, 'a.']],
  ['ipv4', ['127.0.0.1'], ['127.0.0', '256.0.0.1', '01.2.3.4', '1.2.3.4/24']],
  [
    'ipv6',
    ['::1', '::', '1:2:3:4:5:6:7:8', '1::8', '::ffff:192.168.0.1'],
    ['1:2:3:4:5:6:7', '1::2::3', '12345::', '::1%eth0', '1:2:3:4:5:6:7::8:9', '::192.168.0.1:1'],
  ],
  [
    'uri',
    ['https://example.com/a?b=c#d', 'urn:isbn:1', 'mailto:a@b.c', 'http://[::1]:80/', 'http://a:b@c.d/%20'],
    ['//example.com/', '/a', 'a b', 'http://a b', 'http://[::1', 'http://a/%2', 'http://a:x/', '1http://a'],
  ],
  ['uri-reference', ['/a/b', '?q', '#x', '../a', '', 'http://a'], ['\\a', 'a b', '#a#b']],
  [
    'uuid',
    ['0b9f6c1e-8d7a-4c7b-9f6e-2f1d3c5b7a90'],
    ['0b9f6c1e8d7a4c7b9f6e2f1d3c5b7a90', '0b9f6c1e-8d7a-4c7b-9f6e-2f1d3c5b7a9g'],
  ],
  ['json-pointer', ['', '/a/0', '/~0~1'], ['a', '/~2', '#/a']],
  ['relative-json-pointer', ['0', '1/a', '2#'], ['-1', '01', '/a', '1#/a']],
  ['regex', ['^a+$'], ['a(', '[']],
])('the format %s', (format, good, bad) => {
  expect(good.filter((text) => !fitsFormat(format, text))).toEqual([]);
  expect(bad.filter((text) => fitsFormat(format, text))).toEqual([]);
});

it('unknown formats are only descriptions', () => {
  for (const format of ['constructor', 'iri', 'password', '']) expect(isKnownFormat(format)).toBe(false);
});
