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

/** Parses a URL or path. Throws INVALID_ARGUMENTS for text that git would take as an option or a command. */
export function parseGitUrl(url: string): GitAddress {
  const trimmed = url.trim();
  if (trimmed === '' || /^-|^[a-z0-9+.-]+::|\p{Cc}/iu.test(trimmed)) {
    throw new HubError(
      'INVALID_ARGUMENTS',
      'Git cannot clone this url. Use https://…, ssh://…, user@host:path, file://… or a path.',
    );
  }
  const isPath = !hasScheme.test(trimmed) && !shortSsh.test(trimmed);
  const secrets = secretsOf(trimmed);
  const clean = (text: string) => cleanText(text, secrets);
  return { url: isPath ? resolve(trimmed) : trimmed, shown: isPath ? resolve(trimmed) : clean(trimmed), clean };
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

function hostAndPath(url: string): { host: string; path: string } | undefined {
  if (hasScheme.test(url)) {
    const { protocol, hostname, pathname } = new URL(url);
    return protocol === 'file:' ? undefined : { host: hostname, path: decodeURIComponent(pathname) };
  }
  const [, , host, path] = shortSsh.exec(url) ?? [];
  return host && path ? { host, path } : undefined;
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

function decoded(text: string): string {
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
