import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { request } from '../api/client.ts';
import { CopyLine } from '../ui/copy-line.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { useTitle } from '../ui/use-title.ts';

/** The code of a link that signs this browser in; undefined on any other page. It is in the fragment, which the hub never sees. */
export const signInCode: string | undefined =
  window.location.pathname === '/sign-in' ? window.location.hash.slice(1) : undefined;

/** Shown instead of the app in a browser that is not signed in. Uses the code of a link at once. */
export function SignInScreen() {
  useTitle('Sign in');
  const failure = useCode();
  const { data } = useQuery({
    queryKey: ['session'],
    queryFn: ({ signal }) => request('GET /api/session', { signal }),
  });
  useEffect(() => leaveOtherName(data?.url), [data?.url]);
  if (signInCode && failure === undefined) return <p className="p-8 text-muted text-sm">Signing in…</p>;
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-4 p-6">
      <KeyRound aria-hidden className="size-8 text-accent" />
      <h1 className="font-semibold text-xl">This browser is not signed in</h1>
      {failure !== undefined && (
        <p role="alert" className="text-danger text-sm">
          {failure}
        </p>
      )}
      <p className="text-sm">
        Run this command in a terminal on the machine of the hub. It opens a link that signs this browser in.
      </p>
      <CopyLine label="Command" what="command" text="zoo open" />
      {data?.firstBrowser && (
        <p className="text-muted text-xs">
          {data.firstBrowser.browser} opened this installation first, <RelativeTime at={data.firstBrowser.createdAt} />.
          Not you? Sign in with the command, then choose “Sign out everywhere” on the Access page.
        </p>
      )}
    </main>
  );
}

/** Signs in with the code of the link, then opens the app. Returns why it failed. */
function useCode(): string | undefined {
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    if (!signInCode) return;
    // The code works only once, and should not stay in the history.
    window.history.replaceState(null, '', '/sign-in');
    request('POST /api/session', { body: { code: signInCode } }).then(
      () => window.location.replace('/'),
      (error: Error) => setFailure(error.message),
    );
  }, []);
  return failure;
}

/** The cookie belongs to one name of this machine, and people type another: localhost instead of 127.0.0.1. */
function leaveOtherName(url: string | undefined): void {
  if (url === undefined || signInCode) return;
  const { host } = new URL(url);
  const { pathname, search } = window.location;
  if (host !== window.location.host) window.location.replace(`${url}${pathname}${search}`);
}
