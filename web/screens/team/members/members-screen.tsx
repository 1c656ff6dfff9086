import { useNavigate, useSearch } from '@tanstack/react-router';
import { ShieldAlert, UserRoundPlus, UsersRound } from 'lucide-react';
import { useState } from 'react';
import type { Member } from '../../../../src/team/members/member.ts';
import type { MemberListBody, MemberTokenBody } from '../../../../src/team/members/members.contract.ts';
import { useDeleted } from '../../../api/pending-deletions.ts';
import { useAgents } from '../../../api/queries.ts';
import { useHealth, useMakeToken, useMembers } from '../../../api/team-queries.ts';
import { MemberAvatar } from '../../../parts/team/member-badge.tsx';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { confirm, type Question } from '../../../ui/confirm.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ErrorState } from '../../../ui/error-state.tsx';
import { LongList } from '../../../ui/long-list.tsx';
import { Select } from '../../../ui/select.tsx';
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
      {add && <AddMemberDialog taken={data?.members.map(({ id }) => id) ?? []} onClose={close} onAdded={show} />}
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
  const agentNames = new Map(useAgents().data?.agents.map(({ id, name }) => [id, name]));
  return (
    <div className="flex flex-col gap-4">
      {body.believesCallers && <UnverifiedBanner members={body.members} onMakeToken={onMakeToken} />}
      <div>
        <div
          aria-hidden
          className="grid grid-cols-[minmax(14rem,1.4fr)_6rem_minmax(0,1.6fr)_7rem_2rem] gap-x-4 px-3.5 pb-1.5 text-faint text-xs max-lg:hidden"
        >
          <span>Member</span>
          <span>State</span>
          <span>Task</span>
          <span className="text-right">Last call</span>
        </div>
        <LongList
          label="Members"
          items={memberTree(body.members)}
          keyOf={({ member }) => member.id}
          estimateSize={66}
          className="divide-y divide-line rounded-card border border-line bg-surface shadow-card"
          hasOwnItems
        >
          {({ member, depth }, _, place) => (
            <MemberRow
              place={place}
              member={member}
              agentName={member.agent && (agentNames.get(member.agent) ?? member.agent)}
              depth={depth}
              stalled={stalled.get(member.id) ?? null}
              needsToken={!body.believesCallers && !member.hasToken}
              onMakeToken={onMakeToken}
            />
          )}
        </LongList>
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
  return (
    <Banner
      tone="warn"
      icon={<ShieldAlert aria-hidden />}
      actions={
        <Select
          label="Create a token for"
          value=""
          options={[
            { value: '', label: 'Create token for…' },
            ...members.map(({ id }) => ({ value: id, label: id, icon: <MemberAvatar id={id} size={18} /> })),
          ]}
          onChange={(id) => id !== '' && onMakeToken(id)}
        />
      }
    >
      Callers are not verified: any caller can claim to be any member. Create a token to change this. Every member then
      needs one.
    </Banner>
  );
}
