import type { CallAs } from './use-tool-run.ts';

export interface SnippetCall {
  tool: string;
  input: unknown;
  as: CallAs;
  /** The hub's URL without a trailing slash. */
  url: string;
}

/** Returns the call as a `zoo` command for this machine. */
export function cliSnippet({ tool, input, as }: SnippetCall): string {
  return [
    `zoo tool call ${shellQuote(tool)}`,
    isEmpty(input) ? '' : `--json-input ${shellQuote(JSON.stringify(input))}`,
    as.kind === 'agent' ? `--agent ${shellQuote(as.id)}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Returns the call as a curl command. Only the member knows its token. */
export function curlSnippet({ tool, input, as, url }: SnippetCall): string {
  const query = as.kind === 'agent' ? `?agent=${encodeURIComponent(as.id)}` : '';
  return [
    `curl -X POST ${shellQuote(`${url}/tools/${encodeURIComponent(tool)}${query}`)}`,
    "-H 'Content-Type: application/json'",
    ...(as.kind === 'member' ? ['-H "Authorization: Bearer $ZOO_MEMBER_TOKEN"'] : []),
    `-d ${shellQuote(JSON.stringify(input ?? {}))}`,
  ].join(' \\\n  ');
}

/** Quotes for sh, bash and zsh, where only a single quote is special inside single quotes. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function isEmpty(input: unknown): boolean {
  return input === undefined || JSON.stringify(input) === '{}';
}
