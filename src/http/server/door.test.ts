import { Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMcpHub } from '../../../test/support/hubs/mcp-hub.ts';
import type { Hub } from '../../hub.ts';
import { Door } from './door.ts';
import { SecureResponse } from './security-headers.ts';

let hub: Hub;
let server: ReturnType<Door<Hub>['createServer']>;
let close: () => void;

beforeAll(async () => {
  hub = await openMcpHub();
  const limits = { caller: 0, address: 0, failure: 0 };
  const settings = { publicUrl: 'https://zoo.example', trustedProxies: ['10.0.0.0/8'], limits };
  const door = await Door.open(hub, '127.0.0.1', settings);
  server = door.createServer({ ServerResponse: SecureResponse }, () => {});
  close = () => door.close();
});

afterAll(async () => {
  close();
  await hub.close();
});

/** Connects from an address. Returns the server's end of the connection. */
function connectFrom(remoteAddress: string): Socket {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
  server.emit('connection', socket);
  return socket;
}

function connectOften(address: string): Socket[] {
  return Array.from({ length: 501 }, () => connectFrom(address));
}

const open = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed);

it('an address has a limited number of connections, and others are not affected', async () => {
  const sockets = connectOften('203.0.113.9');
  expect(open(sockets)).toHaveLength(500);
  expect(connectFrom('::ffff:203.0.113.9').destroyed).toBe(true);
  expect(connectFrom('203.0.113.10').destroyed).toBe(false);
  const [first] = sockets;
  await new Promise((resolve) => first?.once('close', resolve).destroy());
  expect(connectFrom('203.0.113.9').destroyed).toBe(false);
  expect(connectFrom('203.0.113.9').destroyed).toBe(true);
});

it.each(['127.0.0.1', '::1', '10.1.2.3'])('%s, which is this machine or a proxy, has no limit', (address) => {
  expect(open(connectOften(address))).toHaveLength(501);
});

it('an address of IPv6 is a whole network', () => {
  expect(open(connectOften('2001:db8:1:2::1'))).toHaveLength(500);
  expect(connectFrom('2001:db8:1:2:3::9').destroyed).toBe(true);
});

it('the headers of a request have less time than Node gives them', () => {
  expect(server.headersTimeout).toBe(20_000);
});
