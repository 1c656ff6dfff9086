import { memo, useId, useMemo } from 'react';
import type { ToolBody } from '../../../../src/tools/tools.contract.ts';
import { ToolBadges } from '../../../parts/tools/tool-badges.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { ForeignText } from '../../../ui/foreign-text.tsx';
import { PageVirtualList } from '../../../ui/virtual-list.tsx';
import { patternsFor } from './scope.ts';

export interface ToolPickerProps {
  tools: readonly ToolBody[];
  query: string;
  scope: readonly string[];
  editable: boolean;
  onAdd: (names: readonly string[]) => void;
  onRemove: (names: readonly string[]) => void;
}

/** Every tool of the hub, grouped by origin. */
export const ToolPicker = memo(function ToolPicker(props: ToolPickerProps) {
  const { tools, query, scope, editable, onAdd, onRemove } = props;
  const groups = useMemo(() => groupByOrigin(tools, query), [tools, query]);
  const exact = useMemo(() => new Set(scope), [scope]);
  if (groups.length === 0) {
    return <p className="py-8 text-center text-muted text-sm">No tools match “{query.trim()}”. Try another word.</p>;
  }
  return groups.map(({ origin, members }) => {
    const names = members.map((tool) => tool.name);
    const missing = names.filter((name) => !exact.has(name));
    return (
      <section
        key={origin}
        aria-label={originName(origin)}
        className="overflow-hidden rounded-xl border border-line bg-raised shadow-card"
      >
        <header className="flex items-center gap-2 border-line border-b bg-sunken/50 px-3.5 py-1.5">
          <h4 className="min-w-0 flex-1 truncate font-medium text-muted text-xs first-letter:uppercase">
            {originName(origin)}
          </h4>
          {editable && (
            <Button variant="ghost" size="sm" onClick={() => (missing.length > 0 ? onAdd(missing) : onRemove(names))}>
              {missing.length > 0 ? 'Select all' : 'Clear all'}
            </Button>
          )}
        </header>
        <PageVirtualList
          label={originName(origin)}
          items={members}
          keyOf={(tool) => tool.name}
          estimateSize={60}
          className="divide-y divide-line"
        >
          {(tool, index) => (
            <ToolRow
              row={index}
              tool={tool}
              checked={exact.has(tool.name)}
              patterns={patternsFor(scope, tool.name).join(', ')}
              editable={editable}
              onChange={(checked) => (checked ? onAdd([tool.name]) : onRemove([tool.name]))}
            />
          )}
        </PageVirtualList>
      </section>
    );
  });
});

interface ToolRowProps {
  /** Its place in the group. */
  row: number;
  tool: ToolBody;
  checked: boolean;
  /** The patterns of the scope that match it. */
  patterns: string;
  editable: boolean;
  onChange: (checked: boolean) => void;
}

function ToolRow({ row, tool, checked, patterns, editable, onChange }: ToolRowProps) {
  const id = useId();
  return (
    <label htmlFor={id} className="flex items-start gap-3 px-3.5 py-2.5 hover:bg-hover">
      <Checkbox
        id={id}
        data-row={row}
        checked={checked}
        disabled={!editable}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5"
      />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="break-all font-mono text-xs">{tool.name}</span>
          {patterns && !checked && <Badge tone="violet">In scope via {patterns}</Badge>}
          <ToolBadges annotations={tool.annotations} />
        </span>
        <span className="mt-0.5 line-clamp-2 text-muted text-xs">
          <ForeignText text={tool.description || tool.title} />
        </span>
      </span>
    </label>
  );
}

const serverOrigin = 'server ';

/** Returns a heading: "Server x" for external servers, otherwise the origin itself. */
function originName(origin: string): string {
  return origin.startsWith(serverOrigin) ? `Server ${origin.slice(serverOrigin.length)}` : origin;
}

function groupByOrigin(tools: readonly ToolBody[], query: string): { origin: string; members: ToolBody[] }[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, ToolBody[]>();
  for (const tool of tools) {
    const text = `${tool.name} ${tool.title} ${tool.description} ${tool.origin}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const members = groups.get(tool.origin);
    if (members) members.push(tool);
    else groups.set(tool.origin, [tool]);
  }
  return [...groups].map(([origin, members]) => ({ origin, members }));
}
