import { Check, Minus, PencilLine } from 'lucide-react';
import { useState } from 'react';
import type { PermissionMatrixBody } from '../../../../src/team/members/members.contract.ts';
import { usePermissionMatrix } from '../../../api/team-queries.ts';
import { MemberTypeBadge, memberTypeNames, memberTypes } from '../../../parts/team/member-badge.tsx';
import { Button } from '../../../ui/button.tsx';
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
        <table className="w-full text-sm">
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
          <tbody>
            {shown.map(({ tool, decisions }) => (
              <tr key={tool} className="border-line border-t first:border-t-0 hover:bg-hover">
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
            ))}
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
