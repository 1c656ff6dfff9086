import { expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/base/json-schema/json-schema.ts';
import { fieldOf } from '../../parts/schema-form/schema-fields.ts';
import { callWithoutSecrets } from './call-without-secrets.ts';

const plain = { type: 'object', properties: { city: { type: 'string' } } };
const secret = { type: 'object', properties: { pin: { type: 'string', writeOnly: true } } };

it.each<[what: string, schema: JsonSchema, value: unknown, raw: string, kept: string | null]>([
  ['valid JSON', plain, { city: 'Rome' }, '{"city":"Rome"}', '{"city":"Rome"}'],
  ['half-typed JSON', plain, { city: 'Rome' }, '{"city":"Ro', '{"city":"Ro'],
  ['JSON with a secret', secret, { pin: 'abc' }, '{"pin":"abc"}', null],
  ['half-typed JSON with a secret of the schema', secret, {}, '{"pin":"abc', null],
  ['half-typed JSON with a field that is named like a secret', plain, {}, '{"api_key":"abc', null],
])('of a call, the browser stores %s without secrets', (_, schema, value, raw, kept) => {
  const draft = callWithoutSecrets(fieldOf(schema), { value, as: { kind: 'user' }, raw });
  expect(draft.raw).toBe(kept);
  expect(JSON.stringify(draft)).not.toContain('abc');
});
