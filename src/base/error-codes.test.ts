import { expect, it } from 'vitest';
import { errorCodes, type HubErrorCode } from './error-codes.ts';

const cases: [code: HubErrorCode, told: string][] = [
  ['PERMISSION_DENIED', 'PERMISSION_DENIED'],
  ['UNKNOWN_TOOL', 'TOOL_NOT_FOUND'],
  ['INVALID_ARGUMENTS', 'INVALID_INPUT'],
  ['INVALID_FORMAT', 'INVALID_INPUT'],
  ['TOO_LARGE', 'INVALID_INPUT'],
  ['AGENT_NOT_FOUND', 'AGENT_NOT_FOUND'],
  ['RESOURCE_NOT_FOUND', 'RESOURCE_NOT_FOUND'],
  ['NOT_FOUND', 'RESOURCE_NOT_FOUND'],
  ['INVALID_AGENT_STATE', 'INVALID_AGENT_STATE'],
  ['CONFLICT', 'INVALID_AGENT_STATE'],
  ['INTERNAL_ERROR', 'INTERNAL_ERROR'],
  ['INVALID_CONFIG', 'INTERNAL_ERROR'],
  ['AGENT_ERROR', 'INTERNAL_ERROR'],
  ['TOOL_ERROR', 'INTERNAL_ERROR'],
  ['TRANSIENT_ERROR', 'TRANSIENT_ERROR'],
  ['TIMEOUT', 'TRANSIENT_ERROR'],
  ['UNAUTHENTICATED', 'PERMISSION_DENIED'],
  ['UNAVAILABLE', 'TRANSIENT_ERROR'],
  ['RATE_LIMITED', 'TRANSIENT_ERROR'],
  ['STORAGE_FULL', 'TRANSIENT_ERROR'],
  ['STORAGE_FAILED', 'TRANSIENT_ERROR'],
  ['MODEL_ERROR', 'TRANSIENT_ERROR'],
  ['NOT_CONFIGURED', 'INVALID_INPUT'],
  ['EMBEDDINGS_DISABLED', 'INVALID_INPUT'],
  ['SIGN_IN_REQUIRED', 'INVALID_AGENT_STATE'],
  ['CANCELLED', 'TRANSIENT_ERROR'],
];

it.each(cases)('a member gets %s as %s', (code, teamCode) => {
  expect(errorCodes[code].team).toBe(teamCode);
});

it('the table has every code of the hub', () => {
  expect(cases.map(([code]) => code).sort()).toEqual(Object.keys(errorCodes).sort());
});
