import { describe, expect, it } from 'vitest';
import { Refusal } from '../to-error-response.ts';
import { checkRequest, type GuardedRequest } from './guards.ts';

const port = 7331;
const validRequest: GuardedRequest = { method: 'POST', url: '/api/agents', headers: { host: '127.0.0.1:7331' } };

function statusOf(request: Partial<GuardedRequest>): number {
  try {
    checkRequest({ ...validRequest, ...request }, port);
    return 200;
  } catch (error) {
    if (error instanceof Refusal) return error.status;
    throw error;
  }
}

describe('the guards', () => {
  it.each([
    ['127.0.0.1:7331', 200],
    ['localhost:7331', 200],
    ['LOCALHOST:7331', 200],
    ['[::1]:7331', 200],
    ['127.8.9.10:7331', 200],
    [undefined, 400],
    ['', 400],
    ['localhost', 403],
    ['localhost:7332', 403],
    ['localhost:07331x', 403],
    ['evil.example:7331', 403],
    ['127.0.0.1.evil.example:7331', 403],
    ['localhost.evil.example:7331', 403],
    ['evil@localhost:7331', 403],
    ['localhost.:7331', 403],
    ['0.0.0.0:7331', 403],
    ['192.168.1.10:7331', 403],
    ['[::]:7331', 403],
    ['[::ffff:127.0.0.1]:7331', 403],
    ['127.1:7331', 403],
    ['localhost:7331, localhost:7331', 403],
  ])('reply to Host %j with %i', (host, status) => {
    expect(statusOf({ headers: { host } })).toBe(status);
  });

  it.each([
    [undefined, 200],
    ['http://127.0.0.1:7331', 200],
    ['http://localhost:7331', 200],
    ['http://[::1]:7331', 200],
    ['null', 403],
    ['', 403],
    ['http://localhost', 403],
    ['http://localhost:3000', 403],
    ['https://localhost:7331', 403],
    ['http://evil.example', 403],
    ['http://evil.example:7331', 403],
    ['http://localhost:7331.evil.example', 403],
    ['http://localhost:7331/', 403],
    ['file://', 403],
    ['chrome-extension://abcdef', 403],
  ])('reply to Origin %j with %i, whatever the method', (origin, status) => {
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      expect(statusOf({ method, headers: { host: 'localhost:7331', origin } })).toBe(status);
    }
  });

  it.each([
    ['POST', 'same-origin', 200],
    ['POST', 'none', 200],
    ['POST', 'cross-site', 403],
    ['POST', 'same-site', 403],
    ['PUT', 'cross-site', 403],
    ['PATCH', 'cross-site', 403],
    ['DELETE', 'cross-site', 403],
    ['GET', 'cross-site', 200],
    ['HEAD', 'cross-site', 200],
  ])('reply to %s and Sec-Fetch-Site %s with %i', (method, site, status) => {
    expect(statusOf({ method, headers: { host: 'localhost:7331', 'sec-fetch-site': site } })).toBe(status);
  });

  it.each([
    ['GET', '/', 200],
    ['OPTIONS', '*', 200],
    ['GET', 'http://evil.example/', 400],
    ['GET', '*', 400],
    ['GET', '', 400],
  ])('reply to the request line %s %s with %i', (method, url, status) => {
    expect(statusOf({ method, url })).toBe(status);
  });

  it('accept a host without a port only on port 80', () => {
    expect(() =>
      checkRequest({ ...validRequest, headers: { host: 'localhost', origin: 'http://localhost' } }, 80),
    ).not.toThrow();
  });
});
