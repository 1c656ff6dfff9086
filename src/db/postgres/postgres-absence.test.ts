import { expect, it } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { PostgresAbsence } from './postgres-absence.ts';

it.each([
  ['refuses connections', false, 'TRANSIENT_ERROR'],
  ['is silent', true, 'UNAVAILABLE'],
])('a server that %s is away until it replies; meanwhile nobody waits for it', async (_how, isSilent, code) => {
  let isThere = true;
  const absence = new PostgresAbsence({ location: 'db/zoo', replies: async () => isThere, logger: silentLogger });
  const changed = () => new Promise<void>((resolve) => absence.watch(resolve));
  absence.suspect(isSilent);
  await new Promise(setImmediate);
  // It replied: only one connection was lost.
  expect(absence.fault).toBeUndefined();

  isThere = false;
  const lost = changed();
  absence.suspect(isSilent);
  await lost;
  expect(() => absence.refuse()).toThrow(
    expect.objectContaining({
      code,
      message: expect.stringContaining('Nothing was saved.'),
      details: { mayHaveRun: false },
    }),
  );
  expect(absence.fault).toMatchObject({ code: 'UNAVAILABLE', details: { since: expect.stringMatching(/^\d{4}-/) } });
  const back = changed();
  isThere = true;
  await back;
  expect(absence.fault).toBeUndefined();
  expect(() => absence.refuse()).not.toThrow();
  absence.close();
});
