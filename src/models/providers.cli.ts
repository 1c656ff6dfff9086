import { text as readText } from 'node:stream/consumers';
import { HubError } from '../base/hub-error.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { printTable } from '../cli/terminal/print-table.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { forTerminal } from '../cli/terminal/text-width.ts';
import type { ProviderConnection, ProviderInfo, ProviderType } from './language-models.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo provider list`. */
export function listProviders(context: CliContext, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const providers = await hub.models.providers();
    if (options.json) return printJson(context, providers);
    const rows = providers.map((provider) => {
      const { name, type, key, hint, baseUrl } = provider;
      // The row already names the provider.
      return [name, type, stateWords(provider), key, hint?.replace(/^Provider "[^"]*" /, '') ?? baseUrl ?? ''];
    });
    printTable(context, ['PROVIDER', 'TYPE', 'STATE', 'KEY', ''], rows);
  });
}

function stateWords({ isReady, seen }: ProviderInfo): string {
  if (!isReady) return 'not set up';
  return { never: 'not tested', reached: 'reachable', worked: 'works', failed: 'failed' }[seen.state];
}

/** `zoo provider add`: saves the provider once it answers. Throws MODEL_ERROR if it does not. */
export function addProvider(
  context: CliContext,
  name: string,
  options: Options & { type: ProviderType; url?: string; key?: boolean; saveAnyway?: boolean },
): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { type, url, saveAnyway = false } = options;
    const key = options.key ? await readKey(context, `zoo provider add ${name} --key`) : undefined;
    const input = { type, ...(url !== undefined && { baseUrl: url }), ...(key !== undefined && { key }) };
    const signal = AbortSignal.timeout(30_000);
    if (saveAnyway) await hub.models.save(name, input);
    else {
      const { isSaved, failure } = await hub.models.connect(name, { kind: 'provider', input }, { signal });
      if (!isSaved) throw notSaved(name, failure, key !== undefined);
    }
    const provider = await hub.models.provider(name);
    const { baseUrl, hint } = provider;
    const after = { type, baseUrl };
    await recordCommand(hub, 'zoo provider add', { summary: 'Add or change a model provider', target: name, after });
    if (options.json) return printJson(context, provider);
    printLine(context, `Saved the provider "${name}" at ${baseUrl}.`);
    if (hint !== null) printLine(context, hint);
    printLine(context, `Test it with: zoo provider test ${name}`);
  });
}

function notSaved(name: string, failure: ProviderConnection['failure'], hasKey: boolean): HubError {
  const add = `zoo provider add ${name}`;
  const withKey =
    failure?.reason === 'key' && !hasKey ? `To give its key, use: ${add} --key < file-with-the-key. ` : '';
  const message = `${failure?.message ?? `Provider "${name}" did not answer.`} It was not saved. ${withKey}To save it anyway, add --save-anyway.`;
  return new HubError('MODEL_ERROR', message);
}

/** `zoo provider test`: asks a model of the provider. Throws MODEL_ERROR if the provider or the model does not answer. */
export function testProvider(context: CliContext, name: string, options: Options & { model?: string }): Promise<void> {
  return withHub(context, options, async (hub) => {
    const signal = AbortSignal.timeout(120_000);
    const tested = await hub.models.test(name, { model: options.model, signal });
    const { failure, listed, answeredBy, latencyMs } = tested;
    if (options.json) printJson(context, tested);
    if (failure?.step === 'answer' && listed && !options.json)
      printLine(
        context,
        `Provider "${name}" lists its models (${listed.models.length}), but the model did not answer.`,
      );
    if (failure) throw new HubError('MODEL_ERROR', failure.message);
    if (options.json) return;
    if (answeredBy === null) printLine(context, `Provider "${name}" can be reached, but lists no models to ask.`);
    else printLine(context, forTerminal(context, `Model ${answeredBy} answered within ${latencyMs} ms.`));
    if (listed) printLine(context, `Models of "${name}": ${listed.models.length}.`);
  });
}

/** `zoo provider remove`. */
export function removeProvider(context: CliContext, name: string, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    await hub.models.remove(name);
    await recordCommand(hub, 'zoo provider remove', { summary: 'Remove a model provider', target: name });
    if (options.json) return printJson(context, { success: true, name });
    printLine(context, `Removed the provider "${name}" and its key.`);
  });
}

/** `zoo provider models`. */
export function listModels(context: CliContext, name: string, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const signal = AbortSignal.timeout(30_000);
    const { models } = await hub.models.list(name, { signal });
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
    await models.provider(name);
    const key = options.remove ? null : await readKey(context, `zoo provider key ${name}`);
    await models.setKey(name, key);
    const { baseUrl } = await models.provider(name);
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

async function readKey(context: CliContext, command: string): Promise<string> {
  const hint = `Send the key on stdin: ${command} < file-with-the-key`;
  if (context.stdin.isTTY) throw new UsageError(hint);
  const key = (await readText(context.stdin)).trim();
  if (key === '') throw new UsageError(`The input is empty. ${hint}`);
  if (key.length < 8 || /\s/.test(key)) {
    throw new HubError('INVALID_ARGUMENTS', 'An API key has at least 8 characters and no spaces.');
  }
  return key;
}
