import { Link } from '@tanstack/react-router';
import { Ellipsis, KeyRound, MailPlus, ScrollText, TriangleAlert } from 'lucide-react';
import type { Member } from '../../../../src/team/members/member.ts';
import { MemberAvatar, MemberStateMark, MemberTypeBadge } from '../../../parts/team/member-badge.tsx';
import { TaskTitle } from '../../../parts/team/task-title.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import type { Place } from '../../../ui/virtual-list.tsx';

export interface MemberRowProps {
  place: Place;
  member: Member;
  agentName: string | null;
  /** The number of supervisors above it. */
  depth: number;
  /** Why it is stalled, or null. */
  stalled: string | null;
  /** Other members have tokens, so it cannot call without one. */
  needsToken: boolean;
  onMakeToken: (id: string) => void;
}

/** The indentation per level, where there is room for it. */
const steps = ['', 'lg:pl-5', 'lg:pl-10', 'lg:pl-15', 'lg:pl-20', 'lg:pl-25', 'lg:pl-30'] as const;

export function MemberRow({ place, member, agentName, depth, stalled, needsToken, onMakeToken }: MemberRowProps) {
  const { 'data-row': row, ...rest } = place;
  return (
    <li
      {...rest}
      aria-label={member.id}
      data-member={member.id}
      className="relative grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1.5 px-3.5 py-3 first:rounded-t-card last:rounded-b-card hover:bg-hover lg:grid-cols-[minmax(14rem,1.4fr)_6rem_minmax(0,1.6fr)_7rem_2rem]"
    >
      <div className={classes('flex min-w-0 items-center gap-3', steps[Math.min(depth, steps.length - 1)])}>
        <MemberAvatar id={member.id} size={34} />
        <div className="min-w-0">
          <Link
            to="/team/members"
            search={{ member: member.id }}
            data-row={row}
            className="block truncate font-medium text-sm outline-none after:absolute after:inset-0 focus-visible:after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-(--focus)"
          >
            {member.id}
          </Link>
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <MemberTypeBadge type={member.type} />
            {agentName !== null && <span className="truncate text-faint text-xs">{agentName}</span>}
          </span>
        </div>
      </div>
      <div className="max-lg:order-3 max-lg:col-start-1 max-lg:pl-11.5">
        <MemberStateMark state={member.state} />
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 text-sm max-lg:order-4 max-lg:col-span-2 max-lg:pl-11.5">
        {member.currentTaskId !== null ? (
          <Link
            to="/team/tasks/$id"
            params={{ id: member.currentTaskId }}
            className="relative z-10 min-w-0 truncate rounded text-muted underline-offset-2 hover:text-text hover:underline"
          >
            <TaskTitle id={member.currentTaskId} />
          </Link>
        ) : (
          <span className="text-faint text-xs max-lg:hidden">No task</span>
        )}
        {stalled !== null && (
          <Badge tone="warn" icon={<TriangleAlert aria-hidden />}>
            {stalled || 'Stalled'}
          </Badge>
        )}
        {needsToken && (
          <Badge
            tone="danger"
            icon={<KeyRound aria-hidden />}
            title="Other members have tokens, so calls without one are rejected"
          >
            Token required
          </Badge>
        )}
      </div>
      <span className="text-right text-faint text-xs max-lg:order-3 max-lg:col-start-2">
        {member.lastActiveAt === null ? 'No calls yet' : <RelativeTime at={member.lastActiveAt} />}
      </span>
      <div className="relative z-10 justify-self-end max-lg:order-2">
        <Menu trigger={<IconButton size="sm" label={`Actions for ${member.id}`} icon={<Ellipsis aria-hidden />} />}>
          <MenuItem icon={<MailPlus aria-hidden />} render={<Link to="/mail" search={{ to: member.id }} />}>
            Write mail
          </MenuItem>
          <MenuItem icon={<ScrollText aria-hidden />} render={<Link to="/decisions" search={{ agentId: member.id }} />}>
            View calls
          </MenuItem>
          <MenuItem icon={<KeyRound aria-hidden />} onClick={() => onMakeToken(member.id)}>
            {member.hasToken ? 'Replace token…' : 'Create token…'}
          </MenuItem>
        </Menu>
      </div>
    </li>
  );
}
