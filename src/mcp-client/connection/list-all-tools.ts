import { HubError } from '../../base/hub-error.ts';
import type { JsonObject } from '../../base/json.ts';
import type { RemoteTool } from '../../servers/supervise/server-connection.ts';
import type { LogLines } from '../process/server-output.ts';
import { foreignText } from './connection-errors.ts';

const methodNotFound = -32601;
const maxPages = 1_000;
const maxTools = 20_000;
const maxNameLength = 500;
/** The total size of all definitions. */
const maxCharacters = 32 * 1024 * 1024;
/** Far deeper than any real schema; keeps recursive code safe. */
const maxDepth = 200;

export interface ToolPages {
  server: string;
  page(cursor: string | undefined): Promise<JsonObject>;
  log: LogLines;
}

/** Reads all pages of `tools/list` and returns each tool as its server wrote it. Of tools with the same name, the first is kept and the others are logged. */
export async function listAllTools({ server, page, log }: ToolPages): Promise<RemoteTool[]> {
  const tools = new Map<string, RemoteTool>();
  const cursors = new Set<string>();
  let cursor: string | undefined;
  let characters = 0;
  for (let pages = 0; ; pages += 1) {
    if (pages === maxPages) throw tooLarge(server, `more than ${maxPages} pages`);
    const result = await page(cursor).catch((error: unknown): JsonObject => {
      // A server that has only prompts or resources lacks this method.
      if (pages === 0 && error instanceof HubError && error.details?.rpcCode === methodNotFound) return { tools: [] };
      throw error;
    });
    if (!Array.isArray(result.tools)) {
      throw new HubError('UNAVAILABLE', `Server "${server}" replied to tools/list without a list of tools.`);
    }
    for (const tool of result.tools) characters += addTool(tools, tool, log);
    if (tools.size > maxTools) throw tooLarge(server, `more than ${maxTools} tools`);
    if (characters > maxCharacters) throw tooLarge(server, `tools with more than ${maxCharacters} characters`);
    if (typeof result.nextCursor !== 'string' || result.nextCursor === '') return [...tools.values()];
    cursor = result.nextCursor;
    if (cursors.has(cursor)) throw tooLarge(server, 'the same page again');
    cursors.add(cursor);
  }
}

/** Returns the size of the tool in characters. */
function addTool(tools: Map<string, RemoteTool>, tool: unknown, log: LogLines): number {
  if (isDeeper(tool, maxDepth)) {
    log('error', `The server lists a tool that is nested more than ${maxDepth} levels deep. It is left out.`);
    return 0;
  }
  const text = JSON.stringify(tool);
  if (!isTool(tool)) {
    const shown = foreignText(text.slice(0, 500)).slice(0, 200);
    log('error', `The server lists a tool without a valid name. It is left out: ${shown}`);
  } else if (tools.has(tool.name)) {
    log('error', `The server lists the tool "${tool.name}" twice. The first one is used.`);
  } else {
    tools.set(tool.name, tool);
  }
  return text.length;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

function isTool(tool: unknown): tool is RemoteTool {
  if (typeof tool !== 'object' || tool === null || !('name' in tool)) return false;
  const { name } = tool;
  return typeof name === 'string' && name !== '' && name.length <= maxNameLength;
}

function tooLarge(server: string, what: string): HubError {
  return new HubError('TOO_LARGE', `Server "${server}" lists ${what}, so its list is not used.`, {
    details: { server },
  });
}
