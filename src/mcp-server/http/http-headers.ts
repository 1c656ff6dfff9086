import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../base/json.ts';
import type { JsonSchema } from '../../base/json-schema/json-schema.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import { isObject, RpcError, type RpcRequest, rpcCodes, statelessVersion } from '../protocol/protocol.ts';

/** Which part of a request `Mcp-Name` repeats. */
const namedBy = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Revision 2026-07-28: headers repeat parts of the body, so that a proxy can route by them. Throws -32020. */
export function checkHeaders(request: IncomingMessage, message: RpcRequest, tools: ToolRegistry): void {
  const version = headerOf(request, 'mcp-protocol-version');
  if (version !== statelessVersion) throw mismatch('MCP-Protocol-Version', version, statelessVersion);
  const method = headerOf(request, 'mcp-method')?.trim();
  if (method !== message.method) throw mismatch('Mcp-Method', method, message.method);
  const field = namedBy.get(message.method);
  const named = field === undefined ? undefined : message.params[field];
  if (typeof named === 'string') {
    const name = headerOf(request, 'mcp-name');
    if (decode(name) !== named) throw mismatch('Mcp-Name', name, named);
  }
  if (message.method === 'tools/call' && typeof named === 'string') {
    const schema = tools.find(named)?.inputSchema;
    if (schema) checkParameterHeaders(request, schema, message.params.arguments);
  }
}

/** `x-mcp-header` in a tool's schema: the argument travels in `Mcp-Param-…` as well. */
function checkParameterHeaders(request: IncomingMessage, schema: JsonSchema, input: unknown): void {
  for (const { header, path } of declaredHeaders(schema)) {
    const value = valueAt(input, path);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const name = `Mcp-Param-${header}`;
    const given = headerOf(request, name.toLowerCase());
    const decoded = decode(given);
    const isEqual =
      decoded === String(value) || (typeof value === 'number' && isDecimal(decoded) && Number(decoded) === value);
    if (!isEqual) throw mismatch(name, given, String(value));
  }
}

interface DeclaredHeader {
  header: string;
  path: readonly string[];
}

const knownHeaders = new WeakMap<JsonSchema, DeclaredHeader[]>();

function declaredHeaders(schema: JsonSchema): DeclaredHeader[] {
  let headers = knownHeaders.get(schema);
  if (!headers) {
    headers = findHeaders(schema, []);
    knownHeaders.set(schema, headers);
  }
  return headers;
}

function findHeaders(schema: JsonSchema, path: readonly string[]): DeclaredHeader[] {
  const { properties } = schema;
  if (typeof properties !== 'object' || properties === null || path.length > 16) return [];
  return Object.entries(properties).flatMap(([key, child]: [string, unknown]) => {
    if (!isObject(child)) return [];
    const own = [...path, key];
    const header = child['x-mcp-header'];
    return [...(typeof header === 'string' ? [{ header, path: own }] : []), ...findHeaders(child, own)];
  });
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? (value as JsonObject)[key] : undefined;
  return value;
}

function isDecimal(text: string | undefined): text is string {
  return text !== undefined && /^-?\d+(?:\.\d+)?$/.test(text);
}

/** `=?base64?…?=` carries what a header cannot; anything else stands for itself. Undefined when it is broken. */
function decode(value: string | undefined): string | undefined {
  const text = value?.trim();
  if (text === undefined || !text.startsWith('=?base64?') || !text.endsWith('?=')) return text;
  const encoded = text.slice('=?base64?'.length, -'?='.length);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64').toString();
}

function mismatch(header: string, given: string | undefined, wanted: string): RpcError {
  const found = given === undefined ? 'is missing' : `says ${JSON.stringify(given.slice(0, 200))}`;
  return new RpcError(
    rpcCodes.headerMismatch,
    `The header ${header} ${found}; the body says ${JSON.stringify(wanted.slice(0, 200))}.`,
    { status: 400 },
  );
}
