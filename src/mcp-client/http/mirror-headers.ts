import type { RemoteTool } from '../../servers/supervise/server-connection.ts';
import type { LogLines } from '../process/server-output.ts';

/** MCP 2026-07-28 over HTTP: arguments marked in the schema are repeated as request headers. */
export interface MirroredHeaders {
  /** Without tools whose marks are invalid. */
  tools: RemoteTool[];
  of(tool: string, input: object): Record<string, string> | undefined;
}

interface Mirrored {
  path: string[];
  header: string;
}

const keyword = 'x-mcp-header';
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const mirroredTypes = ['string', 'integer', 'boolean'];
/** The values of these keywords are data, in which the mark has no meaning. */
const dataKeywords = new Set(['const', 'default', 'enum', 'examples']);

export function mirrorHeaders(tools: readonly RemoteTool[], log: LogLines): MirroredHeaders {
  const byTool = new Map<string, Mirrored[]>();
  const valid = tools.filter((tool) => {
    const mirrored = scan(tool.inputSchema);
    if (typeof mirrored === 'string') {
      log(
        'error',
        `The server lists the tool "${tool.name}" with an invalid ${keyword} (${mirrored}). It is left out.`,
      );
      return false;
    }
    if (mirrored.length > 0) byTool.set(tool.name, mirrored);
    return true;
  });
  return {
    tools: valid,
    of(tool, input) {
      const mirrored = byTool.get(tool);
      return mirrored && headersOf(mirrored, input);
    },
  };
}

function scan(schema: unknown): Mirrored[] | string {
  const found: Mirrored[] = [];
  const fault = visit(schema, [], true, found);
  if (fault !== undefined) return fault;
  const names = found.map(({ header }) => header.toLowerCase());
  return new Set(names).size === names.length ? found : 'two arguments share a header';
}

function visit(node: unknown, path: string[], isReachable: boolean, found: Mirrored[]): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  for (const [key, value] of Object.entries(node)) {
    if (key === keyword) {
      if (!isReachable || path.length === 0) return `${path.join('.')} is not a named argument`;
      if (typeof value !== 'string' || !token.test(value)) return `${path.join('.')} is not a valid header name`;
      if (!mirroredTypes.includes(String((node as { type?: unknown }).type)))
        return `${path.join('.')} must be a string, integer or boolean`;
      found.push({ path, header: value });
    } else if (key === 'properties' && typeof value === 'object' && value !== null) {
      for (const [name, property] of Object.entries(value)) {
        const fault = visit(property, [...path, name], isReachable, found);
        if (fault !== undefined) return fault;
      }
    } else if (!dataKeywords.has(key)) {
      const fault = visit(value, [...path, key], false, found);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function headersOf(mirrored: readonly Mirrored[], input: object): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of mirrored) {
    const value = path.reduce<unknown>((node, key) => (node as Record<string, unknown> | null)?.[key], input);
    const isSafe = typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'boolean';
    if (typeof value === 'string' || isSafe) headers[`Mcp-Param-${header}`] = encode(String(value));
  }
  return headers;
}

/** Encodes values that a header cannot carry as base64. */
function encode(value: string): string {
  const isPlain = /^[\t\x20-\x7e]+$/.test(value) && value === value.trim() && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
