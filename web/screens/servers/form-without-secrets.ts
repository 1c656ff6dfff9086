import { mask, maskAddress, maskArguments, maskText } from '../../../src/servers/mask-secrets.ts';
import { formatCommandLine, parseCommandLine } from './command-line.ts';
import type { Pair, ServerForm } from './server-form.ts';

/**
 * Returns the form as the browser may store it. Masks and variables stay. A typed secret is left out; the one that it would replace,
 * which is masked in `saved`, then stays as it is.
 */
export function formWithoutSecrets(form: ServerForm, saved?: ServerForm): ServerForm {
  /** Within a text, the mask stands for the stored secret. */
  const within = (text: string) => (secret: string) => hide(secret, text.includes(mask) ? mask : '');
  return {
    ...form,
    token: hide(form.token, saved?.token),
    key: hide(form.key, saved?.key),
    clientSecret: hide(form.clientSecret, saved?.clientSecret),
    env: hidePairs(form.env, saved?.env),
    headers: hidePairs(form.headers, saved?.headers),
    authHeaders: hidePairs(form.authHeaders, saved?.authHeaders),
    commandLine: hideInCommand(form.commandLine, within(saved?.commandLine ?? '')),
    url: maskAddress(form.url, within(saved?.url ?? '')),
  };
}

/** Whether closing the form would lose a typed secret. */
export function hasSecret(form: ServerForm): boolean {
  return JSON.stringify(formWithoutSecrets(form)) !== JSON.stringify(form);
}

function hide(text: string, instead = ''): string {
  return text === mask || maskText(text) === text ? text : instead;
}

function hidePairs(pairs: readonly Pair[], saved: readonly Pair[] = []): Pair[] {
  return pairs.map((pair) => ({
    ...pair,
    value: hide(pair.value, saved.find(({ name }) => name === pair.name)?.value),
  }));
}

/** Keeps the text as typed unless it has a secret: an assignment before the command, or an argument that looks like one. */
function hideInCommand(text: string, hideSecret: (secret: string) => string): string {
  const parsed = parseCommandLine(text);
  if (!parsed.ok) {
    const words = text.split(/\s+/);
    return maskArguments(words, hideSecret).every((word, index) => word === words[index]) ? text : '';
  }
  const { command, args, env } = parsed.line;
  const shown = maskArguments(args, hideSecret);
  const isPlain = Object.keys(env).length === 0 && shown.every((word, index) => word === args[index]);
  return isPlain ? text : formatCommandLine(command, shown);
}
