import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineContract, outline } from '../base/contract.ts';
import { implement } from './route.ts';

const contract = defineContract('Owls', {
  'GET /owls/{id}': {
    right: 'use',
    summary: 'Read an owl',
    query: z.strictObject({ isAsleep: z.enum(['true', 'false']).optional() }),
    answer: 'The owl.',
    output: z.object({ id: z.string(), wings: z.literal(2) }),
  },
  'DELETE /owls/{id}': { right: 'administer', summary: 'Let an owl go', status: 204, answer: 'It is gone.' },
});

it('a contract and its handlers make routes', () => {
  const routes = implement(contract)({
    'GET /owls/{id}': ({ params }) => ({ id: params.id, wings: 2 }),
    'DELETE /owls/{id}': () => undefined,
  });
  expect(routes.map(({ method, path, group, right }) => [method, path, group, right])).toEqual([
    ['GET', '/owls/{id}', 'Owls', 'use'],
    ['DELETE', '/owls/{id}', 'Owls', 'administer'],
  ]);
});

it('handlers that break the contract do not compile', () => {
  const owl = () => ({ id: 'x', wings: 2 }) as const;
  const gone = () => undefined;
  const never = () => [
    // @ts-expect-error: no right is declared
    defineContract('Owls', { 'GET /owls': { summary: 'List owls', answer: 'Them.' } }),
    // @ts-expect-error: not a right
    defineContract('Owls', { 'GET /owls': { right: 'fly', summary: 'List owls', answer: 'Them.' } }),
    // @ts-expect-error: a handler is missing
    implement(contract)({ 'GET /owls/{id}': owl }),
    // @ts-expect-error: a handler too many
    implement(contract)({ 'GET /owls/{id}': owl, 'DELETE /owls/{id}': gone, 'GET /owls': owl }),
    // @ts-expect-error: an answer that the contract does not know
    implement(contract)({ 'GET /owls/{id}': () => ({ id: 'x', wings: 3 }), 'DELETE /owls/{id}': gone }),
    implement(contract)({
      // @ts-expect-error: a parameter that is not in the path
      'GET /owls/{id}': ({ params }) => ({ id: params.name, wings: 2 }),
      'DELETE /owls/{id}': gone,
    }),
    // @ts-expect-error: an outline that the type does not fit
    outline<{ id: number }>()(z.object({ id: z.string() })),
  ];
  expect(never).toBeTypeOf('function');
});
