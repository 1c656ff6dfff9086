import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { type AddressRanges, isLoopbackAddress, plainAddress } from '../../base/address-ranges.ts';

/** Where a request comes from. */
export interface Visitor {
  /** The address of the client, as far as the connection and trusted proxies tell. */
  address: string;
  /** The address of the other end of the connection. */
  peer: string;
  isPeerTrusted: boolean;
  /** Whether a trusted proxy says that it passes a request on. */
  isProxied: boolean;
  /** Whether a trusted proxy says for whom. */
  isForwarded: boolean;
  /** What a trusted proxy was asked for; what the request says, without one. */
  host: string | undefined;
  /** The scheme with which a trusted proxy was asked, if it tells. */
  scheme: string | undefined;
}

/** Reads where a request comes from. The `X-Forwarded` headers count only if a trusted proxy has sent them. */
export function readVisitor(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  proxies: AddressRanges,
): Visitor {
  const peer = plainAddress(socket.remoteAddress);
  if (!proxies.has(peer)) {
    const nothing = { isPeerTrusted: false, isProxied: false, isForwarded: false, scheme: undefined };
    return { address: peer, peer, host: headers.host, ...nothing };
  }
  const hops = listOf(headers['x-forwarded-for']);
  const host = listOf(headers['x-forwarded-host'])[0];
  const scheme = listOf(headers['x-forwarded-proto'])[0]?.toLowerCase();
  return {
    address: clientAmong(hops, peer, proxies),
    peer,
    isPeerTrusted: true,
    isProxied: hops.length > 0 || host !== undefined || scheme !== undefined,
    isForwarded: hops.length > 0,
    host: host ?? headers.host,
    scheme,
  };
}

/** Returns the last hop that is no trusted proxy: everything before it was written by the client. */
function clientAmong(hops: readonly string[], peer: string, proxies: AddressRanges): string {
  let client = peer;
  for (const hop of hops.toReversed()) {
    const address = plainAddress(hop.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1'));
    if (isIP(address) === 0) break;
    client = address;
    if (!proxies.has(address)) break;
  }
  return client;
}

function listOf(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** Returns the key under which requests from an address are counted. A household or machine has a whole IPv6 /64. */
export function countedAs(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail?.split(':').filter((group) => group !== '') ?? [];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
}

/** Whether the peer is on this machine. */
export function isFromHere({ peer }: Visitor): boolean {
  return isLoopbackAddress(peer);
}
