import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { isSecretSetting } from '../base/secret-names.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { recordCommand } from '../cli/record-command.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { printTable } from '../cli/terminal/print-table.ts';
import { forTerminal } from '../cli/terminal/text-width.ts';
import { parseToml } from '../config/read-config.ts';
import type { SettingBody, SettingValue } from './app-settings.ts';
import { deletionDelay } from './deletion-delay.ts';

type Options = ConfigOption & { json?: boolean };

/** `zoo config get [KEY]`: prints one setting, or all that the app shows, with their origins. */
export function getSetting(context: CliContext, key: string | undefined, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { settings, file } = await hub.settings.read();
    const place = file?.name ?? 'the config';
    if (key === undefined) {
      if (options.json) return printJson(context, settings);
      const rows = settings.map((setting) => [setting.key, shown(setting.value), origin(setting, place)]);
      return printTable(context, ['KEY', 'VALUE', 'FROM'], rows);
    }
    const known = settings.find((setting) => setting.key === key);
    const value = known ? known.value : fileValue(hub.config.raw, key);
    if (options.json) return printJson(context, known ?? { key, value });
    printLine(context, forTerminal(context, shown(value)));
  });
}

/** `zoo config set KEY VALUE` and `zoo config unset KEY`: changes the config file if the setting is there, otherwise the database. */
export function changeSetting(context: CliContext, key: string, text: string | null, options: Options): Promise<void> {
  return withHub(context, options, async (hub) => {
    const value = text === null ? null : readValue(text);
    const change = { kind: 'values' as const, values: [{ key, value }] };
    const { lines, deletes } = await hub.settings.preview(change);
    const applied = await hub.settings.apply(change);
    const hidden = isSecretSetting(key.split('.').at(-1) ?? '') ? undefined : { [key]: value };
    const command = value === null ? 'zoo config unset' : 'zoo config set';
    await recordCommand(hub, command, { summary: 'Change the settings', target: key, after: hidden });
    if (options.json) return printJson(context, applied);
    const { file, settings } = await hub.settings.read();
    const place = applied.where === 'file' ? (file?.name ?? 'the config') : "the hub's database";
    printLine(context, `Changed in ${place}: ${forTerminal(context, key)}`);
    for (const { kind, text: line } of lines)
      printLine(context, `  ${kind === 'added' ? '+' : '-'} ${forTerminal(context, line)}`);
    const kinds = { log: 'calls in the log', runs: 'runs', chats: 'chats' };
    for (const { what, count } of deletes)
      printLine(context, `A running hub deletes the older ${kinds[what]} ${deletionDelay(settings)}: ${count}.`);
    if (applied.isHeld) printLine(context, `${place} is not trusted, so the change is held. Run "zoo trust".`);
    if (applied.needsRestart) printLine(context, 'Restart the hub to apply the change.');
  });
}

/** Reads a value as TOML; anything else is text: `30`, `true`, `["a", "b"]`, `127.0.0.1:7331`. */
function readValue(text: string): SettingValue {
  try {
    const { value } = parseToml(`value = ${text}`, 'the value');
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string') return value;
    if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  } catch {
    // It is text without quotes.
  }
  return text;
}

function fileValue(raw: Readonly<Record<string, unknown>>, key: string): SettingValue {
  const path = key.split('.');
  const value = path.reduce<unknown>((table, part) => (isRecord(table) ? table[part] : undefined), raw);
  if (value === undefined)
    throw new HubError(
      'NOT_FOUND',
      `${key.slice(0, 80)} is not set. "zoo config get" lists settings with their defaults.`,
    );
  if (path.some(isSecretSetting)) return '••••••••';
  if (typeof value === 'object')
    throw new HubError('INVALID_ARGUMENTS', `${key.slice(0, 80)} is a section. Name one of its values.`);
  return String(value);
}

function shown(value: SettingValue | null): string {
  if (value === null) return '–';
  return Array.isArray(value) ? JSON.stringify(value) : String(value);
}

function origin({ origin: from, heldLine, isPending }: SettingBody, place: string): string {
  const words = {
    file: () => (from.kind === 'file' && from.line !== null ? `${place}:${from.line}` : place),
    hub: () => 'this hub',
    environment: () => 'the environment',
    default: () => 'default',
  }[from.kind]();
  return `${words}${heldLine === null ? '' : ` (${place}:${heldLine} is held)`}${isPending ? ' (after a restart)' : ''}`;
}
