import { text as readText } from 'node:stream/consumers';
import { HubError } from '../base/hub-error.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { printTable } from '../cli/terminal/print-table.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { forTerminal } from '../cli/terminal/text-width.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo provider list`. */
export function listProviders(context: CliContext, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const providers = await hub.models.providers();
    if (options.json) return printJson(context, providers);
    const rows = providers.map(({ name, type, key, isReady, hint, baseUrl }) => [
      name,
      type,
      isReady ? 'ready' : 'not ready',
      key,
      // The row already names the provider.
      hint?.replace(/^Provider "[^"]*" /, '') ?? baseUrl ?? '',
    ]);
    printTable(context, ['PROVIDER', 'TYPE', 'STATE', 'KEY', ''], rows);
  });
}

/** `zoo provider models`. */
export function listModels(context: CliContext, name: string, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const signal = AbortSignal.timeout(30_000);
    const models = await hub.models.list(name, { signal });
    if (options.json) return printJson(context, models);
    for (const model of models) printLine(context, forTerminal(context, `${name}/${model}`));
  });
}

/** `zoo provider key`: reads the key from stdin, so that it does not appear in the shell history. */
export async function setKey(
  context: CliContext,
  name: string,
  options: Options & { remove?: boolean },
): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { models } = hub;
    const names = (await models.providers()).map((provider) => provider.name);
    if (!names.includes(name)) {
      throw new HubError('NOT_FOUND', `Unknown provider "${name.slice(0, 80)}". Available: ${names.join(', ')}.`);
    }
    const key = options.remove ? null : await readKey(context, name);
    await models.setKey(name, key);
    const baseUrl = (await models.providers()).find((provider) => provider.name === name)?.baseUrl ?? null;
    const summary = key === null ? "Delete a provider's API key" : "Save a provider's API key";
    await recordCommand(hub, 'zoo provider key', { summary, target: name, after: { baseUrl } });
    if (options.json) return printJson(context, { success: true, name, baseUrl });
    printLine(
      context,
      key === null
        ? `Deleted the API key for "${name}".`
        : `Saved the API key for "${name}", encrypted. It is sent only to ${baseUrl}.`,
    );
  });
}

async function readKey(context: CliContext, name: string): Promise<string> {
  const hint = `Send the key on stdin: zoo provider key ${name} < file-with-the-key`;
  if (context.stdin.isTTY) throw new UsageError(hint);
  const key = (await readText(context.stdin)).trim();
  if (key === '') throw new UsageError(`The input is empty. ${hint}`);
  if (key.length < 8 || /\s/.test(key)) {
    throw new HubError('INVALID_ARGUMENTS', 'An API key has at least 8 characters and no spaces.');
  }
  return key;
}
