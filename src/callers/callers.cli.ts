import { parseWith } from '../base/validate.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { openBrowser } from '../cli/terminal/open-browser.ts';
import { printTable, shortTime } from '../cli/terminal/print-table.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { hubAddress } from '../http/hub-address.cli.ts';
import { NewClientKey } from './callers.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo key`: prints the owner's key, for scripts. */
export function printOwnerKey(context: CliContext, options: ConfigOption): Promise<void> {
  return withHub(context, { ...options, quiet: true }, async ({ callers }) => {
    printLine(context, await callers.ownerKey());
  });
}

/** `zoo key create`: creates a key for one client or script, and prints it once. */
export function createKey(context: CliContext, name: string, options: Options & { agent?: string }): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { agents, callers } = hub;
    const draft = parseWith(NewClientKey, { name, agent: options.agent ?? null });
    const agent = draft.agent === null ? null : (await agents.get(draft.agent)).agent.id;
    const { key, secret } = await callers.createKey({ ...draft, agent });
    const act = { summary: 'Create a key for a client', target: key.name, after: { id: key.id, agent } };
    await recordCommand(hub, 'zoo key create', act);
    if (options.json) return printJson(context, { key, secret });
    // For scripts: KEY=$(zoo key create NAME).
    if (!context.stdout.isTTY) return printLine(context, secret);
    const { bold, dim } = colorsFor(context);
    printLine(context, `Created the key "${key.name}"${agent === null ? '' : ` for the agent "${agent}"`}:\n`);
    printLine(context, `  ${bold(secret)}\n`);
    printLine(context, dim('It is shown only once. Clients send it as "Authorization: Bearer KEY".'));
  });
}

/** `zoo key list`: prints the keys of clients, with their last use. */
export function listKeys(context: CliContext, options: Options): Promise<void> {
  return withHub(context, options, async ({ callers }) => {
    const keys = await callers.keys();
    if (options.json) return printJson(context, keys);
    if (keys.length === 0) {
      return printLine(context, 'There are no keys yet. "zoo key create NAME" creates one for a client or script.');
    }
    const rows = keys.map((key) => [
      key.id,
      key.name,
      key.agentId ?? 'all agents',
      shortTime(key.createdAt),
      shortTime(key.lastUsedAt),
    ]);
    printTable(context, ['KEY', 'NAME', 'AGENT', 'CREATED', 'LAST USED'], rows);
  });
}

/** `zoo key revoke`: ends a key, by its id or its name. */
export function revokeKey(context: CliContext, which: string, options: ConfigOption): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { callers } = hub;
    const named = (await callers.keys()).filter(({ id, name }) => id === which || name === which);
    if (named.length > 1) {
      const ids = named.map(({ id }) => id).join(', ');
      throw new UsageError(`Several keys are called "${which}". Name one by its id: ${ids}.`);
    }
    const { name, id } = await callers.removeKey(named[0]?.id ?? which);
    await recordCommand(hub, 'zoo key revoke', { summary: 'Revoke a key', target: name, before: { id } });
    printLine(context, `The key "${name}" no longer works.`);
  });
}

export interface OpenOptions extends ConfigOption {
  bind?: string;
  print?: boolean;
}

/** `zoo open`: opens the web app in the browser, signed in. */
export function openApp(context: CliContext, options: OpenOptions): Promise<void> {
  return withHub(context, { ...options, quiet: true }, async ({ callers, config }) => {
    const { url } = await hubAddress(config, options.bind);
    const link = signInLink(url, await callers.createCode());
    const { cyan, dim } = colorsFor(context);
    printLine(context, cyan(link));
    printLine(
      context,
      dim('The link signs one browser in, once, within 10 minutes. The hub must be running: "zoo serve".'),
    );
    if (!options.print) openBrowser(link);
  });
}

/** The code is in the fragment, which browsers never send. */
export function signInLink(url: string, code: string): string {
  return `${url}/sign-in#${code}`;
}
