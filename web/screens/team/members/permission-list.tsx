import { Ban, Check } from 'lucide-react';
import type { PermissionBody } from '../../../../src/team/members/members.contract.ts';
import { classes } from '../../../ui/classes.ts';
import { groupPermissions, type PermissionGroup } from './group-permissions.ts';

/** What a member may call, with the rule that decides. */
export function PermissionList({ permissions }: { permissions: readonly PermissionBody[] }) {
  const { allowed, denied } = groupPermissions(permissions);
  return (
    <section aria-labelledby="permissions">
      <h3 id="permissions" className="mb-2 font-semibold text-sm">
        What it may call
      </h3>
      <div className="flex flex-col gap-2">
        <Half title="Allowed" count={allowed.count} groups={allowed.groups} isAllowed isOpen />
        <Half title="Denied" count={denied.count} groups={denied.groups} />
      </div>
    </section>
  );
}

interface HalfProps {
  title: string;
  count: number;
  groups: PermissionGroup[];
  isAllowed?: boolean;
  isOpen?: boolean;
}

function Half({ title, count, groups, isAllowed = false, isOpen = false }: HalfProps) {
  const Icon = isAllowed ? Check : Ban;
  return (
    <details open={isOpen} className="rounded-card border border-line">
      <summary className="flex cursor-pointer items-center gap-2 rounded-card px-3.5 py-2 text-sm">
        <Icon aria-hidden className={classes('size-4', isAllowed ? 'text-accent-text' : 'text-danger')} />
        <span className="font-medium">{title}</span>
        <span className="text-faint text-xs tabular-nums">{count}</span>
      </summary>
      <dl className="flex flex-col gap-3 px-3.5 pt-1 pb-3.5">
        {groups.map(({ rule, tools }) => (
          <div key={rule}>
            <dt className="mb-1 text-faint text-xs">{rule}</dt>
            <dd className="flex flex-wrap gap-1">
              {tools.map((tool) => (
                <code
                  key={tool}
                  className={classes(
                    'break-all rounded-md px-1.5 py-0.5 font-mono text-2xs',
                    isAllowed ? 'bg-accent-soft text-accent-text' : 'bg-hover text-muted',
                  )}
                >
                  {tool}
                </code>
              ))}
            </dd>
          </div>
        ))}
        {groups.length === 0 && <p className="text-muted text-sm">Nothing.</p>}
      </dl>
    </details>
  );
}
