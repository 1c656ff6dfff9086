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

it.each([
  ['unauthenticated', true, 'zoo open'],
  ['permission_denied', false, 'Ask the owner'],
  ['rate_limited', true, 'Wait a moment'],
  ['storage_full', true, 'Free some space'],
  ['storage_failed', true, 'database'],
  ['unavailable', true, 'Wait until the hub is ready'],
  ['unreachable', true, 'Start the hub'],
  ['TIMEOUT', true, 'ask for less'],
] as const)('%s gets advice that fits', (code, canRetry, words) => {
  expect(errorHelp(code)).toMatchObject({ leadsTo: null, canRetry, advice: expect.stringContaining(words) });
});

it.each([
  ['key', 'models', true, 'Enter a valid key'],
  ['address', 'models', true, "provider's address"],
  ['unreachable', 'models', true, 'Start the server'],
  ['timeout', null, true, 'faster model'],
  ['model', null, true, 'Choose a model that the provider has'],
  ['quota', null, true, 'Add credit'],
  ['rate', null, true, 'Wait a moment'],
  ['length', null, false, 'Start a new chat'],
  ['request', null, true, 'Change the message'],
  ['provider', null, true, 'The provider has a problem'],
] as const)('a model that fails because of its %s gets advice that fits', (reason, leadsTo, canRetry, words) => {
  expect(errorHelp('MODEL_ERROR', reason)).toMatchObject({
    leadsTo,
    canRetry,
    advice: expect.stringContaining(words),
  });
});
