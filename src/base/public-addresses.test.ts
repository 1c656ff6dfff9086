import { expect, it } from 'vitest';
import { HubError } from './hub-error.ts';
import { allowHosts, checkedAddresses, isPublicAddress } from './public-addresses.ts';

it.each(['93.184.215.14', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

it.each([
  ['nothing', ['', 'localhost', 'example.com']],
  ['loopback', ['127.0.0.1', '127.9.9.9', '::1', '0.0.0.0', '::']],
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00::1', 'fec0::1']],
  ['link-local and metadata', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254', '192.0.0.192']],
  ['shared (CGNAT)', ['100.64.0.1', '100.100.100.200', '100.127.255.255']],
  ['multicast and broadcast', ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1']],
  ['an IPv4 address in an IPv6 one', ['::ffff:1.1.1.1', '::ffff:7f00:1', '::1.2.3.4', '::7f00:1']],
  ['NAT64, 6to4 and Teredo', ['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::', '2001::1']],
  ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
])('%s is not public', (_kind, addresses) => {
  expect(addresses.filter(isPublicAddress)).toEqual([]);
});

it.each([
  ['http://127.1/', '127.0.0.1'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://0x7f.0.0.1/', '127.0.0.1'],
  ['http://0177.0.0.1/', '127.0.0.1'],
  ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
  ['http://[0:0:0:0:0:0:0:1]/', '::1'],
  ['http://LOCALHOST./', 'localhost'],
])('%s is refused, however it is written', async (address, host) => {
  await expect(check(address, { addresses: ['127.0.0.1'] })).rejects.toMatchObject({
    code: 'PERMISSION_DENIED',
    message: expect.stringContaining(`"${host}"`),
  });
});

it('one private address among several is enough to refuse a name', async () => {
  await expect(check('http://mixed.example/', { addresses: ['93.184.215.14', 'fd00::1'] })).rejects.toThrow(
    '"mixed.example" resolves to fd00::1, a private or reserved address',
  );
});

it('an allowed name may be private, and an allowed port is that port only', async () => {
  const inner = { addresses: ['10.0.0.5'] };
  expect(await check('http://git.corp.example/', { ...inner, allowed: ['*.corp.example'] })).toHaveLength(1);
  expect(await check('https://git.corp.example/', { ...inner, allowed: ['10.0.0.5:443'] })).toHaveLength(1);
  await expect(check('http://git.corp.example/', { ...inner, allowed: ['10.0.0.5:443'] })).rejects.toThrow('10.0.0.5');
});

function check(address: string, { addresses, allowed = [] }: { addresses: string[]; allowed?: string[] }) {
  return checkedAddresses(new URL(address), {
    allows: allowHosts(allowed),
    refuse: ({ what }) => new HubError('PERMISSION_DENIED', what),
    signal: new AbortController().signal,
    lookup: async () => addresses.map((each) => ({ address: each, family: each.includes(':') ? 6 : 4 })),
  });
}
