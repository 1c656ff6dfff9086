import { mask, maskAddress, maskArguments, maskText } from '../../../src/servers/mask-secrets.ts';
import { formatCommandLine, parseCommandLine } from './command-line.ts';
import type { Pair, ServerForm } from './server-form.ts';

/** Returns the form as the browser may store it. Masks and variables stay; typed secrets are left out. */
export function formWithoutSecrets(form: ServerForm): ServerForm {
  return {
    ...form,
    token: hide(form.token),
    key: hide(form.key),
    clientSecret: hide(form.clientSecret),
    env: hidePairs(form.env),
    headers: hidePairs(form.headers),
    authHeaders: hidePairs(form.authHeaders),
    commandLine: hideInCommand(form.commandLine),
    url: maskAddress(form.url, hide),
  };
}

function hide(text: string): string {
  return text === mask || maskText(text) === text ? text : '';
}

function hidePairs(pairs: readonly Pair[]): Pair[] {
  return pairs.map((pair) => ({ ...pair, value: hide(pair.value) }));
}

/** Keeps the text as typed unless it has a secret: an assignment before the command, or an argument that looks like one. */
function hideInCommand(text: string): string {
  const parsed = parseCommandLine(text);
  if (!parsed.ok) {
    const words = text.split(/\s+/);
    return maskArguments(words, hide).every((word, index) => word === words[index]) ? text : '';
  }
  const { command, args, env } = parsed.line;
  const shown = maskArguments(args, hide);
  const isPlain = Object.keys(env).length === 0 && shown.every((word, index) => word === args[index]);
  return isPlain ? text : formatCommandLine(command, shown);
}
