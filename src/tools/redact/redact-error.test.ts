import { expect, it } from 'vitest';
import { HubError } from '../../base/hub-error.ts';
import { createRedact } from './redact.ts';
import { redactError } from './redact-error.ts';

const redact = createRedact({ values: ['open"sesame'] });

it('an error quotes no secret, in its message or in its details', () => {
  const cause = new Error('deeper');
  const details = { issues: [{ path: 'text', message: 'open"sesame is wrong' }], count: 1 };
  const error = redactError(
    redact,
    new HubError('INVALID_ARGUMENTS', 'text: open"sesame is wrong', { cause, details }),
  );
  expect(error).toMatchObject({ code: 'INVALID_ARGUMENTS', message: 'text: [removed] is wrong', cause });
  expect(error.details).toEqual({ issues: [{ path: 'text', message: '[removed] is wrong' }], count: 1 });
});

it('an error without a secret stays the one it is', () => {
  const error = new HubError('NOT_FOUND', 'There is no agent "a".', { details: { id: 'a' } });
  expect(redactError(redact, error)).toBe(error);
});
