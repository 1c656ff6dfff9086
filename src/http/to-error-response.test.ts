import { describe, expect, it } from 'vitest';
import { errorCodes, type HubErrorCode } from '../base/error-codes.ts';
import { HubError } from '../base/hub-error.ts';
import { Refusal, toErrorReply, toErrorResponse } from './to-error-response.ts';

const expected: Record<HubErrorCode, [number, string]> = {
  AGENT_NOT_FOUND: [404, 'not_found'],
  NOT_FOUND: [404, 'not_found'],
  UNKNOWN_TOOL: [404, 'not_found'],
  INVALID_ARGUMENTS: [400, 'bad_request'],
  INVALID_FORMAT: [400, 'bad_request'],
  INVALID_CONFIG: [500, 'internal_error'],
  TOO_LARGE: [413, 'payload_too_large'],
  PERMISSION_DENIED: [403, 'permission_denied'],
  UNAUTHENTICATED: [401, 'unauthenticated'],
  RATE_LIMITED: [429, 'rate_limited'],
  RESOURCE_NOT_FOUND: [404, 'not_found'],
  INVALID_AGENT_STATE: [409, 'invalid_state'],
  CONFLICT: [409, 'conflict'],
  TIMEOUT: [408, 'timeout'],
  CANCELLED: [503, 'unavailable'],
  AGENT_ERROR: [500, 'agent_error'],
  TOOL_ERROR: [500, 'tool_error'],
  TRANSIENT_ERROR: [503, 'unavailable'],
  UNAVAILABLE: [503, 'unavailable'],
  STORAGE_FULL: [507, 'storage_full'],
  STORAGE_FAILED: [503, 'storage_failed'],
  MODEL_ERROR: [502, 'model_error'],
  EMBEDDINGS_DISABLED: [400, 'embeddings_disabled'],
  NOT_CONFIGURED: [400, 'not_configured'],
  SIGN_IN_REQUIRED: [409, 'sign_in_required'],
  INTERNAL_ERROR: [500, 'internal_error'],
};

const retryable: Partial<Record<HubErrorCode, boolean>> = {
  TIMEOUT: false,
  CANCELLED: false,
  AGENT_ERROR: false,
  TOOL_ERROR: false,
  MODEL_ERROR: false,
  INTERNAL_ERROR: false,
  TRANSIENT_ERROR: true,
  UNAVAILABLE: true,
  RATE_LIMITED: true,
  STORAGE_FULL: false,
  STORAGE_FAILED: false,
};

describe('an error response', () => {
  it.each([
    ['TRANSIENT_ERROR', true, false],
    ['UNAVAILABLE', true, false],
    ['UNAVAILABLE', false, true],
    ['TIMEOUT', false, true],
  ] as const)('%s with mayHaveRun %s has retryable %s', (code, mayHaveRun, expected) => {
    const { body, headers } = toErrorReply(new HubError(code, 'What happened.', { details: { mayHaveRun } }));
    expect([body.error.retryable, headers['retry-after']]).toEqual([expected, expected ? '1' : undefined]);
  });

  it('says that only a person can help if the error says so', () => {
    const refusal = new HubError('UNAVAILABLE', 'It is disabled.', {
      details: { mayHaveRun: false, retryable: false },
    });
    const { body, headers } = toErrorReply(refusal);
    expect([body.error.retryable, headers['retry-after']]).toEqual([false, undefined]);
  });

  it.each(Object.keys(errorCodes) as HubErrorCode[])('%s has its status and code', (code) => {
    const { status, body } = toErrorReply(new HubError(code, 'What happened.', { details: { field: 'x' } }));
    expect([status, body.error.code]).toEqual(expected[code]);
    expect(body.error.message).toBe('What happened.');
    expect(body.error.retryable).toBe(retryable[code]);
    expect(body.error.details).toEqual(code === 'INTERNAL_ERROR' ? undefined : { field: 'x' });
  });

  it('reveals nothing about an unexpected error', () => {
    const { status, body } = toErrorReply(new TypeError('password is hunter2'));
    expect([status, body]).toEqual([
      500,
      { error: { code: 'internal_error', message: 'Internal error', retryable: false } },
    ]);
  });

  it('uses the code of the route for a denied edit', () => {
    const denied = new HubError('PERMISSION_DENIED', 'It is a file.');
    expect(toErrorReply(denied, { deniedCode: 'read_only' }).body.error.code).toBe('read_only');
  });

  it('has the headers of the error and is not cached', async () => {
    const response = toErrorResponse(new Refusal(405, 'method_not_allowed', 'No.', { allow: 'GET' }));
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ error: { code: 'method_not_allowed', message: 'No.' } });
  });
});
