import { expect, it } from 'vitest';
import { ServerDefinition } from '../../servers/server-definition.ts';
import { connectionError } from './connection-errors.ts';

function answered(status: number): Error {
  return Object.assign(new Error(`HTTP ${status}`), { data: { status } });
}

it.each([
  [answered(502), true],
  [answered(504), true],
  [answered(500), true],
  [answered(404), false],
  [answered(400), false],
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), false],
  [Object.assign(new Error('x'), { code: 'ECONNRESET' }), true],
  [new Error('cut'), true],
])('%s: whether the call may have run is %s', (error, mayHaveRun) => {
  expect(connectionError('files', error).details).toMatchObject({ mayHaveRun });
});

it.each([
  [{}, 'requires a sign-in (HTTP 401). Add "auth"'],
  [{ headers: { 'X-Tenant': 'x' } }, 'requires a sign-in (HTTP 401). Add "auth"'],
  [{ headers: { Authorization: 'Bearer x' } }, 'rejected the credentials in its definition (HTTP 401).'],
  [{ auth: { type: 'headers', headers: { 'X-Key': 'x' } } }, 'rejected the credentials in its definition (HTTP 401).'],
  [{ auth: { type: 'bearer', token: 'x' } }, 'rejected the token in its definition (HTTP 401).'],
  [{ auth: { type: 'api-key', key: 'x' } }, 'rejected the credentials in its definition (HTTP 401).'],
  [{ auth: { type: 'oauth' }, headers: { 'X-Key': 'x' } }, 'requires a sign-in. Sign in on the Servers screen'],
])('with %j, a server that replies 401 %s', (credentials, what) => {
  const definition = ServerDefinition.parse({ transport: 'sse', url: 'https://files.example', ...credentials });
  expect(connectionError('files', answered(401), definition)).toMatchObject({
    code: 'SIGN_IN_REQUIRED',
    message: expect.stringContaining(what),
  });
});
