import { expect, it } from 'vitest';
import { toggled } from './use-selection.ts';

const order = ['a', 'b', 'c', 'd'];

it('toggles one agent, or with toHere everything between the last one and this one', () => {
  const one = toggled({ ids: new Set(), last: null }, { id: 'b', toHere: false, order });
  const three = toggled(one, { id: 'd', toHere: true, order });
  const fewer = toggled(three, { id: 'c', toHere: true, order });
  expect([...one.ids]).toEqual(['b']);
  expect([...three.ids]).toEqual(['b', 'c', 'd']);
  expect([...fewer.ids]).toEqual(['b']);
});
