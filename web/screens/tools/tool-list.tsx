import { Link } from '@tanstack/react-router';
import { Eye, Hand, TriangleAlert } from 'lucide-react';
import { memo, type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { readOnlyLabel } from '../../parts/tools/tool-badges.tsx';
import { classes } from '../../ui/classes.ts';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx';
import { nameInGroup, type ToolRow, type ToolSearch } from './filter-tools.ts';

export interface ToolListHandle {
  focusTool: (name: string) => void;
}

export interface ToolListProps {
  handle: Ref<ToolListHandle>;
  rows: readonly ToolRow[];
  openName: string | undefined;
  search: ToolSearch;
}

const toolHeight = 52;

/** The tools below the headings of their groups. */
export function ToolList({ handle, rows, openName, search }: ToolListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualListHandle>(null);
  const indexOf = (name: string | undefined) => rows.findIndex((row) => row.type === 'tool' && row.tool.name === name);
  useImperativeHandle(handle, () => ({
    focusTool: (name) => {
      const index = indexOf(name);
      if (index !== -1) list.current?.focusRow(index);
    },
  }));
  // Scrolls to the open tool once.
  // biome-ignore lint/correctness/useExhaustiveDependencies: afterwards the user scrolls freely.
  useEffect(() => {
    const index = indexOf(openName);
    if (index <= 8) return;
    const frame = requestAnimationFrame(() => list.current?.showRow(index));
    return () => cancelAnimationFrame(frame);
  }, []);

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
      <VirtualList
        label="Tools"
        items={rows}
        keyOf={(row) => (row.type === 'group' ? `group ${row.key}` : `tool ${row.tool.name}`)}
        isRow={({ type }) => type === 'tool'}
        estimateSize={toolHeight}
        scroller={scroller}
        handle={list}
      >
        {(row, index) =>
          row.type === 'group' ? (
            <h2 className="flex h-8 items-end gap-2 px-4 pb-1 font-sans font-semibold text-muted text-xs">
              <span className="min-w-0 truncate">{row.title}</span>
              <span className="font-normal text-faint tabular-nums">{row.count.toLocaleString('en')}</span>
            </h2>
          ) : (
            <ToolItem tool={row.tool} row={index} isOpen={row.tool.name === openName} search={search} />
          )
        }
      </VirtualList>
    </div>
  );
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
        'mx-2 flex h-13 flex-col justify-center rounded-lg px-2.5 outline-offset-[-2px]',
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
            <Eye role="img" aria-label={readOnlyLabel(tool.requiresApproval)} />
          ) : (
            destructiveHint && <TriangleAlert role="img" aria-label="Destructive" className="text-warn" />
          )}
        </span>
      </span>
      <span className="min-w-0 truncate text-muted text-xs">
        <ForeignText text={firstLine(tool.description) || tool.title} hasCode />
      </span>
    </Link>
  );
});

function firstLine(text: string): string {
  return text.trimStart().slice(0, 200).split('\n', 1)[0] ?? '';
}
