import { expect, test } from 'vitest';
import { encodeKey, signedHeaders } from './sign-request.ts';

// The examples of "Signature Calculations for the Authorization Header", with the keys used there.
const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const now = Date.parse('2013-05-24T00:00:00Z');

test.each([
  ['?lifecycle=', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ['?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ['?prefix=J&max-keys=2', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
])('a request for %s has the signature of the documentation', (query, signature) => {
  const url = new URL(`https://examplebucket.s3.amazonaws.com/${query}`);
  expect(signedHeaders({ url, region: 'us-east-1', keys, now })).toEqual({
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-amz-date': '20130524T000000Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature=${signature}`,
  });
});

test('the token of temporary keys is sent and signed', () => {
  const url = new URL('http://127.0.0.1:9000/docs');
  const headers = signedHeaders({ url, region: 'eu-west-1', keys: { ...keys, sessionToken: 'token' }, now });
  expect(headers).toMatchObject({ host: '127.0.0.1:9000', 'x-amz-security-token': 'token' });
  expect(headers.authorization).toContain('SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,');
});

test.each([
  ['a b/c+d.md', true, 'a%20b/c%2Bd.md'],
  ['a/b', false, 'a%2Fb'],
  ["(it's)*!~", true, '%28it%27s%29%2A%21~'],
  ['Zoë/日本.md', true, 'Zo%C3%AB/%E6%97%A5%E6%9C%AC.md'],
])('%s is encoded as the signature requires', (text, keepSlashes, encoded) => {
  expect(encodeKey(text, { keepSlashes })).toBe(encoded);
});
