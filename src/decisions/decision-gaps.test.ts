import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newTestDatabase } from '../../test/support/databases/test-database.ts';
import { decision } from '../../test/support/databases/test-decision.ts';
import { testClock } from '../../test/support/databases/test-store.ts';
import { silentLogger } from '../base/logger.ts';
import { insertDecisionsOf } from '../db/postgres/postgres-statements.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { DecisionChain } from './decision-chain.store.ts';

describe('a PostgreSQL group that has a number but is not visible yet', () => {
  const clock = testClock();
  let store: Store;
  let slow: pg.Client;
  beforeEach(async () => {
    const { db } = await newTestDatabase('postgres');
    store = await openStore({ db, clock, logger: silentLogger });
    slow = new pg.Client({ connectionString: 'url' in db ? db.url : '' });
    await slow.connect();
  });
  afterEach(async () => {
    await slow.end();
    await store.close();
  });

  it.each([
    ['a process whose clock is ahead', 5_000],
    ['a process whose clock is behind, or that waited long', -5_000],
  ])('is found by its keys when it appears, even beside entries of %s', async (_, skew) => {
    const { name: _name, ...late } = insertDecisionsOf(
      new DecisionChain({ now: clock.now(), holder: '' }).next([
        decision('call_late', { at: clock.now(), tool: 'late', kind: 'result' }),
      ]),
    );
    await slow.query('begin');
    await slow.query(late);
    await store.decisions.append(decision('call_quick', { at: clock.now() + skew, tool: 'quick', kind: 'result' }));
    expect((await store.decisions.page({ tool: 'quick' })).entries).toHaveLength(1);
    const { newest } = await store.decisions.page();
    await slow.query('commit');
    expect((await store.decisions.page({ tool: 'late' })).entries).toHaveLength(1);
    expect(await store.decisions.tools()).toEqual(['late', 'quick']);
    const tail = await store.decisions.page({ after: newest ?? '' });
    expect(tail.entries.map(({ callId }) => callId)).toContain('call_late');
  });
});
