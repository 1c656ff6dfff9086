import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { diffLines } from '../agents/diff-lines.ts';
import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { askYesNo } from '../cli/terminal/ask.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { printTable } from '../cli/terminal/print-table.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import type { RecordsActs } from '../decisions/record-act.ts';
import type { ExternalServers } from './external-servers.ts';
import { importServers } from './import/import-servers.ts';
import { briefDefinition } from './mask-secrets.ts';
import { descriptionOf } from './remote-tool.ts';
import { ServerDefinition, type ServerDefinitionInput, ServerName } from './server-definition.ts';
import type { ServerInfo, ServerState, ServerTool } from './servers.ts';
import { versionWords } from './version-words.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo mcp-server list`. */
export function listServers(context: CliContext, options: Options): Promise<void> {
  return withServers(context, options, async (servers) => {
    const list = servers.list();
    if (options.json) return printJson(context, list);
    if (list.length === 0) {
      return printLine(
        context,
        'No external servers yet. Add one with "zoo mcp-server add NAME -- COMMAND" or "zoo mcp-server add NAME URL".',
      );
    }
    const rows = list.map((server) => [
      server.name,
      server.definition.transport,
      describeState(server.state),
      String(server.tools.filter(({ status }) => status === 'active').length),
      waiting(server).length === 0 ? '–' : String(waiting(server).length),
      server.versions.map(versionWords).join('; ') || '–',
      server.origin === 'config' ? server.place : 'the store',
      commandOrUrl(server),
    ]);
    printTable(
      context,
      ['SERVER', 'TRANSPORT', 'STATE', 'TOOLS', 'PENDING', 'VERSION', 'DEFINED IN', 'COMMAND OR URL'],
      rows,
    );
  });
}

/** `zoo mcp-server show`. */
export function showServer(context: CliContext, name: string, options: Options): Promise<void> {
  return withServers(context, options, async (servers) => {
    const server = servers.get(name);
    if (options.json) return printJson(context, server);
    printServer(context, server);
  });
}

export interface AddServerOptions extends Options {
  transport?: 'streamable-http' | 'sse';
  env: Record<string, string>;
  header: Record<string, string>;
  bearer?: string;
  oauth?: boolean;
  cwd?: string;
  prefix?: string;
  trust?: 'first-use' | 'ask' | 'always';
  trustHints?: boolean;
  connect: boolean;
}

/** `zoo mcp-server add`. If the new server cannot be connected, it stays added and the exit code is 1. A required sign-in is not a failure. */
export function addServer(
  context: CliContext,
  name: string,
  words: readonly string[],
  options: AddServerOptions,
): Promise<void> {
  const definition = toDefinition(context, words, options);
  return withServers(context, options, async (servers, hub) => {
    parseWith(ServerName, name, { what: 'The name of the server' });
    const added = await servers.add(name, parseWith(ServerDefinition, definition));
    const act = { summary: 'Add a server', target: name, after: briefDefinition(added.definition) };
    await recordCommand(hub, 'zoo mcp-server add', act);
    let failure: unknown;
    if (options.connect) await servers.connect(name).catch((error: unknown) => (failure = error));
    const server = servers.get(name);
    if (options.json) printJson(context, server);
    else printLine(context, `Added "${name}".`);
    const mustSignIn = failure instanceof HubError && failure.code === 'SIGN_IN_REQUIRED';
    if (failure !== undefined && !mustSignIn) return printFailure(context, name, failure);
    if (options.json) return;
    if (mustSignIn) return printLine(context, `Sign-in required. Run: zoo mcp-server sign-in ${name}`);
    if (options.connect) printServer(context, server);
    else printLine(context, `Not connected. To connect and list its tools: zoo mcp-server test ${name}`);
  });
}

function printFailure(context: CliContext, name: string, failure: unknown): void {
  const reason = failure instanceof HubError ? failure.message : `"${name}" could not be connected.`;
  context.stderr.write(`zoo: ${printableLine(reason)}\n`);
  const next = `Retry with "zoo mcp-server test ${name}", or remove it with "zoo mcp-server remove ${name}".`;
  context.stderr.write(`zoo: The server was added anyway. ${next}\n`);
  context.exitCode = 1;
}

function toDefinition(
  context: CliContext,
  [first = '', ...rest]: readonly string[],
  options: AddServerOptions,
): ServerDefinitionInput {
  const common = {
    ...(options.prefix !== undefined && { prefix: options.prefix }),
    ...(options.trust && { trust: options.trust }),
    ...(options.trustHints && { trustHints: true }),
  };
  if (/^https?:\/\//.test(first)) {
    if (rest.length > 0) throw new UsageError('Give either a URL alone, or a command after "--".');
    if (options.bearer !== undefined && options.oauth) throw new UsageError('Choose one of --bearer and --oauth.');
    const auth = options.bearer !== undefined ? { type: 'bearer' as const, token: options.bearer } : undefined;
    return {
      transport: options.transport ?? 'streamable-http',
      url: first,
      headers: options.header,
      ...(auth && { auth }),
      ...(options.oauth && { auth: { type: 'oauth' } }),
      ...common,
    };
  }
  if (options.transport || options.bearer !== undefined || options.oauth || Object.keys(options.header).length > 0) {
    throw new UsageError('--transport, --header, --bearer and --oauth require a URL.');
  }
  const cwd = options.cwd === undefined ? context.cwd : resolve(context.cwd, options.cwd);
  return { transport: 'stdio', command: first, args: rest, env: options.env, cwd, ...common };
}

/** `zoo mcp-server import`. */
export async function importFile(
  context: CliContext,
  file: string,
  options: Options & { dryRun?: boolean },
): Promise<void> {
  const text = file === '-' ? await readText(context.stdin) : await readFile(resolve(context.cwd, file), 'utf8');
  return withServers(context, options, async (servers, hub) => {
    const {
      servers: imported,
      problems,
      added,
    } = await importServers(servers, text, { dryRun: options.dryRun ?? false });
    if (added.length > 0)
      await recordCommand(hub, 'zoo mcp-server import', { summary: 'Import servers', after: { added } });
    // A file without any usable server counts as a failure.
    if (imported.length === 0) context.exitCode = 1;
    if (options.json) return printJson(context, { servers: imported, problems, added });
    const rows = imported.map((each) => [
      each.name,
      each.definition.transport,
      added.includes(each.name) ? 'added' : options.dryRun ? 'would be added' : 'not added',
      commandOrUrl(each),
    ]);
    if (rows.length > 0) printTable(context, ['SERVER', 'TRANSPORT', '', 'COMMAND OR URL'], rows);
    for (const { name, message } of problems)
      context.stderr.write(`zoo: ${printableLine(`${name || file}: ${message}`)}\n`);
    if (imported.length === 0 && problems.length === 0) printLine(context, 'The file contains no servers.');
  });
}

/** `zoo mcp-server test`. */
export function testServer(context: CliContext, name: string, options: Options): Promise<void> {
  return withServers(context, options, async (servers) => {
    const server = await servers.connect(name);
    if (options.json) return printJson(context, server);
    printServer(context, server);
  });
}

/** `zoo mcp-server accept`: shows new and changed tools, asks, and accepts what it showed. */
export function acceptTools(
  context: CliContext,
  name: string,
  tools: readonly string[],
  options: Options & { yes?: boolean; of?: string },
): Promise<void> {
  return withServers(context, options, async (servers, hub) => {
    servers.get(name);
    await servers.discover();
    const { of } = options;
    const held = waiting(servers.get(name)).filter(
      ({ remoteName, versions }) =>
        (tools.length === 0 || tools.includes(remoteName)) && (of === undefined || versions.includes(of)),
    );
    const unknown = tools.find((tool) => !held.some(({ remoteName }) => remoteName === tool));
    if (unknown !== undefined) {
      throw new HubError('NOT_FOUND', `Server "${name}" has no tool "${unknown.slice(0, 80)}" waiting to be accepted.`);
    }
    if (held.length === 0) return printLine(context, `No tools of "${name}" are waiting to be accepted.`);
    if (!options.json) for (const tool of held) printDifference(context, tool);
    if (!options.yes && !(await askYesNo(context, `Accept ${count(held.length, 'tool')} of "${name}"?`))) {
      return printLine(context, 'No tools were accepted.');
    }
    const chosen = held.map(({ remoteName, proposedHash }) => ({ tool: remoteName, hash: proposedHash ?? undefined }));
    const server = await servers.accept(name, chosen, of);
    const act = { summary: 'Accept new and changed tools', target: name, after: { tools: chosen } };
    await recordCommand(hub, 'zoo mcp-server accept', act);
    if (options.json) return printJson(context, server);
    printLine(context, `Accepted ${count(held.length, 'tool')} of "${name}".`);
  });
}

/** `zoo mcp-server remove`. */
export function removeServer(context: CliContext, name: string, options: Options): Promise<void> {
  return withServers(context, options, async (servers, hub) => {
    const before = briefDefinition(servers.get(name).definition);
    await servers.remove(name);
    await recordCommand(hub, 'zoo mcp-server remove', { summary: 'Remove a server', target: name, before });
    if (options.json) return printJson(context, { success: true, name });
    printLine(context, `Removed "${name}" and its tools.`);
  });
}

export function withServers(
  context: CliContext,
  options: ConfigOption,
  run: (servers: ExternalServers, hub: RecordsActs) => Promise<void>,
): Promise<void> {
  return withHub(context, options, async (hub) => run(await hub.servers.open(), hub));
}

export function printServer(context: CliContext, server: ServerInfo): void {
  const { bold, dim } = colorsFor(context);
  printLine(context, `${bold(server.name)}  ${dim(printableLine(commandOrUrl(server)))}`);
  printLine(context, `State: ${describeState(server.state)}`);
  printLine(
    context,
    server.definition.trustHints
      ? 'Hints: trusted; tools that it calls read-only need no approval'
      : 'Hints: not trusted; all its tools need approval, unless "approve" or a tool\'s setting says otherwise',
  );
  const { versions } = server;
  if (versions.length > 1 || versions.some(({ replicas }) => replicas.length > 1))
    printLine(context, `Versions: ${printableLine(versions.map(versionWords).join('; '))}`);
  if (server.tools.length + server.elsewhere.length === 0) return;
  printLine(context);
  const toRow = ({ remoteName, localName, status, note, accepted, proposed }: ServerTool) => [
    localName,
    remoteName,
    status,
    note ?? firstLine(descriptionOf(proposed ?? accepted)),
  ];
  const elsewhere = server.elsewhere.map((tool) => {
    const [localName = '', remoteName = '', status, note = ''] = toRow(tool);
    return [localName, remoteName, `${status} in ${tool.versions.join(', ')}`, note];
  });
  printTable(context, ['TOOL', 'ON THE SERVER', 'STATUS', ''], [...server.tools.map(toRow), ...elsewhere]);
  const held = waiting(server).length;
  if (held > 0) {
    printLine(
      context,
      `\n${count(held, 'tool')} waiting to be accepted. Review with "zoo mcp-server accept ${server.name}".`,
    );
  }
}

function describeState(state: ServerState): string {
  if (state.kind === 'connected') return `connected (${state.serverName} ${state.serverVersion})`;
  if (state.kind === 'failed') return `failed: ${state.reason}`;
  return state.kind === 'sign-in' ? 'needs sign-in' : state.kind;
}

function commandOrUrl({ definition }: { definition: ServerInfo['definition'] }): string {
  return definition.transport === 'stdio' ? [definition.command, ...definition.args].join(' ') : definition.url;
}

/** Returns the new and changed tools of all versions. */
function waiting({ tools, elsewhere }: Pick<ServerInfo, 'tools' | 'elsewhere'>): ServerTool[] {
  return [...tools.filter(({ status }) => status === 'new' || status === 'changed'), ...elsewhere];
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** Prints the difference between the accepted and the proposed definition, line by line. It is foreign data: control characters are neutralized. */
function printDifference(context: CliContext, tool: ServerTool): void {
  const { bold, green, red, dim } = colorsFor(context);
  const { remoteName, status, accepted, proposed, note, closeTo, versions } = tool;
  const where = versions.length === 0 ? '' : ` in ${printableLine(versions.join(', '))}`;
  printLine(
    context,
    `\n${bold(printableLine(remoteName))} is ${status}${where}${note === null ? '' : `: ${printableLine(note)}`}`,
  );
  for (const { server, tool: other } of closeTo) {
    printLine(context, `  Its name is similar to "${printableLine(other)}" of server "${server}".`);
  }
  for (const { kind, text } of diffLines(toText(accepted), toText(proposed))) {
    const line = printableLine(text);
    if (kind === 'added') printLine(context, green(`  + ${line}`));
    else if (kind === 'removed') printLine(context, red(`  - ${line}`));
    else printLine(context, dim(`    ${line}`));
  }
}

function toText(definition: object | null): string {
  return definition === null ? '' : JSON.stringify(definition, null, 2);
}
