import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HubError, toHubError } from '../base/hub-error.ts';
import type { ConfigOption } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import { openBrowser } from '../cli/terminal/open-browser.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import type { ExternalServers } from './external-servers.ts';
import { printServer, withServers } from './servers.cli.ts';
import type { ServerInfo } from './servers.ts';

type Options = ConfigOption & { json?: boolean };

const maxMinutes = 10;

/** `zoo mcp-server sign-in`: prints the URL to sign in at, and waits on its own port until the browser returns. */
export function signInToServer(
  context: CliContext,
  name: string,
  options: Options & { open?: boolean },
): Promise<void> {
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  return withServers(context, options, async (servers, hub) => {
    const server = await waitForBrowser(servers, name, {
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(maxMinutes * 60_000)]),
      onAddress: (address) => {
        // With --json, stdout is reserved for the result.
        const out = options.json ? context.stderr : context.stdout;
        out.write(`Open this URL in your browser to sign in to "${name}":\n\n  ${printableLine(address)}\n\n`);
        if (options.open) openBrowser(address);
      },
    });
    await recordCommand(hub, 'zoo mcp-server sign-in', { summary: 'Sign in to a server', target: name });
    if (options.json) return printJson(context, server);
    printLine(context, `Signed in to "${name}".`);
    printServer(context, server);
  }).finally(forget);
}

/** `zoo mcp-server sign-out`. */
export function signOutOfServer(context: CliContext, name: string, options: Options): Promise<void> {
  return withServers(context, options, async (servers, hub) => {
    const server = await servers.signOut(name);
    await recordCommand(hub, 'zoo mcp-server sign-out', { summary: 'Sign out of a server', target: name });
    if (options.json) return printJson(context, server);
    printLine(context, `Signed out of "${name}" and deleted its tokens.`);
  });
}

interface WaitOptions {
  signal: AbortSignal;
  onAddress(address: string): void;
}

/** Throws CANCELLED, TIMEOUT, PERMISSION_DENIED (the user refused) and the errors of signing in. */
async function waitForBrowser(
  servers: ExternalServers,
  name: string,
  { signal, onAddress }: WaitOptions,
): Promise<ServerInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<ServerInfo>();
  // It may reject before anybody awaits it.
  promise.catch(() => {});
  let state: string | undefined;
  const listener = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const reply = (status: number, text: string) =>
      response
        .writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
        .end(`${text}\n`);
    if (pathname !== '/oauth/callback') return reply(404, 'Not found.');
    // Any program on this machine can send a request; only the browser that was sent to sign in knows the state.
    if (state === undefined || query.get('state') !== state) return reply(400, 'Unknown sign-in. Start it again.');
    state = undefined;
    finish(servers, name, query).then(
      (server) => {
        reply(200, `Signed in. Agent Zoo may now use "${name}". You can close this tab.`);
        resolve(server);
      },
      (error: unknown) => {
        reply(400, toHubError(error).message);
        reject(error);
      },
    );
  });
  const stop = () => reject(stopped(name, signal));
  signal.addEventListener('abort', stop, { once: true });
  try {
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening', { signal });
    const { port } = listener.address() as AddressInfo;
    const address = await servers.beginSignIn(name, `http://127.0.0.1:${port}/oauth/callback`);
    if (address === null) return servers.get(name);
    state = new URL(address).searchParams.get('state') ?? undefined;
    signal.throwIfAborted();
    onAddress(address);
    return await promise;
  } catch (error) {
    throw signal.aborted ? stopped(name, signal) : error;
  } finally {
    signal.removeEventListener('abort', stop);
    listener.close();
    listener.closeIdleConnections();
  }
}

function finish(servers: ExternalServers, name: string, query: URLSearchParams): Promise<ServerInfo> {
  const error = query.get('error');
  const code = query.get('code');
  if (error !== null || code === null) {
    const why = printableLine(query.get('error_description') ?? error ?? 'the browser returned without a code');
    return Promise.reject(new HubError('PERMISSION_DENIED', `Sign-in to "${name}" was refused: ${why.slice(0, 500)}`));
  }
  return servers.finishSignIn({ state: query.get('state') ?? '', code, issuer: query.get('iss') ?? undefined });
}

function stopped(name: string, signal: AbortSignal): HubError {
  const isLate = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
  return isLate
    ? new HubError('TIMEOUT', `Sign-in to "${name}" was not completed within ${maxMinutes} minutes. Start it again.`)
    : new HubError('CANCELLED', `Sign-in to "${name}" was cancelled. Nothing was changed.`);
}
