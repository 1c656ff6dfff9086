import type { BrowserContext } from '@playwright/test';
import type { Hub } from '../src/index.ts';

interface SignedIn {
  hub: Pick<Hub, 'callers'>;
  url: string;
}

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36';
const cookies = new WeakMap<Hub['callers'], Promise<string>>();

/** Signs a browser in as a link does, without opening a page. All browsers of a hub share one session. */
export async function signIn(context: BrowserContext, { hub: { callers }, url }: SignedIn): Promise<void> {
  const cookie = cookies.get(callers) ?? newCookie(callers);
  cookies.set(callers, cookie);
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(await cookie) ?? [];
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
}

async function newCookie(callers: Hub['callers']): Promise<string> {
  return callers.signIn(await callers.createCode(), { headers: { 'user-agent': userAgent } });
}
