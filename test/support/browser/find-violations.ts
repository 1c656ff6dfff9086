import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type Axe from 'axe-core';
import type { RunOptions } from 'axe-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const height = 900;

/** The widths of a phone, a tablet and a desktop. */
export const widths = [390, 820, 1440] as const;

/**
 * Runs axe on the open page at each of these widths, in both themes, and returns one line for every element that breaks a rule.
 * The page keeps its state; afterwards it has its first size and theme again. Only the contrast depends on the theme, so the
 * second theme is checked for that alone.
 */
export async function findViolations(page: Page, atWidths: readonly number[] = widths): Promise<string[]> {
  const before = page.viewportSize();
  const found = new Map<string, string[]>();
  for (const width of atWidths) {
    await page.setViewportSize({ width, height });
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      for (const line of await runAxe(page, theme === 'light' ? {} : { runOnly: ['color-contrast'] })) {
        found.set(line, [...(found.get(line) ?? []), `${width} ${theme}`]);
      }
    }
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
  return [...found].map(([line, looks]) => `${line} [${looks.join(', ')}]`);
}

async function runAxe(page: Page, options: RunOptions): Promise<string[]> {
  // Evaluated through the DevTools protocol, which the page's content security policy does not govern.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  return page.evaluate(async (chosen) => {
    const { axe } = window as unknown as { axe: typeof Axe };
    // An open menu or list box belongs to its button, wherever it is drawn, as a dialog does.
    const isOutside = ':not([role="menu"], [role="menu"] *, [role="listbox"], [role="listbox"] *)';
    axe.configure({ rules: [{ id: 'region', selector: `body *${isOutside}` }] });
    // Two frames, so that what reacts to the size has been drawn.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const { violations } = await axe.run(
      // Not for people: they hand the focus on at the edges of an overlay.
      { exclude: [['[data-base-ui-focus-guard]']] },
      { ...chosen, resultTypes: ['violations'] },
    );
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html, any, all, none }) => {
        const reason = [...any, ...all, ...none][0]?.message ?? '';
        return `${id}: ${target.join(' ')} ${html.slice(0, 160)} (${reason})`;
      }),
    );
  }, options);
}
