import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';

const toolFilters = ['reads', 'destructive', 'approval', 'external'] as const;
export type ToolFilter = (typeof toolFilters)[number];

export type ToolTab = 'try' | 'schema' | 'access';

/** What the address says of the screen; left out where it is the usual. */
export interface ToolSearch {
  q?: string;
  only?: ToolFilter;
  tab?: Exclude<ToolTab, 'try'>;
}

export function toolSearch({ q, only, tab }: Record<string, unknown>): ToolSearch {
  return {
    // The router reads ?q=42 as a number.
    ...(((typeof q === 'string' && q !== '') || typeof q === 'number') && { q: String(q) }),
    ...(toolFilters.some((each) => each === only) && { only: only as ToolFilter }),
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

/** The tools that a person asks for, below the name of where they come from. */
export function toolRows(tools: readonly ToolDetailBody[], { q = '', only }: ToolSearch): ToolRow[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ToolDetailBody[]>();
  for (const tool of tools) {
    if (only && !isShown[only](tool)) continue;
    if (words.length > 0 && !words.every((word) => textOf(tool).includes(word))) continue;
    const key = groupOf(tool);
    const members = groups.get(key);
    if (members) members.push(tool);
    else groups.set(key, [tool]);
  }
  const ordered = [...groups].sort(([left], [right]) => orderOf(left) - orderOf(right) || compare(left, right));
  return ordered.flatMap(([key, members]): ToolRow[] => [
    { type: 'group', key, title: groupTitle(key), count: members.length },
    ...members
      .toSorted((left, right) => compare(nameInGroup(left), nameInGroup(right)))
      .map((tool) => ({ type: 'tool' as const, tool })),
  ]);
}

export function countTools(rows: readonly ToolRow[]): number {
  return rows.reduce((count, row) => count + (row.type === 'tool' ? 1 : 0), 0);
}

/** Below the name of its server a tool needs no prefix, unless somebody gave it another name. */
export function nameInGroup({ name, server }: ToolDetailBody): string {
  const prefix = `mcp__${server?.name}__`;
  return server && name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

const fixedGroups: Record<string, string> = { builtIn: 'Built-in', team: 'Team', scripts: 'Scripts', code: 'Code' };
const fixedOrder = Object.keys(fixedGroups);

/** Scripts have their path as origin, one each. */
function groupOf(tool: ToolDetailBody): string {
  if (tool.server) return `server ${tool.server.name}`;
  if (tool.isForMembers) return 'team';
  if (tool.origin === 'built-in') return 'builtIn';
  return tool.origin === 'code' ? 'code' : 'scripts';
}

function groupTitle(key: string): string {
  return fixedGroups[key] ?? key.slice('server '.length);
}

function orderOf(key: string): number {
  const at = fixedOrder.indexOf(key);
  return at === -1 ? fixedOrder.length : at;
}

const texts = new WeakMap<ToolDetailBody, string>();

/** A thousand tools are searched with every key that is pressed. */
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
