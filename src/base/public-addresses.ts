import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { matchesGlob } from './glob.ts';
import { HubError } from './hub-error.ts';

export interface Address {
  address: string;
  family: 4 | 6;
}

export interface AddressRules {
  /** Tells whether a host or address may be private, because the user has named it. */
  allows(host: string, port: string): boolean;
  /** Creates the error for a host that is or resolves to a private address. */
  refuse(found: PrivateHost): HubError;
  signal: AbortSignal;
  /** Default: the system's resolver. */
  lookup?: ((host: string, options: { all: true }) => Promise<{ address: string; family: number }[]>) | undefined;
}

interface PrivateHost {
  host: string;
  address: string;
  /** The beginning of a sentence: `"x" resolves to 10.0.0.1, a private or reserved address`. */
  what: string;
}

/**
 * Resolves the host of a URL. Returns its addresses if all of them are public or allowed. A single private address rejects the
 * host, so that mixed DNS answers cannot get through. Throws the error of `refuse`, and UNAVAILABLE.
 */
export async function checkedAddresses(url: URL, rules: AddressRules): Promise<Address[]> {
  const host = hostOf(url);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const addresses = await resolveName(host, rules);
  if (rules.allows(host, port)) return addresses;
  const found = addresses.find(({ address }) => !isPublicAddress(address) && !rules.allows(address, port));
  if (!found) return addresses;
  const { address } = found;
  const what = `${address === host ? `"${host}" is` : `"${host}" resolves to ${address},`} a private or reserved address`;
  throw rules.refuse({ host, address, what });
}

/** Returns the host as names and addresses are compared: without brackets, final dot and capitals. */
export function hostOf({ hostname }: URL): string {
  return hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Returns a rule for a list such as `allow_hosts`: `localhost`, `10.0.0.5:8080`, `[::1]:80`, `*.corp.example`. */
export function allowHosts(allowed: readonly string[]): AddressRules['allows'] {
  return (host, port) => allowed.some((entry) => matchesEntry(entry, host, port));
}

/**
 * Tells whether an address is public. Loopback, private, shared (CGNAT), link-local, metadata and multicast addresses are not, nor is
 * an IPv6 address that contains an IPv4 address. Unknown ranges count as not public.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special4.check(address);
  if (family === 6) return global6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
  return false;
}

const special4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);
/** Everything outside is loopback, mapped IPv4, unique local, link-local, multicast or unassigned. */
const global6 = subnets('ipv6', ['2000::/3']);
/** Tunnels that embed an arbitrary IPv4 address, and documentation ranges. */
const special6 = subnets('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

function subnets(type: 'ipv4' | 'ipv6', list: readonly string[]): BlockList {
  const blocks = new BlockList();
  for (const each of list) {
    const [network = '', prefix] = each.split('/');
    blocks.addSubnet(network, Number(prefix), type);
  }
  return blocks;
}

async function resolveName(
  host: string,
  { signal, lookup = systemLookup }: Pick<AddressRules, 'signal' | 'lookup'>,
): Promise<Address[]> {
  const family = isIP(host);
  if (family === 4 || family === 6) return [{ address: host, family }];
  // RFC 6761: names below localhost are this machine, whether or not the resolver knows them.
  const name = host.endsWith('.localhost') ? 'localhost' : host;
  signal.throwIfAborted();
  // A look-up cannot be cancelled, but waiting for it can.
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    const found = await Promise.race([lookup(name, { all: true }), aborted.promise]);
    return found.map(({ address, family: kind }) => ({ address, family: kind === 6 ? 6 : 4 }));
  } catch (error) {
    if (signal.aborted) throw error;
    throw new HubError('UNAVAILABLE', `The host "${host}" could not be resolved.`, { cause: error });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function matchesEntry(allowed: string, host: string, port: string): boolean {
  const entry = allowed.trim().toLowerCase();
  // `10.*` matches only addresses: anybody can own a name such as 10.attacker.example.
  if (isIP(host) === 0 && /^\d[\d.*]*(?::[\d*]+)?$/.test(entry)) return false;
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return matchesGlob(entry, host) || matchesGlob(entry, bracketed) || matchesGlob(entry, `${bracketed}:${port}`);
}
