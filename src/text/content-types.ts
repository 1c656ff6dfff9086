import { type CutFamily, type Language, languageTables } from './languages.ts';

const { byExtension, byName, byContentType } = languageTables();

/** Written by machines for machines: nobody asks a knowledge base for them. */
const machineMade =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|composer\.lock|gemfile\.lock|cargo\.lock|poetry\.lock|pipfile\.lock|uv\.lock|go\.sum|flake\.lock|deno\.lock|packages\.lock\.json)$|[.-]min\.(?:js|mjs|cjs|css|html)$|\.(?:js|css|mjs|cjs)\.map$|\.bundle\.js$|\.lock$/;

/** Other words that servers and scripts use for the same. */
const synonyms: Record<string, string> = {
  'text/x-markdown': 'text/markdown',
  'application/xhtml+xml': 'text/html',
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'application/typescript': 'text/x-typescript',
  'text/json': 'application/json',
  'application/x-ndjson': 'application/jsonl',
  'text/yaml': 'application/yaml',
  'text/x-yaml': 'application/yaml',
  'application/x-yaml': 'application/yaml',
  'text/xml': 'application/xml',
  'text/x-toml': 'application/toml',
};

/** The MIME type of a file: what the source says, if that says anything, else what the name tells, else plain text. */
export function contentTypeOf(name: string, given?: string): string {
  const stated = given?.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = Object.hasOwn(synonyms, stated) ? (synonyms[stated] ?? stated) : stated;
  if (byContentType.has(known) && known !== 'text/plain') return known;
  const named = languageOf(name)?.contentType;
  if (named !== undefined) return named;
  return known.startsWith('text/') ? known : 'text/plain';
}

/** What the first bytes say whatever the name is; undefined when they say nothing. */
export function sniffedType(content: Uint8Array | string): string | undefined {
  const head = typeof content === 'string' ? content.slice(0, 5) : String.fromCharCode(...content.subarray(0, 5));
  return head === '%PDF-' ? 'application/pdf' : undefined;
}

export function familyOf(contentType: string): CutFamily {
  return byContentType.get(contentType)?.family ?? 'plain';
}

/** Whether a connector takes a file when its config says nothing: text, documents and source code, but no lock or minified file. */
export function isKnownTextName(name: string): boolean {
  return languageOf(name) !== undefined && !machineMade.test(name.toLowerCase());
}

function languageOf(name: string): Language | undefined {
  const base = name.toLowerCase().split(/[\\/]/).at(-1) ?? '';
  const dot = base.lastIndexOf('.');
  return byName.get(base) ?? (dot >= 0 ? byExtension.get(base.slice(dot + 1)) : undefined);
}
