import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { sourceLabels } from '../../../parts/agents/source-badge.tsx';

/** Agents under a heading, or all agents without one. */
export interface AgentGroup {
  title: string | null;
  agents: readonly AgentSummary[];
}

/** Puts agents made in the app first, then one group for each folder and kind of file. Keeps the order within each group. */
export function groupBySource(agents: readonly AgentSummary[]): AgentGroup[] {
  const groups = Map.groupBy(agents, titleOf);
  const order = (title: string) => (title === storeTitle ? 0 : 1);
  return [...groups]
    .map(([title, members]) => ({ title, agents: members }))
    .sort((a, b) => order(a.title) - order(b.title) || a.title.localeCompare(b.title));
}

const storeTitle = 'Made in the app';

function titleOf({ source, place }: AgentSummary): string {
  if (source === 'store') return storeTitle;
  const end = Math.max(place.lastIndexOf('/'), place.lastIndexOf('\\'));
  const folder = end > 0 ? place.slice(0, end) : place;
  return `${sourceLabels[source]} · ${folder}`;
}

/** A row of the grid: a heading, or the indexes of its cards. */
export type GridRow = { title: string; count: number } | { cards: number[] };

/** Lays out the groups. Cards of folded groups are left out, so the indexes count only visible cards. */
export function layOut(
  groups: readonly AgentGroup[],
  { columns, folded }: { columns: number; folded: ReadonlySet<string> },
): { rows: GridRow[]; agents: AgentSummary[] } {
  const rows: GridRow[] = [];
  const agents: AgentSummary[] = [];
  for (const group of groups) {
    if (group.title !== null) {
      rows.push({ title: group.title, count: group.agents.length });
      if (folded.has(group.title)) continue;
    }
    for (let start = 0; start < group.agents.length; start += columns) {
      const part = group.agents.slice(start, start + columns);
      rows.push({ cards: part.map((_, index) => agents.length + index) });
      agents.push(...part);
    }
  }
  return { rows, agents };
}

/** Returns the index of the card a key moves to, or undefined. */
export function cardAfterKey(key: string, index: number, rows: readonly GridRow[]): number | undefined {
  const lines = rows.flatMap((row) => ('cards' in row ? [row.cards] : []));
  const line = lines.findIndex((cards) => cards.includes(index));
  const column = lines[line]?.indexOf(index) ?? 0;
  const at = (cards: number[] | undefined) => cards?.[Math.min(column, cards.length - 1)];
  switch (key) {
    case 'ArrowLeft':
      return index > 0 ? index - 1 : undefined;
    case 'ArrowRight':
      return lines.some((cards) => cards.includes(index + 1)) ? index + 1 : undefined;
    case 'ArrowUp':
      return at(lines[line - 1]);
    case 'ArrowDown':
      return at(lines[line + 1]);
    case 'Home':
      return 0;
    case 'End':
      return lines.at(-1)?.at(-1);
    default:
      return undefined;
  }
}
