import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, ShieldAlert, UserRoundPlus, UsersRound } from 'lucide-react';
import { useState } from 'react';
import type { Member } from '../../../../src/team/members/member.ts';
import type { MemberListBody, MemberTokenBody } from '../../../../src/team/members/members.contract.ts';
import { useHealth, useMakeToken, useMembers } from '../../../api/team-queries.ts';
import { MemberAvatar } from '../../../parts/team/member-badge.tsx';
import { useDeleted } from '../../../parts/undo/delete-later.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { confirm, type Question } from '../../../ui/confirm.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { showError, showToast } from '../../../ui/toast.tsx';
import { useTitle } from '../../../ui/use-title.ts';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { MemberRow } from './member-row.tsx';
import { MemberSheet } from './member-sheet.tsx';
import { memberTree } from './member-tree.ts';
import { TokenDialog } from './token-dialog.tsx';

export function MembersScreen() {
  useTitle('Members');
  const { data: all, error, refetch } = useMembers();
  const deleted = useDeleted();
  const data = all && { ...all, members: all.members.filter(({ id }) => !deleted.has(`member/${id}`)) };
  const { add, member: openId } = useSearch({ from: '/team/members' });
  const navigate = useNavigate({ from: '/team/members' });
  const makeToken = useMakeToken();
  const [shown, setShown] = useState<{ memberId: string; token: string } | null>(null);
  const show = ({ member, token }: MemberTokenBody) => {
    if (token === null) showToast(`Added “${member.id}”`, { description: 'No token yet.' });
    else setShown({ memberId: member.id, token });
  };
  const make = async (id: string) => {
    const hasToken = data?.members.some((member) => member.id === id && member.hasToken);
    if (hasToken && !(await confirm(replaceQuestion(id)))) return;
    makeToken.mutate(id, {
      onSuccess: show,
      onError: (failure) => showError('The token could not be created', failure),
    });
  };
  const onMakeToken = (id: string) => void make(id);
  const close = () => void navigate({ search: {}, replace: true, resetScroll: false });
  const openAdd = () => void navigate({ search: { add: true } });

  return (
    <div className="mx-auto max-w-6xl">
      {data ? (
        data.members.length === 0 ? (
          <NoMembers onAdd={openAdd} />
        ) : (
          <Members body={data} onMakeToken={onMakeToken} />
        )
      ) : error ? (
        <ErrorState title="The members could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <LoadingMembers />
      )}
      {openId && <MemberSheet key={openId} id={openId} onClose={close} onMakeToken={onMakeToken} />}
      {add && <AddMemberDialog taken={all?.members.map(({ id }) => id) ?? []} onClose={close} onAdded={show} />}
      {shown && <TokenDialog {...shown} onClose={() => setShown(null)} />}
    </div>
  );
}

function replaceQuestion(id: string): Question {
  return {
    title: `Replace ${id}'s token?`,
    message: 'The current token stops working at once.',
    confirmLabel: 'Replace',
  };
}

function Members({ body, onMakeToken }: { body: MemberListBody; onMakeToken: (id: string) => void }) {
  const stalled = new Map(useHealth().data?.members.map((each) => [each.agentId, each.isStalled ? each.reason : null]));
  return (
    <div className="flex flex-col gap-4">
      {body.believesCallers && <UnverifiedBanner members={body.members} onMakeToken={onMakeToken} />}
      <div>
        <div
          aria-hidden
          className="grid grid-cols-[minmax(14rem,1.4fr)_6rem_minmax(0,1.6fr)_7rem_2rem] gap-x-4 px-3.5 pb-1.5 text-faint text-xs max-md:hidden"
        >
          <span>Member</span>
          <span>State</span>
          <span>Task</span>
          <span className="text-right">Last call</span>
        </div>
        <ul
          aria-label="Members"
          className="divide-y divide-line rounded-card border border-line bg-surface shadow-card"
        >
          {memberTree(body.members).map(({ member, depth }) => (
            <MemberRow
              key={member.id}
              member={member}
              depth={depth}
              stalled={stalled.get(member.id) ?? null}
              needsToken={!body.believesCallers && !member.hasToken}
              onMakeToken={onMakeToken}
            />
          ))}
        </ul>
      </div>
    </div>
  );
}

function NoMembers({ onAdd }: { onAdd: () => void }) {
  return (
    <EmptyState
      art={<UsersRound className="size-12" strokeWidth={1.25} />}
      title="No members yet"
      actions={
        <Button variant="primary" size="lg" icon={<UserRoundPlus aria-hidden />} onClick={onAdd}>
          Add member
        </Button>
      }
    >
      A member is a running agent with a name, permissions and an inbox. Start with a supervisor, then add workers below
      it. Each gets a token for its calls.
    </EmptyState>
  );
}

function LoadingMembers() {
  return (
    <div
      role="status"
      aria-busy="true"
      aria-label="Loading members"
      className="divide-y divide-line rounded-card border border-line bg-surface"
    >
      {['a', 'b', 'c'].map((key) => (
        <div key={key} className="flex items-center gap-3 p-3.5">
          <Skeleton className="size-9 rounded-xl" />
          <Skeleton className="h-4 w-40" />
          <Skeleton className="ml-auto h-4 w-24" />
        </div>
      ))}
    </div>
  );
}

interface UnverifiedBannerProps {
  members: readonly Member[];
  onMakeToken: (memberId: string) => void;
}

/** Warns that callers are not verified while no member has a token. */
function UnverifiedBanner({ members, onMakeToken }: UnverifiedBannerProps) {
  const [first] = members;
  if (!first) return null;
  const button = (
    <Button size="sm" icon={<KeyRound aria-hidden />}>
      Create token
    </Button>
  );
  return (
    <Banner
      tone="warn"
      icon={<ShieldAlert aria-hidden />}
      actions={
        <Menu trigger={button}>
          {members.map(({ id }) => (
            <MenuItem key={id} icon={<MemberAvatar id={id} size={18} />} onClick={() => onMakeToken(id)}>
              {id}
            </MenuItem>
          ))}
        </Menu>
      }
    >
      Callers are not verified: anyone who names a member acts as that member. Create a token to change this. Every
      member then needs one.
    </Banner>
  );
}
