/** The formats that are checked, each in linear time. All other formats are only descriptions. */
const formats: Record<string, { fits: (text: string) => boolean; words: string }> = {
  'date-time': { fits: isDateTime, words: 'a date and time with a time zone, such as 2026-11-17T09:30:00Z' },
  date: { fits: isDate, words: 'a date such as 2026-11-17' },
  time: { fits: isTime, words: 'a time with a time zone, such as 09:30:00Z' },
  duration: { fits: isDuration, words: 'a duration such as P3D or PT1H30M' },
  email: { fits: isEmail, words: 'an email address' },
  hostname: { fits: isHostname, words: 'a host name' },
  ipv4: { fits: isIpv4, words: 'an IPv4 address' },
  ipv6: { fits: isIpv6, words: 'an IPv6 address' },
  uri: { fits: isUri, words: 'a URI with its scheme, such as https://example.com/' },
  'uri-reference': { fits: (text) => isUri(text) || isRelative(text), words: 'a URI or a relative reference' },
  uuid: {
    fits: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
    words: 'a UUID such as 0b9f6c1e-8d7a-4c7b-9f6e-2f1d3c5b7a90',
  },
  'json-pointer': { fits: isPointer, words: 'a JSON pointer such as /a/0' },
  'relative-json-pointer': { fits: isRelativePointer, words: 'a relative JSON pointer such as 1/a' },
  regex: { fits: isRegex, words: 'a regular expression' },
};

export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(formats, format);
}

export function fitsFormat(format: string, text: string): boolean {
  return formats[format]?.fits(text) ?? true;
}

export function describeFormat(format: string): string {
  return formats[format]?.words ?? '';
}

function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isDate(text: string): boolean {
  const [found, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (found === undefined || Number(month) < 1 || Number(month) > 12) return false;
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0;
  return Number(day) >= 1 && Number(day) <= days;
}

function isTime(text: string): boolean {
  const found = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/.exec(text);
  if (!found) return false;
  const [hour, minute, second, , zoneHour, zoneMinute] = found.slice(1).map((part) => Number(part ?? 0));
  if (hour === undefined || minute === undefined || second === undefined) return false;
  if (hour > 23 || minute > 59 || second > 60 || (zoneHour ?? 0) > 23 || (zoneMinute ?? 0) > 59) return false;
  if (second < 60) return true;
  // A leap second is the last second of a day in UTC.
  const offset = ((zoneHour ?? 0) * 60 + (zoneMinute ?? 0)) * (found[4] === '-' ? -1 : 1);
  return (hour * 60 + minute - offset + 2 * 1_440) % 1_440 === 1_439;
}

function isDuration(text: string): boolean {
  return /^P(?:\d+W|(?=[^T]|T\d)(?:\d+Y(?:\d+M(?:\d+D)?)?|\d+M(?:\d+D)?|\d+D)?(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?)$/.test(
    text,
  );
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  if (at < 1 || local.length > 64) return false;
  const isPlain = /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local);
  if (!isPlain && !/^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u.test(local)) return false;
  const [, address] = /^\[(.*)\]$/.exec(domain) ?? [];
  if (address === undefined) return isHostname(domain);
  return address.startsWith('IPv6:') ? isIpv6(address.slice(5)) : isIpv4(address);
}

function isHostname(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
}

function isIpv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const hasIpv4 = last.includes('.') && text.endsWith(last);
  if (hasIpv4 && !isIpv4(last)) return false;
  const short = hasIpv4 ? groups.slice(0, -1) : groups;
  const count = short.length + (hasIpv4 ? 2 : 0);
  return short.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count < 8 : count === 8);
}

const inPath = /^(?:[\w.~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*$/i;
const inQuery = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;
const inName = /^(?:[\w.~!$&'()*+,;=:-]|%[0-9a-f]{2})*$/i;

function isUri(text: string): boolean {
  const [scheme] = /^[a-z][a-z0-9+.-]*:/i.exec(text) ?? [];
  return scheme !== undefined && isAfterScheme(text.slice(scheme.length));
}

function isRelative(text: string): boolean {
  // A colon in the first segment would make it a scheme.
  return isAfterScheme(text) && !/^[^/?#]*:/.test(text);
}

function isAfterScheme(text: string): boolean {
  const hash = text.indexOf('#');
  const beforeHash = hash === -1 ? text : text.slice(0, hash);
  if (hash !== -1 && !inQuery.test(text.slice(hash + 1))) return false;
  const mark = beforeHash.indexOf('?');
  if (mark !== -1 && !inQuery.test(beforeHash.slice(mark + 1))) return false;
  const path = mark === -1 ? beforeHash : beforeHash.slice(0, mark);
  if (!path.startsWith('//')) return inPath.test(path);
  const slash = path.indexOf('/', 2);
  return (
    isAuthority(path.slice(2, slash === -1 ? undefined : slash)) && inPath.test(slash === -1 ? '' : path.slice(slash))
  );
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at !== -1 && !inName.test(text.slice(0, at))) return false;
  const host = text.slice(at + 1);
  const [, address] = /^\[([^\]]*)\](?::\d*)?$/.exec(host) ?? [];
  if (address !== undefined) return isIpv6(address) || /^v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+$/i.test(address);
  return /^[^:]*(?::\d*)?$/.test(host) && inName.test(host);
}

function isPointer(text: string): boolean {
  return text === '' || /^(?:\/(?:[^~/]|~[01])*)+$/.test(text);
}

function isRelativePointer(text: string): boolean {
  const [found] = /^(?:0|[1-9][0-9]*)(?:#$)?/.exec(text) ?? [];
  return found !== undefined && isPointer(text.slice(found.length));
}

function isRegex(text: string): boolean {
  try {
    new RegExp(text, 'u');
    return true;
  } catch {
    return false;
  }
}
