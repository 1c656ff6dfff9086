import { type DiffLine, diffLines } from '../../../src/agents/diff-lines.ts';
import type { RemoteTool } from '../../../src/servers/supervise/server-connection.ts';
import { visibleText } from '../../ui/visible-text.ts';

/** A changed field of a tool definition. */
export interface ToolFieldChange {
  kind: 'added' | 'removed' | 'changed';
  field: string;
  lines: DiffLine[];
}

const first = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'];

/** Returns the fields in which two definitions differ: text line by line, everything else as sorted JSON. */
export function compareTools(before: RemoteTool, after: RemoteTool): ToolFieldChange[] {
  const fields = [...new Set([...first, ...Object.keys(before).sort(), ...Object.keys(after).sort()])];
  return fields.flatMap((field) => {
    const old = textOf(before[field]);
    const current = textOf(after[field]);
    if (old === current) return [];
    const kind = old === null ? ('added' as const) : current === null ? ('removed' as const) : ('changed' as const);
    return [{ kind, field, lines: diffLines(old ?? '', current ?? '') }];
  });
}

/** Returns null for a missing field. */
function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return visibleText(typeof value === 'string' ? value : sortedJson(value));
}

/** Formats JSON with sorted keys, so that equivalent definitions look the same. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(sorted(value), null, 2);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}
