import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Eye, Hand, TriangleAlert } from 'lucide-react';
import { memo, type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { classes } from '../../ui/classes.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { nameInGroup, type ToolRow, type ToolSearch } from './filter-tools.ts';

export interface ToolListHandle {
  /** Moves the focus by one tool, starting from the focused, open or first tool. */
  move: (step: 1 | -1) => void;
  focusTool: (name: string) => void;
}

export interface ToolListProps {
  handle: Ref<ToolListHandle>;
  rows: readonly ToolRow[];
  openName: string | undefined;
  search: ToolSearch;
}

const toolHeight = 52;
const groupHeight = 32;

/** Draws only rows near the viewport, so that a thousand tools stay fast. */
export function ToolList({ handle, rows, openName, search }: ToolListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const pendingFocus = useRef<number | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index]?.type === 'group' ? groupHeight : toolHeight),
    getItemKey: (index) => keyOf(rows[index], index),
    overscan: 12,
  });
  const focusRow = (index: number) => {
    const link = scroller.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
    link?.focus({ preventScroll: true });
    link?.scrollIntoView({ block: 'nearest' });
    return Boolean(link);
  };
  const goTo = (index: number) => {
    if (focusRow(index)) return;
    pendingFocus.current = index;
    virtual.scrollToIndex(index);
  };
  // A distant row is drawn only after scrolling.
  useEffect(() => {
    if (pendingFocus.current !== null && focusRow(pendingFocus.current)) pendingFocus.current = null;
  });
  const indexOf = (name: string | undefined) => rows.findIndex((row) => row.type === 'tool' && row.tool.name === name);
  useImperativeHandle(handle, () => ({
    move: (step) => {
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.row : undefined;
      const open = indexOf(openName);
      let index = focused !== undefined ? Number(focused) + step : open === -1 ? 0 : open + step;
      while (rows[index]?.type === 'group') index += index === 0 ? 1 : step;
      if (rows[index]) goTo(index);
    },
    focusTool: (name) => {
      const index = indexOf(name);
      if (index !== -1) goTo(index);
    },
  }));
  // Scrolls to the open tool once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: afterwards the user scrolls freely.
  useEffect(() => {
    const index = indexOf(openName);
    if (index > 8) virtual.scrollToIndex(index, { align: 'center' });
  }, []);

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <ul aria-label="Tools" className="relative" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          return (
            row && (
              <li key={item.key} className="absolute inset-x-0" style={{ top: item.start, height: item.size }}>
                {row.type === 'group' ? (
                  <h2 className="flex h-full items-end gap-2 px-4 pb-1 font-sans font-semibold text-muted text-xs">
                    <span className="min-w-0 truncate">{row.title}</span>
                    <span className="font-normal text-faint tabular-nums">{row.count.toLocaleString('en')}</span>
                  </h2>
                ) : (
                  <ToolItem tool={row.tool} row={item.index} isOpen={row.tool.name === openName} search={search} />
                )}
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function keyOf(row: ToolRow | undefined, index: number): string {
  if (!row) return String(index);
  return row.type === 'group' ? `group ${row.key}` : `tool ${row.tool.name}`;
}

interface ToolItemProps {
  tool: ToolDetailBody;
  row: number;
  isOpen: boolean;
  search: ToolSearch;
}

const ToolItem = memo(function ToolItem({ tool, row, isOpen, search }: ToolItemProps) {
  const { readOnlyHint, destructiveHint } = tool.annotations;
  return (
    <Link
      to="/tools/$name"
      params={{ name: tool.name }}
      search={search}
      preload={false}
      data-row={row}
      className={classes(
        'mx-2 flex h-full flex-col justify-center rounded-lg px-2.5 outline-offset-[-2px]',
        isOpen ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      <span className="flex min-w-0 items-center gap-1.5">
        <span className="min-w-0 flex-1 truncate font-mono text-xs" title={tool.name}>
          {nameInGroup(tool)}
        </span>
        <span className="flex shrink-0 gap-1 text-faint [&_svg]:size-3.5">
          {tool.requiresApproval && <Hand role="img" aria-label="Needs approval" className="text-violet" />}
          {readOnlyHint ? (
            <Eye role="img" aria-label="Read-only" />
          ) : (
            destructiveHint && <TriangleAlert role="img" aria-label="Destructive" className="text-warn" />
          )}
        </span>
      </span>
      <span className="min-w-0 truncate text-muted text-xs">
        <ForeignText text={firstLine(tool.description) || tool.title} />
      </span>
    </Link>
  );
});

function firstLine(text: string): string {
  return text.trimStart().slice(0, 200).split('\n', 1)[0] ?? '';
}
