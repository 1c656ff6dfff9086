import { Bot, User } from 'lucide-react';
import type { MemberState, MemberType } from '../../../src/team/members/member.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { classes } from '../../ui/classes.ts';
import { AgentAvatar } from '../agents/agent-avatar.tsx';

export interface MemberAvatarProps {
  /** The member's id, or null for the user. */
  id: string | null;
  /** In pixels. */
  size?: number;
  className?: string;
}

/** Decorates a name; hidden from screen readers. */
export function MemberAvatar({ id, size = 24, className }: MemberAvatarProps) {
  if (id !== null) return <AgentAvatar id={id} size={size} {...(className && { className })} />;
  return (
    <span
      aria-hidden
      style={{ width: size, height: size }}
      className={classes(
        'inline-flex shrink-0 items-center justify-center rounded-[28%] bg-accent text-on-accent [&>svg]:size-3/5',
        className,
      )}
    >
      <User />
    </span>
  );
}

/** A member's avatar and id; the user is "You". */
export function MemberName({ id, size = 18, className }: MemberAvatarProps) {
  return (
    <span className={classes('inline-flex min-w-0 items-center gap-1.5', className)}>
      <MemberAvatar id={id} size={size} />
      <span className="min-w-0 truncate" {...(id !== null && { title: id })}>
        {nameOf(id)}
      </span>
    </span>
  );
}

export function nameOf(id: string | null): string {
  return id ?? 'You';
}

/** From most to fewest permissions. */
export const memberTypes: readonly MemberType[] = ['SUPERVISOR', 'ORCHESTRATOR', 'WORKER'];

export const memberTypeNames: Record<MemberType, string> = {
  SUPERVISOR: 'Supervisor',
  ORCHESTRATOR: 'Orchestrator',
  WORKER: 'Worker',
};

const typeTones: Record<MemberType, BadgeTone> = { SUPERVISOR: 'violet', ORCHESTRATOR: 'info', WORKER: 'neutral' };

export function MemberTypeBadge({ type }: { type: MemberType }) {
  return (
    <Badge tone={typeTones[type]} icon={<Bot aria-hidden />}>
      {memberTypeNames[type]}
    </Badge>
  );
}

export const memberStateNames: Record<MemberState, string> = {
  IDLE: 'Idle',
  BUSY: 'Busy',
  WAITING: 'Waiting',
  FAILED: 'Failed',
};

const stateDots: Record<MemberState, string> = {
  IDLE: 'bg-faint',
  BUSY: 'bg-accent ring-3 ring-accent/20',
  WAITING: 'bg-warn ring-3 ring-warn/20',
  FAILED: 'bg-danger ring-3 ring-danger/20',
};

export function MemberStateMark({ state }: { state: MemberState }) {
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap text-xs">
      <span aria-hidden className={classes('size-2 rounded-full', stateDots[state])} />
      {memberStateNames[state]}
    </span>
  );
}
