import { expect } from 'vitest';
import type { ScreenVisitor } from '../../../scripts/open-screen.ts';
import type { Screen } from '../../../scripts/screen.ts';
import { findMisplaced } from './find-misplaced.ts';
import { findViolations, widths } from './find-violations.ts';

/** Expects no browser errors, no sideways scrolling, nothing misplaced and nothing that axe reports, in both themes and at each width. */
export async function expectSound(visitor: ScreenVisitor, screen: Screen): Promise<void> {
  const { page, complaints } = await visitor.visit(screen);
  expect(await page.title()).not.toBe('');
  if (screen.at !== undefined) expect(new URL(page.url()).pathname).toMatch(pathPattern(screen.at));
  const first = page.viewportSize();
  const found: string[] = [];
  for (const width of screen.narrow ? [390] : widths) {
    await visitor.resize(width);
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    // An open menu finds its place after the page has heard of the new width.
    await expect.poll(overflow, { message: `${width}: scrolls sideways` }).toBe(0);
    await expect.poll(() => findMisplaced(page), { message: `${width}` }).toEqual([]);
    found.push(...(await findViolations(page, [width])));
  }
  if (first) await page.setViewportSize(first);
  expect(found).toEqual([]);
  // A request that is made to fail is an error in the console, and so is a part of the app that cannot be loaded.
  const isIntended = (complaint: string) =>
    screen.route !== undefined && /^(Failed to load resource|LoadError: )/.test(complaint);
  if (!screen.isBroken) expect(complaints.filter((complaint) => !isIntended(complaint))).toEqual([]);
}

/** Matches the addresses of a route such as `/chat/$id`. */
function pathPattern(route: string): RegExp {
  return new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`);
}
