import { type DiffLine, diffLines } from '../../../src/agents/diff-lines.ts';
import type { RemoteTool } from '../../../src/servers/supervise/server-connection.ts';
import { visibleText } from '../../ui/visible-text.ts';

/** One field of a tool's definition that is not as it was. */
export interface ToolFieldChange {
  kind: 'added' | 'removed' | 'changed';
  field: string;
  lines: DiffLine[];
}

const first = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/** Every field in which two definitions differ: texts by their lines, everything else as sorted JSON. */
export function compareTools(before: RemoteTool, after: RemoteTool): ToolFieldChange[] {
  const fields = [...new Set([...first, ...Object.keys(before).sort(), ...Object.keys(after).sort()])];
  return fields.flatMap((field) => {
    const was = textOf(before[field]);
    const is = textOf(after[field]);
    if (was === is) return [];
    const kind = was === null ? ('added' as const) : is === null ? ('removed' as const) : ('changed' as const);
    return [{ kind, field, lines: diffLines(was ?? '', is ?? '') }];
  });
}

/** Null where there is no such field. */
function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return visibleText(typeof value === 'string' ? value : sortedJson(value));
}

/** Keys in order, so that two definitions that mean the same read the same. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(sorted(value), null, 2);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
