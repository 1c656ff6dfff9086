import { expect, it } from 'vitest';
import { testBrowser } from './browser.ts';
import { findMisplaced } from './find-misplaced.ts';

it('controls that stick out of their card are found, unless the card scrolls to them or shortens their text', async () => {
  const page = await (await testBrowser()).newPage();
  const card = (name: string, style: string, inner = '') =>
    `<div class="rounded-card overflow-hidden" style="width: 100px; ${style}">
      <div style="${inner}"><button style="width: 300px">${name}</button></div>
    </div>`;
  await page.setContent(
    [
      card('open', ''),
      card('cut off', 'overflow: hidden'),
      card('cut off inside', '', 'overflow-x: clip'),
      card('in a list that scrolls', 'overflow-x: auto'),
      card('in a part that scrolls', 'overflow: hidden', 'overflow-x: auto'),
      card('shortened', '', 'overflow: hidden; text-overflow: ellipsis'),
      `<div style="overflow-x: auto">${card('in a card of a list that scrolls', 'overflow: hidden')}</div>`,
      '<div class="rounded-card" style="width: 100px"><button>fits</button></div>',
    ].join(''),
  );
  expect(await findMisplaced(page)).toEqual(
    ['open', 'cut off', 'cut off inside', 'in a card of a list that scrolls'].map(
      (name) => `sticks out of its card: ${name}`,
    ),
  );
  await page.close();
});
