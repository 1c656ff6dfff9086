import { z } from 'zod';
import { HubError } from '../base/hub-error.ts';
import type { SourceProblem } from '../base/source.ts';
import { formatBind, parseBind } from '../config/bind.ts';
import { doorSettings } from '../config/door-settings.ts';
import { type LoadedConfig, showPath } from '../config/load-config.ts';
import type { Hub } from '../hub.ts';
import { version } from '../version.ts';
import { type ConfigOption, loadCliConfig, problemLine, withHub } from './open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from './terminal/context.ts';
import { printableLine } from './terminal/text-width.ts';

/** `zoo status`. */
export function showStatus(context: CliContext, options: ConfigOption & { json?: boolean }): Promise<void> {
  return withHub(context, { ...options, quiet: true }, async (hub) =>
    print(context, await statusOf(hub), options),
  ).catch(async (error: unknown) => {
    // Prints a status even if the database cannot be opened.
    if (!(error instanceof HubError)) throw error;
    print(context, await statusWithout(await loadCliConfig(context, options), error), options);
    throw error;
  });
}

function print(context: CliContext, status: Status, { json }: { json?: boolean }): void {
  if (json) printJson(context, status);
  else printStatus(context, status);
}

async function statusWithout(config: LoadedConfig, error: HubError): Promise<Status> {
  const { url, path } = config.config.db;
  const location = path ?? 'PostgreSQL';
  return {
    version,
    config: config.file,
    data: url === undefined ? { kind: 'sqlite', place: location } : { kind: 'postgres', place: 'PostgreSQL' },
    agents: { total: 0, bySource: {} },
    tools: 0,
    serving: await findServing(config),
    problems: [{ place: location, message: error.message, isCritical: true }],
    notices: config.notices,
  };
}

type Status = Awaited<ReturnType<typeof statusOf>>;

/** The reply of a hub of any version. */
const ReadyReply = z.object({ checks: z.array(z.object({ ok: z.boolean(), message: z.string() })) });

async function statusOf(hub: Hub) {
  const serving = await findServing(hub.config);
  // Checks the database, so that its problems are included below.
  await Promise.all([hub.ready(), hub.store.changes.arrival?.check()]);
  const elsewhere = serving === null ? [] : await problemsOfServing(hub, serving);
  const agents = hub.agents.list();
  const bySource = Object.fromEntries(
    [...new Set(agents.map((agent) => agent.source))].map((source) => [
      source,
      agents.filter((agent) => agent.source === source).length,
    ]),
  );
  return {
    version: hub.version,
    config: hub.config.file,
    data: { kind: hub.store.kind, place: hub.store.location },
    agents: { total: agents.length, bySource },
    tools: hub.tools.list().length,
    serving,
    problems: [...hub.problems(), ...(await problemsOfCertificate(hub.config)), ...elsewhere],
    notices: hub.config.notices,
  };
}

/** Returns the problems of the running hub that this process does not have itself. */
async function problemsOfServing(hub: Hub, serving: string): Promise<SourceProblem[]> {
  const known = new Set(hub.problems().map(({ message }) => message));
  const messages = new Set(await readReady(serving)).difference(known);
  return [...messages].map((message) => ({ place: serving, message }));
}

async function readReady(url: string): Promise<string[]> {
  try {
    const { checks } = ReadyReply.parse(await readOwn(`${url}/ready`, 3_000));
    return checks.filter(({ ok }) => !ok).map(({ message }) => message);
  } catch {
    return [`The hub at ${url} does not report whether it is ready. Restart it if it runs an older version.`];
  }
}

/** Returns the address of a hub that runs where this config would serve; null if there is none. */
async function findServing({ config }: LoadedConfig): Promise<string | null> {
  const { bind: text, cert } = config.server;
  const bind = parseBind(text);
  if (!bind || bind.port === 0) return null;
  // A hub that listens everywhere is asked on this machine.
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[bind.host] ?? bind.host;
  const url = `${cert === undefined ? 'http' : 'https'}://${formatBind({ ...bind, host })}`;
  try {
    const body = await readOwn(`${url}/health`, 5_000);
    return typeof body === 'object' && body !== null && 'version' in body ? url : null;
  } catch {
    return null;
  }
}

/** Asks the hub of this machine. */
async function readOwn(url: string, limitMs: number): Promise<unknown> {
  const signal = AbortSignal.timeout(limitMs);
  if (url.startsWith('http:')) return (await fetch(url, { redirect: 'error', signal })).json();
  const [{ get }, { json }] = await Promise.all([import('node:https'), import('node:stream/consumers')]);
  // The certificate is for another name, and may have been renewed since. Nothing secret is sent.
  return new Promise((resolve, reject) => {
    get(url, { signal, rejectUnauthorized: false }, (response) => void json(response).then(resolve, reject)).on(
      'error',
      reject,
    );
  });
}

async function problemsOfCertificate(config: LoadedConfig): Promise<SourceProblem[]> {
  const { certificate } = doorSettings(config);
  if (!certificate) return [];
  return (await import('../http/server/certificate.ts')).certificateProblems(certificate, Date.now());
}

function printStatus(context: CliContext, status: Status): void {
  const colors = colorsFor(context);
  const sources = Object.entries(status.agents.bySource).map(([source, count]) => `${count} ${source}`);
  const rows = [
    ['Version', status.version],
    ['Config', status.config === null ? 'none, using defaults' : showPath(status.config, context.cwd)],
    ['Data', `${status.data.kind} (${status.data.place})`],
    ['Agents', sources.length === 0 ? '0' : `${status.agents.total} (${sources.join(', ')})`],
    ['Tools', String(status.tools)],
    ['Serving', status.serving ?? 'no (start a hub with "zoo serve")'],
    ['Problems', String(status.problems.length)],
  ];
  for (const [label = '', value = ''] of rows) printLine(context, `${colors.dim(label.padEnd(9))} ${value}`);
  for (const problem of status.problems) printLine(context, `  ${colors.yellow(problemLine(problem))}`);
  for (const notice of status.notices) printLine(context, `  ${printableLine(notice)}`);
}
