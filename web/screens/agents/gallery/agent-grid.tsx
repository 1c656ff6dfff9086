import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { ChevronDown } from 'lucide-react';
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { classes } from '../../../ui/classes.ts';
import { AgentCard, cardHeight } from './agent-card.tsx';
import { type AgentGroup, cardAfterKey, layOut } from './group-agents.ts';
import type { Selection } from './use-selection.ts';

const gap = 12;
const minCardWidth = 290;
/** Up to this many cards are all rendered, so that the browser's find works. */
const maxPlainCards = 200;

interface AgentGridProps {
  groups: readonly AgentGroup[];
  /** The titles of the groups whose cards are hidden. */
  folded: ReadonlySet<string>;
  onFold: (title: string) => void;
  favourites: ReadonlySet<string>;
  selection: Selection;
}

/** A grid of cards with arrow-key navigation, under headings that fold. A long list renders only the rows near the viewport. */
export function AgentGrid({ groups, folded, onFold, favourites, selection }: AgentGridProps) {
  const list = useRef<HTMLUListElement>(null);
  const pendingFocus = useRef<number | null>(null);
  const { columns, top } = useGridMeasures(list);
  const { rows, agents } = useMemo(() => layOut(groups, { columns, folded }), [groups, columns, folded]);
  const isLong = agents.length > maxPlainCards;
  const virtual = useWindowVirtualizer({
    count: isLong ? rows.length : 0,
    estimateSize: (index) => (rows[index] && 'title' in rows[index] ? headingHeight : cardHeight) + gap,
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
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const index = Number(event.target.dataset.card);
    if (event.key === ' ' && agents[index]) {
      event.preventDefault();
      selection.toggle(agents[index].id, { toHere: event.shiftKey });
      return;
    }
    const next = cardAfterKey(event.key, index, rows);
    if (next === undefined) return;
    event.preventDefault();
    if (focusCard(next)) return;
    pendingFocus.current = next;
    virtual.scrollToIndex(rows.findIndex((row) => 'cards' in row && row.cards.includes(next)));
  };
  const drawCard = (index: number) => {
    const agent = agents[index];
    return (
      agent && (
        <AgentCard
          agent={agent}
          index={index}
          isFavourite={favourites.has(agent.id)}
          isSelected={selection.ids.has(agent.id)}
          isSelecting={selection.ids.size > 0}
          onSelect={selection.toggle}
        />
      )
    );
  };
  const drawHeading = ({ title, count }: { title: string; count: number }) => (
    <GroupHeading title={title} count={count} isFolded={folded.has(title)} onFold={() => onFold(title)} />
  );

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
        {rows.map((row) =>
          'title' in row ? (
            <li key={row.title} className="col-span-full">
              {drawHeading(row)}
            </li>
          ) : (
            row.cards.map((index) => <li key={agents[index]?.id}>{drawCard(index)}</li>)
          ),
        )}
      </ul>
    );
  }
  return (
    <ul
      ref={list}
      aria-label="Agents"
      className="relative"
      style={{ height: virtual.getTotalSize() }}
      onKeyDown={onKeyDown}
    >
      {virtual.getVirtualItems().flatMap(({ index: at, start }) => {
        const row = rows[at];
        if (!row) return [];
        if ('title' in row) {
          return [
            <li key={row.title} className="absolute w-full" style={{ top: start - top }}>
              {drawHeading(row)}
            </li>,
          ];
        }
        return row.cards.map((index, column) => (
          <li
            key={agents[index]?.id}
            aria-setsize={agents.length}
            aria-posinset={index + 1}
            className="absolute"
            style={{
              top: start - top,
              left: `calc((100% + ${gap}px) / ${columns} * ${column})`,
              width: `calc((100% - ${gap * (columns - 1)}px) / ${columns})`,
            }}
          >
            {drawCard(index)}
          </li>
        ));
      })}
    </ul>
  );
}

const headingHeight = 28;

interface GroupHeadingProps {
  title: string;
  count: number;
  isFolded: boolean;
  onFold: () => void;
}

function GroupHeading({ title, count, isFolded, onFold }: GroupHeadingProps) {
  return (
    <h2 className="h-7 font-medium text-muted text-sm">
      <button
        type="button"
        aria-expanded={!isFolded}
        onClick={onFold}
        className="flex h-7 max-w-full items-center gap-1.5 rounded-md pr-2 hover:text-text"
      >
        <ChevronDown
          aria-hidden
          className={classes('size-4 shrink-0 transition-transform', isFolded && '-rotate-90')}
        />
        <span className="truncate">{title}</span>
        <span className="text-faint tabular-nums">{count}</span>
      </button>
    </h2>
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
