import { z } from 'zod';
import { defineContract } from '../base/contract.ts';
import { defaultJsonLimits, type JsonLimits } from '../base/json.ts';
import { rights } from '../base/rights.ts';
import { BrowserSession, ClientKey, NewClientKey } from './callers.ts';

export const SessionBody = z.object({
  caller: z.object({
    kind: z.enum(['owner', 'client', 'member', 'anonymous']),
    name: z.string().nullable(),
    right: z.enum(rights),
  }),
  firstBrowser: z
    .object({ browser: z.string(), createdAt: z.iso.datetime() })
    .nullable()
    .describe('The browser that opened this installation first, and so needed no link.'),
  url: z.string().describe('The address of the web app. A browser is signed in only there.'),
});
export type SessionBody = z.infer<typeof SessionBody>;

const KeyListBody = z.object({ keys: z.array(ClientKey) });
const SessionListBody = z.object({ sessions: z.array(BrowserSession) });
const NewKeyBody = z.object({ key: ClientKey, secret: z.string().describe('Shown only in this reply.') });

/** Anybody may send a code, which is short. */
const signInLimits: JsonLimits = { ...defaultJsonLimits, maxCharacters: 4 * 1024 };

/** Who is calling: signing browsers in and out, and keys for clients. */
export const callersContract = defineContract('Access', {
  'GET /api/session': {
    right: 'none',
    summary: 'Show how the hub identifies you',
    answer: 'The caller of this request. A wrong or revoked credential counts as none here.',
    output: SessionBody,
  },
  'POST /api/session': {
    right: 'none',
    isAct: true,
    summary: 'Sign a browser in',
    description:
      'With the code of a link from `zoo serve` or `zoo open`. The first browser that opens a new installation needs none.',
    body: z.strictObject({ code: z.string().max(200) }),
    bodyLimits: signInLimits,
    example: { code: 'zoo_code_…' },
    status: 204,
    answer: 'The browser is signed in: the reply sets a cookie.',
    errors: [400, 401, 413],
  },
  'DELETE /api/session': {
    right: 'none',
    summary: 'Sign this browser out',
    status: 204,
    answer: 'The browser is signed out.',
  },
  'GET /api/sessions': {
    right: 'administer',
    summary: 'List signed-in browsers',
    answer: 'The browsers.',
    output: SessionListBody,
  },
  'DELETE /api/sessions': {
    right: 'administer',
    summary: 'Sign out everywhere',
    status: 204,
    answer: 'All browsers are signed out, this one included.',
  },
  'DELETE /api/sessions/{id}': {
    right: 'administer',
    summary: 'Sign out one browser',
    status: 204,
    answer: 'The browser is signed out, and its open pages lose access at once.',
    errors: [404],
  },
  'GET /api/keys': { right: 'administer', summary: 'List client keys', answer: 'The keys.', output: KeyListBody },
  'POST /api/keys': {
    right: 'administer',
    shownFields: ['agent'],
    summary: 'Create a key for a client',
    body: NewClientKey,
    example: { name: 'Claude Code' },
    status: 201,
    answer: 'The key and its secret, which is shown only once.',
    output: NewKeyBody,
    errors: [400, 404],
  },
  'DELETE /api/keys/{id}': {
    right: 'administer',
    summary: 'Revoke a client key',
    status: 204,
    answer: 'The key no longer works.',
    errors: [404],
  },
});
