import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { emptyScreens, mainScreens } from '../../scripts/screens.ts';

let paths: string[];

beforeAll(async () => {
  // The screens look at their address when they are loaded.
  vi.stubGlobal('window', { location: { pathname: '/', hash: '' }, addEventListener: () => {} });
  const { router } = await import('./router.tsx');
  paths = Object.keys(router.routesByPath);
});

afterAll(() => {
  vi.unstubAllGlobals();
});

it('axe checks every path of the app', () => {
  const checked = new Set([...mainScreens, ...emptyScreens].map(({ at, path }) => at ?? routeOf(path)));
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !checked.has(path))).toEqual([]);
});

/** Returns the route of an address; one without parameters wins. */
function routeOf(address: string): string | undefined {
  const { pathname } = new URL(address, 'http://zoo');
  const matches = (path: string) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`).test(pathname);
  return paths.find((path) => path === pathname) ?? paths.find(matches);
}
