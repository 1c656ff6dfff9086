import { HubError } from '../../base/hub-error.ts';
import type { TeamWriter } from '../team.store.ts';

/**
 * A supervisor exists, and nobody is above itself. Throws INVALID_ARGUMENTS. What it reads stays as it is until the
 * transaction ends, so two changes at once cannot close a circle either.
 */
export async function checkSupervisor(
  rows: Pick<TeamWriter, 'member'>,
  { id, supervisorId }: { id: string; supervisorId: string },
): Promise<void> {
  const line = [id];
  for (let next: string | null = supervisorId; next !== null; ) {
    if (line.includes(next)) {
      throw new HubError(
        'INVALID_ARGUMENTS',
        `supervisorId: "${supervisorId}" cannot supervise "${id}", which is above it already: ${[...line, next].join(' → ')}. Choose one that does not report to it.`,
      );
    }
    line.push(next);
    const supervisor = await rows.member(next);
    if (!supervisor && next === supervisorId) {
      throw new HubError('INVALID_ARGUMENTS', `supervisorId: there is no member "${supervisorId}".`);
    }
    next = supervisor?.supervisorId ?? null;
  }
}
