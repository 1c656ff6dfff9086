import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';

const toolFilters = ['reads', 'destructive', 'approval', 'external'] as const;
export type ToolFilter = (typeof toolFilters)[number];

export type ToolTab = 'try' | 'schema' | 'access';

/** The search parameters in the tools URL. Defaults are left out. */
export interface ToolSearch {
  q?: string;
  only?: ToolFilter;
  /** The key of the only group to show. */
  from?: string;
  tab?: Exclude<ToolTab, 'try'>;
}

export function toolSearch({ q, only, from, tab }: Record<string, unknown>): ToolSearch {
  return {
    // The router reads ?q=42 as a number.
    ...(((typeof q === 'string' && q !== '') || typeof q === 'number') && { q: String(q) }),
    ...(toolFilters.some((each) => each === only) && { only: only as ToolFilter }),
    ...(typeof from === 'string' && from !== '' && { from }),
    ...((tab === 'schema' || tab === 'access') && { tab }),
  };
}

const isShown: Record<ToolFilter, (tool: ToolDetailBody) => boolean> = {
  reads: (tool) => tool.annotations.readOnlyHint,
  destructive: (tool) => tool.annotations.destructiveHint && !tool.annotations.readOnlyHint,
  approval: (tool) => tool.requiresApproval,
  external: (tool) => tool.server !== null,
};

export type ToolRow =
  | { type: 'group'; key: string; title: string; count: number }
  | { type: 'tool'; tool: ToolDetailBody };

/** Returns the matching tools, grouped by origin: what was added comes before what every hub has. */
export function toolRows(tools: readonly ToolDetailBody[], { q = '', only, from }: ToolSearch): ToolRow[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ToolDetailBody[]>();
  for (const tool of tools) {
    if (only && !isShown[only](tool)) continue;
    if (words.length > 0 && !words.every((word) => textOf(tool).includes(word))) continue;
    const key = groupOf(tool);
    if (from !== undefined && key !== from) continue;
    const members = groups.get(key);
    if (members) members.push(tool);
    else groups.set(key, [tool]);
  }
  const ordered = [...groups].sort(([left], [right]) => compareGroups(left, right));
  return ordered.flatMap(([key, members]): ToolRow[] => [
    { type: 'group', key, title: groupTitle(key), count: members.length },
    ...members
      .toSorted((left, right) => compare(nameInGroup(left), nameInGroup(right)))
      .map((tool) => ({ type: 'tool' as const, tool })),
  ]);
}

/** Returns the groups of these tools, in order. */
export function toolSources(tools: readonly ToolDetailBody[]): { key: string; title: string }[] {
  return [...new Set(tools.map(groupOf))].sort(compareGroups).map((key) => ({ key, title: groupTitle(key) }));
}

export function countTools(rows: readonly ToolRow[]): number {
  return rows.reduce((count, row) => count + (row.type === 'tool' ? 1 : 0), 0);
}

/** Returns the name without the server prefix, or the full name of a renamed tool. */
export function nameInGroup({ name, server }: ToolDetailBody): string {
  const prefix = `mcp__${server?.name}__`;
  return server && name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

const fixedGroups: Record<string, string> = { scripts: 'Scripts', code: 'Code', builtIn: 'Built-in', team: 'Team' };
const fixedOrder = Object.keys(fixedGroups);

/** The origin of a script is its path, so all other origins are scripts. */
function groupOf(tool: ToolDetailBody): string {
  if (tool.server) return `server ${tool.server.name}`;
  if (tool.isForMembers) return 'team';
  if (tool.origin === 'built-in') return 'builtIn';
  return tool.origin === 'code' ? 'code' : 'scripts';
}

function groupTitle(key: string): string {
  return fixedGroups[key] ?? key.slice('server '.length);
}

/** Puts servers first. */
function compareGroups(left: string, right: string): number {
  return fixedOrder.indexOf(left) - fixedOrder.indexOf(right) || compare(left, right);
}

const texts = new WeakMap<ToolDetailBody, string>();

/** Returns the searchable text, cached because every key press searches up to a thousand tools. */
function textOf(tool: ToolDetailBody): string {
  let text = texts.get(tool);
  if (text === undefined) {
    text =
      `${tool.name} ${tool.title} ${tool.description} ${tool.origin} ${tool.server?.remoteName ?? ''}`.toLowerCase();
    texts.set(tool, text);
  }
  return text;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
