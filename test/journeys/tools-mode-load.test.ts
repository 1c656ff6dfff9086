import { expect, it } from 'vitest';
import { missingInLog, openLoadedDesk, runLoad } from '../support/hubs/tools-mode-load.ts';

const patient = { timeout: 30_000 };

it('200 calls, 20 in flight, some cancelled: no cross-talk, every session freed, the log complete', async () => {
  const cancelEvery = 10;
  const calls = 200;
  const desk = await openLoadedDesk(cancelEvery);
  const report = await runLoad(desk, { calls, inFlight: 20, cancelEvery });
  expect(report.wrong).toEqual([]);
  expect([report.answered, report.cancelled]).toEqual([180, 20]);
  const { sessions } = desk.hub;
  // The reply to a cancelled call precedes its last log row.
  await expect.poll(() => missingInLog(desk, calls), patient).toEqual([]);
  expect(await sessions.count()).toBe(0);
  expect((await desk.hub.decisions.verify()).problems).toEqual([]);
  await desk.end();
});
