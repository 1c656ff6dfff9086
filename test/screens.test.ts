import { describe, expect, it } from 'vitest';
import { emptyScreens, screens } from '../scripts/screens.ts';

describe.each([
  ['every screen', screens],
  ['the screens of a new hub', emptyScreens],
])('the table of %s', (_, table) => {
  it('has each name once, because a second picture would replace the first', () => {
    const names = table.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
