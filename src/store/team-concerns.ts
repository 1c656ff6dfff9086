import type { TeamConcern } from '../team/team-store.ts';

/** In the order in which a transaction raises their counters. */
export const teamConcerns: readonly TeamConcern[] = ['members', 'mail', 'work'];
