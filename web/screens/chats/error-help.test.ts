import { expect, it } from 'vitest';
import { errorHelp } from './error-help.ts';

it.each([
  ['NOT_CONFIGURED', 'models', true],
  ['not_configured', 'models', true],
  ['MODEL_ERROR', 'models', true],
  ['AGENT_NOT_FOUND', null, false],
  ['not_found', null, false],
  ['bad_request', null, false],
  ['payload_too_large', null, false],
  ['conflict', null, false],
  ['SIGN_IN_REQUIRED', 'servers', true],
  ['TIMEOUT', null, true],
  ['something_else', null, true],
])('%s leads to %s', (code, leadsTo, canRetry) => {
  expect(errorHelp(code)).toMatchObject({ leadsTo, canRetry });
});
