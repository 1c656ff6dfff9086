import { Link } from '@tanstack/react-router';
import { MailPlus, ScrollText, Trash2, UserRoundX } from 'lucide-react';
import type { MemberBody } from '../../../../src/team/members/members.contract.ts';
import { ApiError } from '../../../api/client.ts';
import { useMember, useRemoveMember } from '../../../api/team-queries.ts';
import { MemberAvatar, MemberStateMark, MemberTypeBadge } from '../../../parts/team/member-badge.tsx';
import { TaskStateBadge } from '../../../parts/team/task-state.tsx';
import { Button, buttonClass } from '../../../ui/button.tsx';
import { confirm } from '../../../ui/confirm.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Sheet } from '../../../ui/sheet.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { MemberFields } from './member-fields.tsx';
import { MemberToken } from './member-token.tsx';
import { PermissionList } from './permission-list.tsx';

export interface MemberSheetProps {
  id: string;
  onClose: () => void;
  onMakeToken: (id: string) => void;
}

/** One member: who it is, what it works on, what it may call. */
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
          title={`There is no member “${id}”`}
          actions={<Button onClick={onClose}>Back to the members</Button>}
        >
          It may have left the team.
        </EmptyState>
      ) : error ? (
        <ErrorState title="This member could not be read" error={error} onRetry={() => void refetch()} />
      ) : (
        <div role="status" aria-busy="true" aria-label="Loading the member" className="flex flex-col gap-3">
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
              'never called'
            ) : (
              <>
                last call <RelativeTime at={member.lastActiveAt} />
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
        <p className="text-muted text-sm">None. {member.type === 'WORKER' && 'It can be given one on the board.'}</p>
      ) : (
        <ul className="flex flex-col gap-1">
          {tasks.map((task) => (
            <li key={task.id}>
              <Link
                to="/team/tasks/$id"
                params={{ id: task.id }}
                className="-mx-2 flex items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm hover:bg-hover"
              >
                <TaskStateBadge state={task.state} />
                <span className="min-w-0 truncate">{task.title}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Actions({ body: { member, tasks }, onClose }: { body: MemberBody; onClose: () => void }) {
  const remove = useRemoveMember();
  const ask = async () => {
    const sure = await confirm({
      title: `Remove “${member.id}”?`,
      message: `Its token stops to work at once.${tasks.length > 0 ? ' Its open tasks become pending again.' : ''} Whoever it supervised gets its supervisor. Mails and the log stay.`,
      confirmLabel: 'Remove',
      danger: true,
    });
    if (!sure) return;
    remove.mutate(member.id, {
      onSuccess: () => {
        showToast(`Removed “${member.id}”`);
        onClose();
      },
      onError: (error) => showError('Not removed', error),
    });
  };
  return (
    <>
      <Button
        variant="ghost"
        icon={<Trash2 aria-hidden />}
        className="mr-auto"
        busy={remove.isPending}
        onClick={() => void ask()}
      >
        Remove
      </Button>
      <Link to="/decisions" search={{ agentId: member.id }} className={buttonClass()}>
        <ScrollText aria-hidden />
        Its calls
      </Link>
      <Link to="/mail" search={{ to: member.id }} className={buttonClass()}>
        <MailPlus aria-hidden />
        Write a mail
      </Link>
    </>
  );
}
