import { resolve } from 'node:path';
import { HubError } from '../../base/hub-error.ts';
import { isSecretSetting } from '../../base/secret-names.ts';

export interface GitAddress {
  /** The URL for git, with credentials. */
  url: string;
  /** The URL for users and files, without credentials. */
  shown: string;
  /** Removes the credentials of the URL from a text. */
  clean(text: string): string;
}

/** `user@host:path` without a scheme. A drive letter is a path. */
const shortSsh = /^(?:([^@/\s]+)@)?([^:/\s]{2,}):(?!\/\/)(.*)$/;
const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Protocols that git clones over. Others run commands, cannot be checked, or have no encryption and no redirect rules. */
const protocols = ['http', 'https', 'ssh'];

/** Parses a URL or path. Throws INVALID_ARGUMENTS for text that git would take as an option or a command, and for other protocols. */
export function parseGitUrl(url: string): GitAddress {
  const trimmed = url.trim();
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed) ?? [];
  const isKnown = scheme === undefined || (protocols.includes(scheme.toLowerCase()) && URL.canParse(trimmed));
  if (trimmed === '' || /^-|^[a-z0-9+.-]+::|\p{Cc}/iu.test(trimmed) || !isKnown || hasOptionAsHost(trimmed)) {
    const better = scheme?.toLowerCase() === 'file' ? ' For a folder on this machine, give its path.' : '';
    throw new HubError(
      'INVALID_ARGUMENTS',
      `Git cannot clone this url. Use https://…, http://…, ssh://…, user@host:path or a path.${better}`,
    );
  }
  const isPath = !hasScheme.test(trimmed) && !shortSsh.test(trimmed);
  const secrets = secretsOf(trimmed);
  const clean = (text: string) => cleanText(text, secrets);
  return { url: isPath ? resolve(trimmed) : trimmed, shown: isPath ? resolve(trimmed) : clean(trimmed), clean };
}

/** ssh would take `-oProxyCommand=…` as an option. */
function hasOptionAsHost(url: string): boolean {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? /^([^:/]*):/.exec(url)?.[1] ?? '';
  return authority.split('@').some((part) => part.startsWith('-'));
}

/** Returns a function that links to a file's web page. Undefined for unknown hosts. */
export function webLink(address: GitAddress): ((branch: string, path: string) => string) | undefined {
  const remote = hostAndPath(address.url);
  if (!remote) return undefined;
  const { host, path } = remote;
  const home = `https://${host}/${path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')}`;
  const part = filePathPrefix(host);
  if (part === undefined) return undefined;
  return (branch, file) => `${home}/${part}/${encodePath(branch)}/${encodePath(file)}`;
}

function filePathPrefix(host: string): string | undefined {
  if (/^(www\.)?github\./.test(host)) return 'blob';
  if (/^gitlab\./.test(host)) return '-/blob';
  return host === 'bitbucket.org' ? 'src' : undefined;
}

interface RemotePlace {
  protocol: string;
  host: string;
  /** Empty for the default port. */
  port: string;
  path: string;
}

/** Returns the parts of a URL, or undefined for a path on this machine. */
export function hostAndPath(url: string): RemotePlace | undefined {
  if (hasScheme.test(url)) {
    const { protocol, hostname, port, pathname } = new URL(url);
    return { protocol: protocol.slice(0, -1), host: hostname, port, path: decoded(pathname) };
  }
  const [, , host, path] = shortSsh.exec(url) ?? [];
  return host && path ? { protocol: 'ssh', host, port: '', path } : undefined;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** An ssh user name is not secret. Over http it may be a token. */
function secretsOf(url: string): string[] {
  const userInfo = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)@/i.exec(url);
  if (!userInfo) return [];
  const [, scheme = '', info = ''] = userInfo;
  const [user = '', ...rest] = info.split(':');
  const password = rest.join(':');
  const parts = /ssh/i.test(scheme) ? [password] : [info, password, user];
  return [...new Set(parts.flatMap((part) => [part, decoded(part)]))]
    .filter((part) => part !== '')
    .sort((a, b) => b.length - a.length);
}

/** Decodes %-escapes; returns broken ones as they are. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function cleanText(text: string, secrets: readonly string[]): string {
  const withoutInfo = text
    .replace(/\b(https?|git|ftps?):\/\/[^/\s@'"]*@/gi, '$1://')
    .replace(/\b(ssh):\/\/([^/\s@:'"]*):[^/\s@'"]*@/gi, '$1://$2@')
    .replace(/([?&])([^=&\s]+)=[^&\s'"]+/g, (whole, sign, name) =>
      isSecretSetting(name) ? `${sign}${name}=***` : whole,
    );
  // Masking a short user name such as "me" would garble the text, and it is not a token.
  return secrets
    .filter((secret) => secret.length >= 6)
    .reduce((clean, secret) => clean.replaceAll(secret, '***'), withoutInfo);
}
