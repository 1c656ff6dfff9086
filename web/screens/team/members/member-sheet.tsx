import { Link } from '@tanstack/react-router';
import { Ban, Check, KeyRound, MailPlus, ScrollText, ShieldOff, Trash2, UserRoundX } from 'lucide-react';
import { useState } from 'react';
import type { Member } from '../../../../src/team/members/member.ts';
import type { MemberBody, PermissionBody } from '../../../../src/team/members/members.contract.ts';
import { ApiError } from '../../../api/client.ts';
import { useMember, useRemoveMember, useRevokeToken } from '../../../api/team-queries.ts';
import { MemberAvatar, MemberStateMark, MemberTypeBadge } from '../../../parts/team/member-badge.tsx';
import { TaskStateBadge } from '../../../parts/team/task-state.tsx';
import { deleteLater } from '../../../parts/undo/delete-later.ts';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { confirm } from '../../../ui/confirm.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { LongList } from '../../../ui/long-list.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { groupPermissions, type PermissionGroup } from './group-permissions.ts';
import { MemberFields } from './member-fields.tsx';

export interface MemberSheetProps {
  id: string;
  onClose: () => void;
  onMakeToken: (id: string) => void;
}

/** One member: its details, token, tasks and permissions. */
export function MemberSheet({ id, onClose, onMakeToken }: MemberSheetProps) {
  const { data, error, refetch } = useMember(id);
  return (
    <Sheet
      title={id}
      onClose={onClose}
      {...(data && { header: <Header body={data} />, footer: <Actions body={data} onClose={onClose} /> })}
    >
      {data ? (
        <div className="flex flex-col gap-6">
          <MemberFields member={data.member} />
          <MemberToken member={data.member} onMakeToken={onMakeToken} />
          <Tasks body={data} />
          <PermissionList permissions={data.permissions} />
        </div>
      ) : error instanceof ApiError && error.isNotFound ? (
        <EmptyState
          art={<UserRoundX className="size-10" strokeWidth={1.5} />}
          title={`Member “${id}” not found`}
          actions={<Button onClick={onClose}>Back to members</Button>}
        >
          It may have been removed from the team.
        </EmptyState>
      ) : error ? (
        <ErrorState title="The member could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading member" className="flex flex-col gap-3">
          <Skeleton className="h-10 w-1/2" />
          <Skeleton className="h-32" />
          <Skeleton className="h-48" />
        </div>
      )}
    </Sheet>
  );
}

function Header({ body: { member } }: { body: MemberBody }) {
  return (
    <div className="flex items-center gap-3">
      <MemberAvatar id={member.id} size={40} />
      <div className="min-w-0">
        <p className="truncate font-display font-semibold text-base">{member.id}</p>
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-faint text-xs">
          <MemberTypeBadge type={member.type} />
          <MemberStateMark state={member.state} />
          <span>
            {member.lastActiveAt === null ? (
              'No calls yet'
            ) : (
              <>
                Last call <RelativeTime at={member.lastActiveAt} />
              </>
            )}
          </span>
        </p>
      </div>
    </div>
  );
}

function Tasks({ body: { member, tasks } }: { body: MemberBody }) {
  return (
    <section aria-labelledby="member-tasks">
      <h3 id="member-tasks" className="mb-2 font-semibold text-sm">
        Open tasks
      </h3>
      {tasks.length === 0 ? (
        <p className="text-muted text-sm">No open tasks. {member.type === 'WORKER' && 'Assign one on the board.'}</p>
      ) : (
        <LongList label="Open tasks" items={tasks} keyOf={({ id }) => id} estimateSize={32} gap={4}>
          {(task, index) => (
            <Link
              to="/team/tasks/$id"
              params={{ id: task.id }}
              data-row={index}
              className="-mx-2 flex items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm hover:bg-hover"
            >
              <span className="w-23 shrink-0">
                <TaskStateBadge state={task.state} />
              </span>
              <span className="min-w-0 truncate">{task.title}</span>
            </Link>
          )}
        </LongList>
      )}
    </section>
  );
}

function Actions({ body: { member, tasks }, onClose }: { body: MemberBody; onClose: () => void }) {
  const remove = useRemoveMember();
  const removeMember = () => {
    onClose();
    deleteLater({
      keys: [`member/${member.id}`],
      message: `Removed “${member.id}”`,
      description: `Its token works until this notice closes.${tasks.length > 0 ? ' Its open tasks then become pending.' : ''}`,
      isUrgent: true,
      carryOut: () => remove.mutateAsync(member.id),
      failure: `“${member.id}” could not be removed`,
    });
  };
  return (
    <>
      <Button variant="ghost" icon={<Trash2 aria-hidden />} className="mr-auto" onClick={removeMember}>
        Remove
      </Button>
      <Link to="/decisions" search={{ agentId: member.id }} className={buttonClass()}>
        <ScrollText aria-hidden />
        View calls
      </Link>
      <Link to="/mail" search={{ to: member.id }} className={buttonClass()}>
        <MailPlus aria-hidden />
        Write mail
      </Link>
    </>
  );
}

interface MemberTokenProps {
  member: Member;
  onMakeToken: (id: string) => void;
}

function MemberToken({ member, onMakeToken }: MemberTokenProps) {
  const revoke = useRevokeToken();
  const revokeToken = async () => {
    const sure = await confirm({
      title: `Revoke ${member.id}'s token?`,
      message:
        'Its calls are rejected from now on, unless no other member has a token. You cannot undo this, but you can create a new token.',
      confirmLabel: 'Revoke',
      danger: true,
    });
    if (!sure) return;
    revoke.mutate(member.id, {
      onSuccess: () => showToast(`Revoked ${member.id}'s token`),
      onError: (error) => showError('The token could not be revoked', error),
    });
  };
  return (
    <section aria-labelledby="member-token" className="rounded-card border border-line p-3.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <KeyRound aria-hidden className="size-4 shrink-0 text-faint" />
        <div className="min-w-0 flex-1 basis-40">
          <h3 id="member-token" className="font-semibold text-sm">
            Token
          </h3>
          <p className="text-muted text-xs">{member.hasToken ? 'Token active' : 'No token'}</p>
        </div>
        <div className="ml-auto flex gap-2">
          {member.hasToken && (
            <Button
              size="sm"
              variant="ghost"
              icon={<ShieldOff aria-hidden />}
              busy={revoke.isPending}
              onClick={() => void revokeToken()}
            >
              Revoke
            </Button>
          )}
          <Button size="sm" onClick={() => onMakeToken(member.id)}>
            {member.hasToken ? 'Replace token' : 'Create token'}
          </Button>
        </div>
      </div>
    </section>
  );
}

/** Lists the tools a member may and may not call, by rule. */
function PermissionList({ permissions }: { permissions: readonly PermissionBody[] }) {
  const { allowed, denied } = groupPermissions(permissions);
  return (
    <section aria-labelledby="permissions">
      <h3 id="permissions" className="mb-2 font-semibold text-sm">
        Permissions
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
  // A long list that is folded away could not measure its rows.
  const [isUnfolded, setIsUnfolded] = useState(isOpen);
  return (
    <details
      open={isUnfolded}
      onToggle={(event) => setIsUnfolded(event.currentTarget.open)}
      className="rounded-card border border-line"
    >
      <summary className="rounded-card px-3.5 py-2 text-sm">
        <Icon aria-hidden className={classes('size-4', isAllowed ? 'text-accent-text' : 'text-danger')} />
        <span className="font-medium">{title}</span>
        <span className="text-faint text-xs tabular-nums">{count}</span>
      </summary>
      {isUnfolded && (
        <dl className="flex flex-col gap-3 px-3.5 pt-1 pb-3.5">
          {groups.map(({ rule, tools }) => (
            <div key={rule}>
              <dt className="mb-1 text-faint text-xs first-letter:uppercase">{rule}</dt>
              <dd>
                <LongList items={tools} keyOf={(tool) => tool} estimateSize={24} className="flex flex-wrap gap-1">
                  {(tool) => (
                    <code
                      className={classes(
                        'break-all rounded-md px-1.5 py-0.5 font-mono text-2xs',
                        isAllowed ? 'bg-accent-soft text-accent-text' : 'bg-hover text-muted',
                      )}
                    >
                      {tool}
                    </code>
                  )}
                </LongList>
              </dd>
            </div>
          ))}
          {groups.length === 0 && <p className="text-muted text-sm">No tools.</p>}
        </dl>
      )}
    </details>
  );
}
