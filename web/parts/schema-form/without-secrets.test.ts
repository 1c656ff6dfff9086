import { expect, it } from 'vitest';
import { UnreadText } from './form-value.ts';
import { fieldOf } from './schema-fields.ts';
import { withoutSecrets } from './without-secrets.ts';

const field = fieldOf({
  type: 'object',
  properties: {
    city: { type: 'string' },
    pin: { type: 'string', format: 'password' },
    once: { type: 'string', writeOnly: true },
    apiKey: { type: 'string' },
    stops: { type: 'array', items: { type: 'object', properties: { name: {}, secret: { type: 'string' } } } },
    more: {},
  },
});

it.each([
  [{ city: 'Oslo', pin: '1234', once: 'x', apiKey: 'k' }, { city: 'Oslo' }],
  [{ stops: [{ name: 'Bergen', secret: 's' }] }, { stops: [{ name: 'Bergen' }] }],
  [{ more: { headers: [{ Authorization: 'Bearer x', accept: '*' }] } }, { more: { headers: [{ accept: '*' }] } }],
  [{ more: new UnreadText('{"token":"ab') }, {}],
  [{ more: new UnreadText('{"note":"ab') }, { more: '{"note":"ab' }],
  [{ unknown: { password: 'x', note: 'y' } }, { unknown: { note: 'y' } }],
])('of %j the browser stores %j', (value, stored) => {
  expect(withoutSecrets(field, value)).toEqual(stored);
});
