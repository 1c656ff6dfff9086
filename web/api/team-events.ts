import type { QueryClient } from '@tanstack/react-query';
import type { LiveEvent } from '../../src/http/hub.contract.ts';

type TeamEvent = Extract<LiveEvent, { type: 'team' | 'decisions' }>;
type Concern = 'members' | 'mail' | 'work' | 'decisions' | 'activity';

/** A busy team changes many times a second; what is on the screen is fetched again at most this often. */
const news: Record<Concern, { keys: readonly (readonly string[])[]; everyMs: number }> = {
  members: { keys: [['members'], ['team-health']], everyMs: 400 },
  mail: { keys: [['mail'], ['team-deliveries']], everyMs: 400 },
  // A task that moves changes its member, too, and with it the epic's progress.
  work: { keys: [['tasks'], ['epics'], ['members'], ['team-health']], everyMs: 400 },
  decisions: { keys: [['decisions']], everyMs: 400 },
  // Each call is a sign of life of the member that made it.
  activity: { keys: [['members']], everyMs: 3_000 },
};

/** Fetches again what another page, a member or another process changed: the first news at once, a flood in turns. */
export function teamListener(client: QueryClient): { apply: (event: TeamEvent) => void; close: () => void } {
  const timers = new Map<Concern, ReturnType<typeof setTimeout>>();
  const waiting = new Set<Concern>();
  const refresh = (concern: Concern) => {
    if (timers.has(concern)) {
      waiting.add(concern);
      return;
    }
    const { keys, everyMs } = news[concern];
    for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    const onTime = () => {
      timers.delete(concern);
      if (waiting.delete(concern)) refresh(concern);
    };
    timers.set(concern, setTimeout(onTime, everyMs));
  };
  return {
    apply: (event) => {
      for (const concern of event.type === 'team' ? event.concerns : (['decisions', 'activity'] as const))
        refresh(concern);
    },
    close: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
