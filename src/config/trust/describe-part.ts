import { stringify } from 'smol-toml';
import { isRecord } from '../../base/is-record.ts';
import { isSecretSetting } from '../../base/secret-names.ts';
import { changesProgram, maskAddress, maskArguments, maskText } from '../../servers/mask-secrets.ts';
import { variablesIn } from '../read-config.ts';
import type { HeldPart } from './held-half.ts';

/** Says in one sentence what a part would run, or where data would go. */
export function describePart(part: HeldPart): string {
  const sentence = sentenceOf(part);
  const isNamed = (name: string) => sentence.includes(`\${${name}}`) || part.why?.includes(name);
  const names = variablesIn(part.value).filter((name) => !isNamed(name));
  return names.length === 0 ? sentence : `${sentence} It uses ${listOf(names)} from your environment.`;
}

/** Returns the part as TOML, with its secrets masked. */
export function partText({ path, value }: HeldPart): string {
  const whole = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), masked(value, path.at(-1)));
  return stringify(whole).trim();
}

function sentenceOf({ path, value, why }: HeldPart): string {
  const [section = '', ...rest] = path;
  const name = rest.at(-1) ?? '';
  const table = isRecord(value) ? value : {};
  switch (section) {
    case 'agents':
      return aboutAgent(rest, value, why);
    case 'tools':
      return aboutScript(table, `for the tool "${name}"`);
    case 'connectors':
      return aboutSource(rest, table, why);
    case 'mcp_servers':
    case 'mcpServers':
      return aboutServer(name, table);
    case 'providers':
      return aboutProvider(name, table);
    case 'embedding':
      if (table.provider === 'local') return 'Computes the meaning of your documents on this machine.';
      return `Sends the text of your documents to ${addressOf(table.url) ?? textOf(table.provider)}, to search them by meaning.`;
    case 'a2a':
      return `Lets agents send messages to ${addressOf(table.url) ?? 'other agents'}, as the peer "${name}".`;
    case 'events':
      return `Sends what happens in your team, such as mail, to ${addressOf(table.url) ?? (name === 'inngest' ? 'Inngest' : 'other programs')}.`;
    case 'permissions':
      return `Replaces what team members may call: ${settings(table)}.`;
    case 'db':
      return `Keeps agents, memories, chats and the log in ${addressOf(table.url) ?? textOf(table.path)}, instead of your own database.`;
    case 'server':
      return `Changes how the web server can be reached: ${settings(table)}.`;
    case 'log':
    case 'chats':
    case 'runs':
      if (table.keep_days !== undefined)
        return `Deletes ${deleted[section]} after ${textOf(table.keep_days)} days: ${settings(table)}.`;
      return `Changes [${section}]: ${settings(table)}.`;
    default:
      return `Changes [${section}]: ${settings(table)}.`;
  }
}

const deleted = { log: 'entries of the decision log', chats: 'your chats', runs: 'the record of runs' } as const;

const kinds = ['inline', 'script', 'code', 'file'];

function aboutAgent(path: readonly string[], value: unknown, why: string | undefined): string {
  const [id = '', field] = kinds.includes(path[0] ?? '') ? path.slice(1) : path;
  if (why !== undefined) return `The agent "${id}" ${why}, as a part of its prompt.`;
  if (field !== undefined) {
    if (/permission/i.test(field)) return `The agent "${id}" calls tools without asking you.`;
    if (/context/i.test(field))
      return `Fetches pages for the prompt of the agent "${id}": ${settings({ [field]: value })}.`;
    return `The agent "${id}" passes its own options to the model provider: ${settings({ [field]: value })}.`;
  }
  const table = isRecord(value) ? value : {};
  if (/\.(?:ya?ml|json)$/i.test(textOf(table.path)))
    return `Reads the agent "${id}" from ${textOf(table.path)}, and starts or connects the servers that this file defines.`;
  return aboutScript(table, `for the agent "${id}"`);
}

function aboutScript(table: Record<string, unknown>, purpose: string): string {
  const path = textOf(table.path);
  if (/\.[cm]?[jt]s$/.test(path)) return `Runs ${path} on this machine, with all your rights, ${purpose}.`;
  const more = [
    ...(hasItems(table.allow_env) ? [`read ${listOf(table.allow_env)} from your environment`] : []),
    ...(hasItems(table.allow_hosts) ? [`reach the private addresses ${listOf(table.allow_hosts)}`] : []),
  ];
  const rights = ['reach the internet', 'search your knowledge base', ...more];
  return `Runs the Lua script ${path} ${purpose}. It may ${listOf(rights)}.`;
}

function aboutSource([type = '', name = 'default']: readonly string[], table: Record<string, unknown>, why?: string) {
  if (type === 'script') return aboutScript(table, `for the source "${name}"`);
  if (type === 'git') return `Clones ${addressOf(table.url) ?? 'a repository'} and indexes it as the source "${name}".`;
  if (type === 's3') {
    const where = addressOf(table.endpoint_url) ?? 'Amazon S3';
    return `Reads the bucket "${textOf(table.bucket)}" at ${where} with your AWS keys, and indexes it as the source "${name}".`;
  }
  return why === undefined ? `Adds the source "${name}": ${settings(table)}.` : `The source "${name}" ${why}.`;
}

function aboutServer(name: string, table: Record<string, unknown>): string {
  const trust = table.trust === 'always' ? ' It accepts all tools of the server, even changed ones.' : '';
  if (table.command === undefined) {
    const headers = Object.keys(isRecord(table.headers) ? table.headers : {});
    const sent = headers.length === 0 ? '' : ` and sends it ${listOf(headers)}`;
    return `Connects to ${addressOf(table.url) ?? 'an address'} as the server "${name}"${sent}.${trust}`;
  }
  const args = Array.isArray(table.args) ? shownArguments(table.args.map(textOf)) : [];
  const folder = table.cwd === undefined ? '' : ` in the folder ${textOf(table.cwd)}`;
  return `Starts "${[textOf(table.command), ...args].join(' ')}"${folder} on this machine, with all your rights, as the server "${name}".${aboutVariables(table.env)}${trust}`;
}

/** A variable can turn a well-known command into another program, so those that can are shown with their values. */
function aboutVariables(env: unknown): string {
  if (!isRecord(env)) return '';
  const steering = Object.keys(env).filter(changesProgram);
  const others = Object.keys(env).filter((name) => !steering.includes(name));
  const steered =
    steering.length === 0
      ? ''
      : ` It sets ${settings(env, steering)}, which can change what is run and where it connects.`;
  return `${steered}${others.length === 0 ? '' : ` It sets ${listOf(others)}.`}`;
}

function aboutProvider(name: string, table: Record<string, unknown>): string {
  const address = addressOf(table.base_url);
  const key = table.api_key === undefined ? 'your saved API key' : 'an API key';
  if (address === undefined) return `Changes the model provider "${name}": ${settings(table)}.`;
  return `Sends conversations with models of "${name}", and ${key}, to ${address}.`;
}

/** Names every key. Only a long value is cut, so that it cannot hide the next one. */
function settings(table: Record<string, unknown>, keys: readonly string[] = Object.keys(table)): string {
  const parts = keys.map((key) => {
    const text = JSON.stringify(masked(table[key], key), plain);
    return `${key} = ${text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text}`;
  });
  return parts.join(', ');
}

const maxValueLength = 120;

function plain(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/**
 * Masks the values of keys whose names suggest a secret, of `headers`, of the variables in `env` that cannot change the program, and
 * passwords in addresses.
 */
function masked(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return isSecretSetting(key) ? hideWord(value) : maskAddress(value, hideWord);
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? shownArguments(value) : value.map((each) => masked(each));
  if (!isRecord(value) || value instanceof Date) return value;
  const isSecret = (name: string) => /^headers$/i.test(key) || (/^env$/i.test(key) && !changesProgram(name));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, masked(each, isSecret(name) ? 'secret' : name)]),
  );
}

/** Masks a secret only if it is one word that a shell takes as it is. Anything else may be code, which must be seen before it is trusted. */
function hideWord(text: string): string {
  return /^(?:(?:bearer|basic|token) )?[\w.~+/=:@%,-]+$/i.test(text) ? maskText(text) : text;
}

/** Masks assigned secrets, and words after an option if they look like a key: others may be the program that is run. */
function shownArguments(values: readonly string[]): string[] {
  const masked = maskArguments(values, hideWord);
  return values.map((value, index) => {
    const [alone = value] = maskArguments([value], hideWord);
    return looksLikeKey(value) ? (masked[index] ?? alone) : alone;
  });
}

function looksLikeKey(value: string): boolean {
  return value.length >= 16 && /\d/.test(value) && /[A-Z]/.test(value);
}

function addressOf(value: unknown): string | undefined {
  return typeof value === 'string' ? maskAddress(value, hideWord) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value, plain) : String(value);
}

function hasItems(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

function listOf(values: readonly unknown[]): string {
  const texts = values.map(textOf);
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}
