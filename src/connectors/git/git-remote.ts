import { guardedFetch } from '../../base/guarded-fetch.ts';
import { HubError } from '../../base/hub-error.ts';
import { type AddressRules, allowHosts, checkedAddresses, hostOf } from '../../base/public-addresses.ts';
import { type GitCall, GitFailure, runGit } from './git-process.ts';
import { decoded, type GitAddress, hostAndPath } from './git-url.ts';

/** The remote that git may connect to, once its address is checked. */
export interface GitRemote {
  /** The URL for git, with credentials. */
  url: string;
  /** Settings for git that keep it at the checked addresses. */
  config: readonly string[];
}

export interface RemoteRules extends Pick<AddressRules, 'lookup'> {
  address: GitAddress;
  /** Private hosts that the source may reach. */
  allowHosts: readonly string[];
}

const maxRedirects = 5;
const redirectMs = 30_000;

/**
 * Checks the host of a repository, and calls `ask` with where git may connect. Git follows no redirects: they are followed here, and
 * every host is checked. Throws PERMISSION_DENIED for a private host that is not allowed, UNAVAILABLE, and the errors of `ask`.
 */
export async function askRemote<T>(
  rules: RemoteRules,
  call: GitCall,
  ask: (remote: GitRemote) => Promise<T>,
): Promise<{ remote: GitRemote; answer: T }> {
  const { url } = rules.address;
  const remote = await checkRemote(url, rules, call);
  try {
    return { remote, answer: await ask(remote) };
  } catch (error) {
    if (!isRedirect(error) || !/^https?:/i.test(url)) throw error;
    const target = await checkRemote(await followRedirects(url, rules, call), rules, call);
    return { remote: target, answer: await ask(target) };
  }
}

function isRedirect(error: unknown): boolean {
  return error instanceof GitFailure && /returned error: 30[1278]/.test(error.stderr);
}

async function checkRemote(url: string, rules: RemoteRules, call: GitCall): Promise<GitRemote> {
  const remote = hostAndPath(url);
  // A path on this machine.
  if (!remote) return { url, config: [] };
  const { host, port, protocol } = remote;
  const isHttp = protocol === 'http' || protocol === 'https';
  const defaultPort = protocol === 'http' ? '80' : protocol === 'https' ? '443' : '22';
  // A web address is normalized, and ssh takes odd spellings of an address too.
  const target = URL.parse(`${protocol === 'https' ? 'https' : 'http'}://${host}:${port || defaultPort}`);
  if (!target) throw new HubError('INVALID_ARGUMENTS', `"${host.slice(0, 100)}" is not the name of a host.`);
  const addresses = await checkedAddresses(target, { ...addressRules(rules), signal: call.signal }).catch(
    async (error: unknown) => {
      const isUnknown = error instanceof HubError && error.code === 'UNAVAILABLE';
      // The name may be an alias in the user's ssh settings, or only the user's proxy may know it.
      if (isUnknown && (!isHttp || (await usesProxy(url, call)))) return [];
      throw error;
    },
  );
  if (!isHttp) return { url, config: [] };
  const pinned = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address)).join(',');
  const names = addresses.length === 0 ? [] : new Set([hostOf(target), target.hostname]);
  return {
    // Git would find another host in `https://one\\@other/`.
    url: new URL(url).href,
    config: [...names].map((name) => `http.curloptResolve=${name}:${port || defaultPort}:${pinned}`),
  };
}

function addressRules(rules: RemoteRules): Pick<AddressRules, 'allows' | 'refuse' | 'lookup'> {
  return {
    allows: allowHosts(rules.allowHosts),
    refuse: ({ host, what }) =>
      new HubError(
        'PERMISSION_DENIED',
        `${what}, which the repository ${rules.address.shown} may not use. To allow it, add allow_hosts = ["${host}"] to the section of the source.`,
      ),
    lookup: rules.lookup,
  };
}

async function usesProxy(url: string, call: GitCall): Promise<boolean> {
  const names = ['http_proxy', 'https_proxy', 'all_proxy'];
  if (names.some((name) => process.env[name] || process.env[name.toUpperCase()])) return true;
  return runGit(['config', '--get-urlmatch', 'http.proxy', url], call).then(
    (proxy) => proxy.trim() !== '',
    () => false,
  );
}

/** Returns where a repository has moved to. Its credentials stay with the first origin. */
async function followRedirects(url: string, rules: RemoteRules, { signal }: GitCall): Promise<string> {
  const from = new URL(url);
  const { username, password } = from;
  const credentials = `${decoded(username)}:${decoded(password)}`;
  const asked = new URL(from);
  asked.username = '';
  asked.password = '';
  asked.pathname = `${from.pathname.replace(/\/+$/, '')}/info/refs`;
  asked.search = '?service=git-upload-pack';
  const reply = await guardedFetch(
    {
      url: asked,
      method: 'GET',
      headers: {
        'git-protocol': 'version=2',
        ...((username || password) && { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
      },
    },
    { ...addressRules(rules), signal, maxRedirects, maxBytes: 0, timeoutMs: redirectMs, wantsBody: () => false },
  );
  const target = new URL(reply.url);
  if (!target.pathname.endsWith('/info/refs')) {
    const message = `The repository ${rules.address.shown} redirects to ${target.origin}${target.pathname}, which is not a repository. Set url to its new address.`;
    throw new HubError('UNAVAILABLE', message, { details: { retryable: false } });
  }
  target.pathname = target.pathname.replace(/\/info\/refs$/, '');
  target.search = '';
  if (target.origin === from.origin) Object.assign(target, { username, password });
  return target.href;
}
