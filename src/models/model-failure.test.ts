import { describe, expect, it } from 'vitest';
import { troubleOf } from './model-failure.ts';

const failure = (code: string, message = '') => Object.assign(new Error(message), { code });

describe('a connection problem', () => {
  it.each<[string, unknown, object]>([
    ['both addresses of localhost refuse', new AggregateError([failure('ECONNREFUSED')]), { lost: 'ECONNREFUSED' }],
    ['a connection that hangs up', failure('ECONNRESET', 'socket hang up'), { lost: 'ECONNRESET' }],
    ['fetch without the host', new TypeError('fetch failed', { cause: failure('ENOTFOUND') }), { lost: 'ENOTFOUND' }],
    ['an answer without an end', new Error('The stream ended without a finish.'), { lost: 'it ended too early' }],
    ['anything else', failure('ENOENT'), {}],
    ['no error', 'gone', {}],
  ])('is temporary or unknown: %s', (_, error, trouble) => {
    expect(troubleOf(error)).toEqual(trouble);
  });

  it('is permanent at a port that fetch refuses', async () => {
    const error = await fetch('http://127.0.0.1:9/').catch((thrown: unknown) => thrown);
    expect(troubleOf(error)).toEqual({ permanent: expect.stringContaining('Use another port.') });
  });

  it.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', 'NODE_EXTRA_CA_CERTS'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'NODE_EXTRA_CA_CERTS'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unable to get local issuer certificate', 'NODE_EXTRA_CA_CERTS'],
    ['EPROTO', 'write EPROTO 40:error:0A00010B:SSL routines:x:wrong version number:x.c:7:', 'does not use HTTPS'],
    ['HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/', 'does not use HTTP ('],
    ['ERR_INVALID_CHAR', 'Invalid character in header content ["x-own"]', 'the header "x-own" contains a character'],
  ])('is permanent with %s, of Node and of fetch', (code, message, words) => {
    const error = failure(code, message);
    const permanent = expect.stringContaining(words);
    expect(troubleOf(error)).toEqual({ permanent });
    expect(troubleOf(new TypeError('fetch failed', { cause: error }))).toEqual({ permanent });
  });
});
