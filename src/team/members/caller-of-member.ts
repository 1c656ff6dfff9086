import type { CallingMember } from '../../tools/caller.ts';
import type { TeamParts } from '../team-parts.ts';
import type { Member } from './member.ts';

const nothing: readonly string[] = [];

/** The member as `decide` judges it. An agent that is gone adds nothing to what its members may call. */
export async function callingMember(
  parts: Pick<TeamParts, 'settings' | 'scopeOf'>,
  member: Member,
): Promise<CallingMember> {
  const { id, type, agent, currentTaskId } = member;
  return {
    id,
    type,
    rules: parts.settings.permissions[type],
    agent,
    scope: agent === null ? nothing : ((await parts.scopeOf(agent)) ?? nothing),
    taskId: currentTaskId,
  };
}
