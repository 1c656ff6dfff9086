import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { Check, Copy, KeyRound, LoaderCircle, RotateCw, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { SessionBody } from '../../src/callers/callers.contract.ts';
import { useSession } from '../api/access-queries.ts';
import { ApiError, request } from '../api/client.ts';
import { noteSignedIn } from '../api/signed-out.ts';
import { BrandMark } from '../ui/brand-mark.tsx';
import { Button } from '../ui/button.tsx';
import { copyText } from '../ui/copy-button.tsx';
import { errorText } from '../ui/error-state.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { useTheme } from '../ui/theme.ts';
import { Toaster } from '../ui/toast.tsx';
import { useTitle } from '../ui/use-title.ts';
import { EmptyEnclosure } from '../ui/zoo-art.tsx';

/** The code of a link that signs this browser in; undefined on any other page. It is in the fragment, which the hub never sees. */
export const signInCode: string | undefined =
  window.location.pathname === '/sign-in' ? window.location.hash.slice(1) : undefined;

/** How often a waiting page checks whether another tab has signed this browser in. */
const lookMs = 2_000;

/** Shown instead of the app in a browser that is not signed in. Uses the code of a link at once. */
export function SignInScreen({ reason }: { reason: string | undefined }) {
  useTitle('Sign in');
  const theme = useTheme();
  const { data: session, error, refetch } = useSession({ everyMs: lookMs });
  const signIn = useCode(session);
  const isSigningIn = signIn.state === 'signing in';
  const client = useQueryClient();
  useEffect(() => {
    if (session) leaveFor(session, { isSigningIn, client });
  }, [session, isSigningIn, client]);
  const unreachable = session ? undefined : error;
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center gap-5 p-4">
      <section
        aria-labelledby="sign-in"
        className="w-full max-w-md rounded-card border border-line bg-surface px-6 pt-7 pb-6 shadow-card sm:px-8"
      >
        <div className="flex items-center justify-between gap-4">
          <span className="flex items-center gap-2.5">
            <BrandMark size={32} />
            <span className="font-display font-semibold text-lg tracking-tight">Agent Zoo</span>
          </span>
          <span aria-hidden className="text-faint [&_svg]:h-auto [&_svg]:w-28">
            <EmptyEnclosure />
          </span>
        </div>
        {isSigningIn && !unreachable ? (
          <div role="status" className="mt-8 mb-4 flex items-center gap-2.5">
            <LoaderCircle aria-hidden className="size-5 animate-spin text-accent" />
            <h1 id="sign-in" className="text-base">
              Signing in…
            </h1>
          </div>
        ) : (
          <>
            <h1 id="sign-in" className="mt-6 font-semibold text-xl">
              {unreachable ? 'The hub cannot answer right now' : titleFor(reason)}
            </h1>
            {signIn.state === 'failed' && (
              <Problem {...(signIn.retry && { onRetry: signIn.retry })}>{signIn.message}</Problem>
            )}
            {unreachable && <Problem onRetry={() => void refetch()}>{errorText(unreachable)}</Problem>}
            {!unreachable && (
              <>
                <p className="mt-3 text-pretty text-muted">
                  Run this command in a terminal on the machine that runs the hub. It opens a link that signs this
                  browser in.
                </p>
                <CommandLine text="zoo open" />
                <p className="mt-3 text-faint text-xs">
                  The link works once. This page continues when you are signed in. For another device, in Docker or over
                  SSH, run <code className="whitespace-nowrap font-mono">zoo open --print</code> and open the link here.
                </p>
              </>
            )}
          </>
        )}
      </section>
      {session?.firstBrowser && !isSigningIn && <FirstBrowser {...session.firstBrowser} />}
      <Toaster theme={theme} />
    </main>
  );
}

function titleFor(reason: string | undefined): string {
  return reason && /signed (?:this browser )?out/.test(reason)
    ? 'This browser was signed out'
    : 'This browser is not signed in';
}

function Problem({ children, onRetry }: { children: ReactNode; onRetry?: () => void }) {
  return (
    <div
      role="alert"
      className="mt-4 flex flex-wrap items-start justify-end gap-2.5 rounded-xl bg-danger-soft px-3.5 py-2.5 text-danger text-sm"
    >
      <p className="flex min-w-0 flex-1 basis-60 gap-2.5">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 text-pretty break-words">{children}</span>
      </p>
      {onRetry && (
        <Button size="sm" icon={<RotateCw aria-hidden />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The whole line is a button that copies the command. */
function CommandLine({ text }: { text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <button
      type="button"
      aria-label={isCopied ? 'Copied' : `Copy the command ${text}`}
      onClick={() => void copyText(text).then(setIsCopied)}
      className="mt-4 flex w-full items-center gap-3 rounded-xl border border-line bg-sunken/60 px-3.5 py-3 text-left font-mono text-sm transition-colors hover:border-line-strong hover:bg-hover [&_svg]:size-4"
    >
      <span aria-hidden className="select-none text-faint">
        $
      </span>
      <span className="flex-1">{text}</span>
      {isCopied ? <Check aria-hidden className="text-accent-text" /> : <Copy aria-hidden className="text-faint" />}
    </button>
  );
}

function FirstBrowser({ browser, createdAt }: NonNullable<SessionBody['firstBrowser']>) {
  return (
    <p className="flex max-w-md items-start gap-2 px-2 text-pretty text-muted text-xs">
      <KeyRound aria-hidden className="mt-px size-3.5 shrink-0 text-faint" />
      <span>
        {browser} opened this installation first, <RelativeTime at={createdAt} />, and needed no link. Not you? Sign in
        with the command, then choose “Sign out everywhere” on the Access page.
      </span>
    </p>
  );
}

type SignIn = { state: 'none' | 'signing in' } | { state: 'failed'; message: string; retry: (() => void) | undefined };

/** Signs in with the code of the link, then opens the app. */
function useCode(session: SessionBody | undefined): SignIn {
  const [signIn, setSignIn] = useState<SignIn>({ state: signInCode ? 'signing in' : 'none' });
  const isUsed = useRef(false);
  const isHere = session !== undefined && isCanonical(session);
  useEffect(() => {
    if (!signInCode || !isHere || isUsed.current) return;
    isUsed.current = true;
    const use = () => {
      setSignIn({ state: 'signing in' });
      request('POST /api/session', { body: { code: signInCode ?? '' } }).then(openApp, (error: unknown) => {
        // A link that was not used yet still works.
        const canRetry = !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
        setSignIn({ state: 'failed', message: errorText(error), retry: canRetry ? use : undefined });
      });
    };
    // The code works only once, and should not stay in the history.
    window.history.replaceState(null, '', '/sign-in');
    use();
  }, [isHere]);
  return signIn;
}

/** Opens the address where the browser is signed in, or can sign in. */
function leaveFor(session: SessionBody, { isSigningIn, client }: { isSigningIn: boolean; client: QueryClient }): void {
  const { pathname, search, hash } = window.location;
  if (!isCanonical(session)) window.location.replace(`${session.url}${pathname}${search}${hash}`);
  else if (isSigningIn || session.caller.kind !== 'owner') return;
  else if (signInCode !== undefined) openApp();
  else {
    // The app returns to where it was; what it had loaded was refused or is out of date.
    client.clear();
    noteSignedIn();
  }
}

/** The cookie belongs to one name of this machine, and people type another: localhost instead of 127.0.0.1. */
function isCanonical({ url }: SessionBody): boolean {
  const { hostname, port } = new URL(url);
  // Another port means a tunnel, and the hub's own address leads nowhere.
  return hostname === window.location.hostname || port !== window.location.port;
}

function openApp(): void {
  window.location.replace('/');
}
