import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import { AgentCard, cardHeight } from './agent-card.tsx';

const gap = 12;
const minCardWidth = 290;
/** Up to this many cards are all rendered, so that the browser's find works. */
const maxPlainCards = 200;

/** A grid of cards with arrow-key navigation. A long list renders only the cards near the viewport. */
export function AgentGrid({ agents }: { agents: readonly AgentSummary[] }) {
  const list = useRef<HTMLUListElement>(null);
  const pendingFocus = useRef<number | null>(null);
  const { columns, top } = useGridMeasures(list);
  const isLong = agents.length > maxPlainCards;
  const rows = useWindowVirtualizer({
    count: isLong ? Math.ceil(agents.length / columns) : 0,
    estimateSize: () => cardHeight + gap,
    scrollMargin: top,
    overscan: 4,
  });

  const focusCard = (index: number) => {
    const card = list.current?.querySelector<HTMLElement>(`[data-card="${index}"]`);
    card?.focus();
    return card !== null && card !== undefined;
  };
  // A distant card is rendered only after scrolling brings it near.
  useEffect(() => {
    if (pendingFocus.current !== null && focusCard(pendingFocus.current)) pendingFocus.current = null;
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.card === undefined) return;
    const index = Number(event.target.dataset.card);
    const next = cardAfterKey(event.key, { index, columns, count: agents.length });
    if (next === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    if (focusCard(next)) return;
    pendingFocus.current = next;
    rows.scrollToIndex(Math.floor(next / columns));
  };

  if (!isLong) {
    return (
      // The keys only move the focus between links that are reachable without them.
      <ul
        ref={list}
        aria-label="Agents"
        className="grid gap-3"
        style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))` }}
        onKeyDown={onKeyDown}
      >
        {agents.map((agent, index) => (
          <li key={agent.id}>
            <AgentCard agent={agent} index={index} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <ul
      ref={list}
      aria-label="Agents"
      className="relative"
      style={{ height: rows.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {rows.getVirtualItems().flatMap((row) =>
        agents.slice(row.index * columns, (row.index + 1) * columns).map((agent, column) => (
          <li
            key={agent.id}
            aria-setsize={agents.length}
            aria-posinset={row.index * columns + column + 1}
            className="absolute"
            style={{
              top: row.start - top,
              left: `calc((100% + ${gap}px) / ${columns} * ${column})`,
              width: `calc((100% - ${gap * (columns - 1)}px) / ${columns})`,
            }}
          >
            <AgentCard agent={agent} index={row.index * columns + column} />
          </li>
        )),
      )}
    </ul>
  );
}

function useGridMeasures(list: { current: HTMLElement | null }): { columns: number; top: number } {
  const [measures, setMeasures] = useState({ columns: 3, top: 0 });
  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return;
    const measure = () => {
      const box = element.getBoundingClientRect();
      const columns = Math.max(1, Math.floor((box.width + gap) / (minCardWidth + gap)));
      const top = Math.round(box.top + window.scrollY);
      setMeasures((now) => (now.columns === columns && now.top === top ? now : { columns, top }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [list]);
  return measures;
}

const steps: Record<string, (index: number, columns: number, count: number) => number> = {
  ArrowLeft: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index, columns) => index - columns,
  // From the second-to-last row, down reaches the last card even if the last row is short.
  ArrowDown: (index, columns, count) =>
    index + columns >= count && Math.floor(index / columns) < Math.floor((count - 1) / columns)
      ? count - 1
      : index + columns,
  Home: () => 0,
  End: (_index, _columns, count) => count - 1,
};

/** Returns the index of the card a key moves to, or undefined. */
export function cardAfterKey(key: string, grid: { index: number; columns: number; count: number }): number | undefined {
  const next = steps[key]?.(grid.index, grid.columns, grid.count);
  return next !== undefined && next >= 0 && next < grid.count ? next : undefined;
}
