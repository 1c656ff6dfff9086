import { BlockList, isIP } from 'node:net';

/** A set of IP addresses and ranges, such as `10.0.0.5`, `10.0.0.0/8` and `fd00::/8`. */
export class AddressRanges {
  readonly #list = new BlockList();
  readonly isEmpty: boolean;

  /** Every entry satisfies `isAddressRange`. */
  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      const [address = '', prefix] = entry.split('/');
      if (prefix === undefined) this.#list.addAddress(address, family(address));
      else this.#list.addSubnet(address, Number(prefix), family(address));
    }
    this.isEmpty = entries.length === 0;
  }

  /** Whether the set contains an address, as `plainAddress` returns it. */
  has(address: string): boolean {
    return !this.isEmpty && isIP(address) !== 0 && this.#list.check(address, family(address));
  }
}

/** Whether a text is an IP address or a range in CIDR notation. */
export function isAddressRange(text: string): boolean {
  const [, address = '', prefix] = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(prefix ?? 0) <= (version === 4 ? 32 : 128);
}

/** Returns an address as it is compared: IPv4 inside IPv6 as IPv4, and without a zone. Empty if there is none. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address);
}

/** Whether a name that a server binds to is reachable only from this machine. */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === 'localhost' || isLoopbackAddress(host);
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
