import { describe, expect, it, test } from 'vitest';
import { dayMs } from '../../base/clock.ts';
import { readClient } from '../protocol/handshake.ts';
import { openToken, rowsExpireAt, sealToken } from './session-token.ts';

const now = Date.UTC(2026, 10, 18);
const key = Buffer.alloc(32, 1);
const client = { version: '2025-06-18', capabilities: { elicitation: { form: {} }, roots: {} } };
const home = '0123456789abcdef';
const { id, token } = sealToken(client, { key, viewKey: 'client a', now, home });

describe('a session id', () => {
  it('carries the revision and the capabilities of its client', () => {
    expect(openToken(token, { key, viewKey: 'client a', now })).toEqual({ ...client, id, issuedAt: now, home });
  });

  it('lasts thirty days, also where a clock is behind, and its rows last longer', () => {
    expect(openToken(token, { key, viewKey: 'client a', now: now + 30 * dayMs })).toBeDefined();
    expect(openToken(token, { key, viewKey: 'client a', now: now - 600_000 })).toBeDefined();
    expect(openToken(token, { key, viewKey: 'client a', now: now + 30 * dayMs + 1 })).toBeUndefined();
    expect(rowsExpireAt(now)).toBeGreaterThan(now + 30 * dayMs);
  });

  const [first = '', content = '', signature = ''] = token.split('.');
  const other = Buffer.from(JSON.stringify(['2025-11-25', now / 1_000, {}])).toString('base64url');
  test.each<[string, string, { key?: Buffer; viewKey?: string }]>([
    ['of another caller', token, { viewKey: 'client b' }],
    ['of another installation', token, { key: Buffer.alloc(32, 2) }],
    ['with other content', `${first}.${other}.${signature}`, {}],
    ['with another name', `x${token}`, {}],
    ['with a longer signature', `${token}A`, {}],
    ['without a signature', `${first}.${content}`, {}],
    ['with more parts', `${token}.${signature}`, {}],
    ['of an earlier version of the hub', crypto.randomUUID(), {}],
    ['that is empty', '', {}],
  ])('%s is worthless', (_what, text, place) => {
    expect(openToken(text, { key, viewKey: 'client a', now, ...place })).toBeUndefined();
  });

  it('has only visible ASCII characters and stays short, whatever the client declares', () => {
    const declared = {
      experimental: { large: 'x'.repeat(100_000) },
      sampling: { tools: { anything: 'é'.repeat(1_000) }, context: {} },
      elicitation: { form: { a: 1 }, url: {} },
      roots: { listChanged: true },
    };
    const { capabilities } = readClient({ protocolVersion: '2025-11-25', capabilities: declared });
    expect(capabilities).toEqual({ elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} });
    const long = sealToken(
      { version: '2025-11-25', capabilities },
      { key, viewKey: 'v'.repeat(10_000), now, home },
    ).token;
    expect(long).toMatch(/^[\x21-\x7e]{1,300}$/);
  });
});
