import { relative } from 'node:path';
import { findAgent, type KnownAgents } from '../agents/find-agent.cli.ts';
import { HubError } from '../base/hub-error.ts';
import { nearest } from '../base/nearest.ts';
import type { Callers } from '../callers/create-callers.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { stdioCommand } from '../cli/stdio-command.ts';
import { type CliContext, colorsFor, printLine } from '../cli/terminal/context.ts';
import { printTable, shortTime } from '../cli/terminal/print-table.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { clientPath } from '../config/client-files/client-paths.ts';
import {
  entryIn,
  type ReadClientFile,
  readClientFile,
  writeClientFile,
} from '../config/client-files/write-client-file.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { type ClientEntry, type ConnectOptions, clientEntries } from './connect-clients.ts';
import { hubAddress } from './hub-address.cli.ts';

export interface ConnectCliOptions extends ConfigOption {
  agent?: string;
  bind?: string;
  write?: boolean;
}

/** Short names that people type. */
const aliases: Record<string, string> = { claude: 'claude-code', gemini: 'gemini-cli', code: 'vscode' };

/** `zoo connect`: lists the clients, or connects one: prints what to paste, or writes it into the client's config. */
export function connect(context: CliContext, client: string | undefined, options: ConnectCliOptions): Promise<void> {
  return withHub(context, { ...options, quiet: true }, async (hub) => {
    const { callers, config } = hub;
    const target = await readTarget(hub, config, options);
    const plan = client === undefined ? undefined : findClient(clientEntries(target), client);
    if (!plan) {
      if (options.write) throw new UsageError('Name the client to write to, such as "zoo connect claude --write".');
      return listClients(context, clientEntries(target), callers);
    }
    const connection = { context, target, id: plan.client.id, callers };
    const { act, after } = options.write ? await writeEntry(connection) : await printSnippet(connection);
    await recordCommand(hub, act, { summary: 'Connect a client', target: plan.client.name, after });
  });
}

async function readTarget(
  known: KnownAgents,
  config: LoadedConfig,
  options: ConnectCliOptions,
): Promise<ConnectOptions> {
  const { url, isReachable } = await hubAddress(config, options.bind);
  const agent = options.agent === undefined ? undefined : (await findAgent(known, options.agent)).agent;
  const anonymous = isReachable ? 'none' : config.config.server.anonymous;
  return { url, stdioCommand: stdioCommand(config), configFile: config.file, agent, anonymous };
}

function findClient(entries: readonly ClientEntry[], client: string): ClientEntry {
  const id = aliases[client.toLowerCase()] ?? client.toLowerCase();
  const found = entries.find((each) => each.client.id === id || each.client.name.toLowerCase() === id);
  if (found) return found;
  const ids = entries.map((each) => each.client.id);
  const near = nearest(id, ids);
  throw new UsageError(
    `There is no client "${client.slice(0, 80)}". ${near ? `Did you mean "${near}"?` : `Available: ${ids.join(', ')}.`}`,
  );
}

async function listClients(context: CliContext, entries: readonly ClientEntry[], callers: Callers): Promise<void> {
  const keys = await callers.keys();
  const rows = entries.map(({ client }) => {
    const uses = keys.flatMap(({ name, lastUsedAt }) => (name === client.name && lastUsedAt ? [lastUsedAt] : []));
    const path = clientPath(client.id, machineOf(context)) ?? '';
    return [client.id, client.name, shortTime(uses.toSorted().at(-1) ?? null), shownPath(context, path)];
  });
  printTable(context, ['CLIENT', 'NAME', 'LAST SEEN', 'CONFIG'], rows);
  const { dim } = colorsFor(context);
  printLine(context, dim('\n"zoo connect CLIENT" prints what to paste; "--write" writes it into the config.'));
}

interface Connection {
  context: CliContext;
  target: ConnectOptions;
  id: string;
  callers: Callers;
}

async function printSnippet({ context, target, id, callers }: Connection) {
  const { client, key } = await withKey({ callers, target, id });
  const { dim, bold } = colorsFor(context);
  const snippet = client.snippets[0];
  if (!snippet) throw new HubError('INTERNAL_ERROR', `The client "${id}" has no snippet.`);
  const where = snippet.file === null ? 'Run this in a terminal:' : `Add this to ${snippet.file}:`;
  printLine(context, `${bold(where)}\n`);
  printLine(context, `${snippet.text.trimEnd()}\n`);
  const notes = [
    ...(key ? [`The key "${key.name}" in it is shown only once. "zoo key list" shows when it was last used.`] : []),
    ...(key ? ['The hub must be running: "zoo serve".'] : []),
    ...(client.note === null ? [] : [client.note]),
  ];
  for (const note of notes) printLine(context, dim(note));
  return { act: 'zoo connect', after: { key: key?.id ?? null, agent: target.agent?.id ?? null } };
}

async function writeEntry({ context, target, id, callers }: Connection) {
  const path = clientPath(id, machineOf(context));
  if (path === undefined) throw new HubError('INTERNAL_ERROR', `The config file of "${id}" is not known.`);
  const { format, entry: draft } = entryOf(target, id);
  const file = await readClientFile({ path, shown: shownPath(context, path), format });
  const old = readOld(file, entryIn(file, draft), { name: draft.name, url: target.url });
  const { client, key, entry } = await withKey({ callers, target, id });
  try {
    await writeClientFile(file, entry);
  } catch (error) {
    // No client has this key yet.
    if (key) await callers.removeKey(key.id);
    throw error;
  }
  const revoked = old === undefined ? undefined : await revoke(callers, old);
  const withWhat = key ? `, with a new key called "${key.name}"` : '';
  printLine(context, `Wrote the server "${entry.name}" to ${file.shown}${withWhat}.`);
  if (revoked) printLine(context, `The old key "${revoked}" no longer works.`);
  const { dim } = colorsFor(context);
  const running = key ? ' The hub must be running: "zoo serve".' : '';
  printLine(context, dim(`Restart ${client.name} to connect.${running}`));
  const after = { file: file.shown, key: key?.id ?? null, agent: target.agent?.id ?? null, revoked: revoked ?? null };
  return { act: 'zoo connect --write', after };
}

function entryOf(target: ConnectOptions, id: string): ClientEntry {
  return findClient(clientEntries(target), id);
}

/** Creates a key if the client's entry needs one, and returns the entry with it. */
async function withKey({ callers, target, id }: Omit<Connection, 'context'>) {
  const draft = entryOf(target, id);
  if (!draft.hasKey) return { ...draft, key: undefined };
  const { key, secret } = await callers.createKey({ name: draft.client.name, agent: target.agent?.id ?? null });
  return { ...entryOf({ ...target, key: secret }, id), key };
}

/** Returns the credential in an existing entry. Throws CONFLICT if the entry is for another server, which is not ours to replace. */
function readOld(
  file: ReadClientFile,
  entry: unknown,
  { name, url }: { name: string; url: string },
): string | undefined {
  if (entry === undefined) return undefined;
  const text = JSON.stringify(entry);
  const elsewhere = /"(?:url|httpUrl|uri)":"([^"]*)"/.exec(text)?.[1];
  if (elsewhere !== undefined && !elsewhere.startsWith(`${url}/`)) {
    throw new HubError(
      'CONFLICT',
      `The server "${name}" in ${file.shown} is for another address, ${elsewhere}. Nothing was changed. Rename or remove it first.`,
    );
  }
  return /"Bearer ([^"]+)"/i.exec(text)?.[1];
}

/** Revokes the key that an entry had, and returns its name; undefined if it was no valid key of this hub. */
async function revoke(callers: Callers, secret: string): Promise<string | undefined> {
  const from = await Promise.resolve(callers.identify({ headers: { authorization: `Bearer ${secret}` } })).catch(
    () => undefined,
  );
  return from?.kind === 'client' ? (await callers.removeKey(from.id)).name : undefined;
}

function machineOf({ home, env }: CliContext) {
  return { home, env, platform: process.platform };
}

function shownPath({ home }: CliContext, path: string): string {
  const short = relative(home, path);
  return short.startsWith('..') || short === path ? path : `~/${short}`;
}
