import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Check, Minus, PencilLine } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import type { PermissionMatrixBody } from '../../../../src/team/members/members.contract.ts';
import { usePermissionMatrix } from '../../../api/team-queries.ts';
import { MemberTypeBadge, memberTypeNames, memberTypes } from '../../../parts/team/member-badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Input } from '../../../ui/input.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { RulesDialog } from './rules-dialog.tsx';

/** Shows which member types may call which tools under the current rules. */
export function PermissionsScreen() {
  useTitle('Permissions');
  const { data, error, refetch } = usePermissionMatrix();
  return (
    <div className="mx-auto max-w-6xl">
      {data ? (
        <div className="flex flex-col gap-5">
          <Rules types={data.types} />
          <Matrix tools={data.tools} />
        </div>
      ) : error ? (
        <ErrorState title="The permissions could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading permissions" className="flex flex-col gap-4">
          <div className="grid gap-3 lg:grid-cols-3">
            <Skeleton className="h-32 rounded-card" />
            <Skeleton className="h-32 rounded-card" />
            <Skeleton className="h-32 rounded-card" />
          </div>
          <Skeleton className="h-96 rounded-card" />
        </div>
      )}
    </div>
  );
}

function Rules({ types }: { types: PermissionMatrixBody['types'] }) {
  const [edited, setEdited] = useState<PermissionMatrixBody['types'][number]['type']>();
  const rules = types.find(({ type }) => type === edited);
  return (
    <section aria-label="Rules">
      <p className="mb-3 text-muted text-sm">
        Deny rules win, and tools without an allow rule are denied. A member may also call the tools in its agent's
        scope. Changes apply at once.
      </p>
      <div className="grid gap-3 lg:grid-cols-3">
        {types.map(({ type, allow, deny }) => (
          <div key={type} className="rounded-card border border-line bg-surface p-3.5 shadow-card">
            <div className="flex items-center gap-2">
              <MemberTypeBadge type={type} />
              <Button
                size="sm"
                className="ml-auto"
                icon={<PencilLine aria-hidden />}
                aria-label={`Edit the rules of ${memberTypeNames[type]}`}
                onClick={() => setEdited(type)}
              >
                Edit
              </Button>
            </div>
            <dl className="mt-2.5 flex flex-col gap-2 text-xs">
              <Globs label="Allow" globs={allow} className="bg-accent-soft text-accent-text" />
              <Globs label="Deny" globs={deny} className="bg-danger-soft text-danger" />
            </dl>
          </div>
        ))}
      </div>
      {rules && <RulesDialog rules={rules} onClose={() => setEdited(undefined)} />}
    </section>
  );
}

function Globs({ label, globs, className }: { label: string; globs: readonly string[]; className: string }) {
  return (
    <div>
      <dt className="mb-1 text-faint">{label}</dt>
      <dd className="flex flex-wrap gap-1">
        {globs.map((glob) => (
          <code key={glob} className={`break-all rounded-md px-1.5 py-0.5 font-mono text-2xs ${className}`}>
            {glob}
          </code>
        ))}
        {globs.length === 0 && <span className="text-muted">None</span>}
      </dd>
    </div>
  );
}

function Matrix({ tools }: { tools: PermissionMatrixBody['tools'] }) {
  const [words, setWords] = useState('');
  const shown = tools.filter(({ tool }) => tool.toLowerCase().includes(words.trim().toLowerCase()));
  const body = useRef<HTMLTableSectionElement>(null);
  const [margin, setMargin] = useState(0);
  const virtual = useWindowVirtualizer({
    count: shown.length,
    getItemKey: (index) => shown[index]?.tool ?? index,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: margin,
  });
  useLayoutEffect(() => {
    if (body.current) setMargin(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
  });
  const drawn = virtual.getVirtualItems();
  const above = (drawn[0]?.start ?? margin) - margin;
  const below = virtual.getTotalSize() - ((drawn.at(-1)?.end ?? margin) - margin);
  return (
    <section aria-label="Types and tools">
      <Input
        type="search"
        aria-label="Search tools"
        placeholder="Search tools"
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        className="mb-3 sm:max-w-72"
      />
      <div className="overflow-x-auto rounded-card border border-line bg-surface shadow-card">
        <table aria-rowcount={shown.length + 1} className="w-full text-sm">
          <thead>
            <tr className="border-line border-b text-left text-muted text-xs">
              <th scope="col" className="px-3.5 py-2.5 font-medium">
                Tool
              </th>
              {memberTypes.map((type) => (
                <th key={type} scope="col" className="w-28 px-2 py-2.5 text-center font-medium max-sm:w-16">
                  <span className="max-sm:hidden">{memberTypeNames[type]}</span>
                  <abbr title={memberTypeNames[type]} className="no-underline sm:hidden">
                    {memberTypeNames[type].slice(0, 3)}
                  </abbr>
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body}>
            <Space height={above} />
            {drawn.map(({ index, key }) => {
              const row = shown[index];
              return row && <ToolRow key={key} row={row} index={index} measure={virtual.measureElement} />;
            })}
            <Space height={below} />
            {shown.length === 0 && (
              <tr>
                <td colSpan={4} className="px-3.5 py-8 text-center text-muted">
                  No tools match.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** The height of a row with a short name. */
const rowHeight = 34;

interface ToolRowProps {
  row: PermissionMatrixBody['tools'][number];
  index: number;
  measure: (element: HTMLTableRowElement | null) => void;
}

function ToolRow({ row: { tool, decisions }, index, measure }: ToolRowProps) {
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      className={classes('border-line hover:bg-hover', index > 0 && 'border-t')}
    >
      <th scope="row" className="break-all px-3.5 py-1.5 text-left font-mono font-normal text-xs">
        {tool}
      </th>
      {memberTypes.map((type) => {
        const { allowed, rule } = decisions[type];
        return (
          <td key={type} title={rule} className="px-2 py-1.5 text-center">
            {allowed ? (
              <Check aria-label="allowed" className="inline size-4 text-accent-text" />
            ) : (
              <Minus aria-label="denied" className="inline size-4 text-faint/60" />
            )}
            <span className="sr-only">{rule}</span>
          </td>
        );
      })}
    </tr>
  );
}

/** Stands for the rows that are not drawn. */
function Space({ height }: { height: number }) {
  return height > 0 && <tr aria-hidden style={{ height }} />;
}
