import type { CallAs } from './use-tool-run.ts';

export interface SnippetCall {
  tool: string;
  input: unknown;
  as: CallAs;
  /** The hub's own address, without a slash at its end. */
  url: string;
}

/** The same call in a terminal of this machine. */
export function cliSnippet({ tool, input, as }: SnippetCall): string {
  return [
    `zoo tool call ${shellQuote(tool)}`,
    isEmpty(input) ? '' : `--json-input ${shellQuote(JSON.stringify(input))}`,
    as.kind === 'agent' ? `--agent ${shellQuote(as.id)}` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

/** The same call by HTTP; a member's token is known to the member alone. */
export function curlSnippet({ tool, input, as, url }: SnippetCall): string {
  const query = as.kind === 'agent' ? `?agent=${encodeURIComponent(as.id)}` : '';
  return [
    `curl -X POST ${shellQuote(`${url}/tools/${encodeURIComponent(tool)}${query}`)}`,
    "-H 'Content-Type: application/json'",
    ...(as.kind === 'member' ? ['-H "Authorization: Bearer $ZOO_MEMBER_TOKEN"'] : []),
    `-d ${shellQuote(JSON.stringify(input ?? {}))}`,
  ].join(' \\\n  ');
}

/** For sh, bash and zsh: between single quotes nothing has a meaning but the quote itself. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function isEmpty(input: unknown): boolean {
  return input === undefined || JSON.stringify(input) === '{}';
}
