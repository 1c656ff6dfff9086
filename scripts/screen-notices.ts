import { answering, changing, demoNow, failing, type Screen } from './screen.ts';

/** What the app says on every screen, and before it can show one. */
export const notices: readonly Screen[] = [
  {
    name: 'offline',
    path: '/',
    route: (page) => page.route('**/api/events', (route) => route.abort()),
    ready: 'text=Cannot reach the hub',
  },
  {
    name: 'read-only',
    path: '/',
    route: changing<{ problems: object[] }>('**/api/status', (reply) => ({
      ...reply,
      problems: [
        ...reply.problems,
        { place: 'database', message: 'The disk is full.', isCritical: true, since: demoNow },
      ],
    })),
    ready: 'text=The disk is full.',
  },
  {
    name: 'new-version',
    path: '/',
    route: async (page) => {
      let streams = 0;
      await page.route('**/api/events', (route) => {
        streams += 1;
        return streams === 1 ? route.abort() : route.continue();
      });
      await page.route(
        ({ pathname }) => pathname === '/',
        (route) =>
          route.request().isNavigationRequest()
            ? route.continue()
            : route.fulfill({
                contentType: 'text/html',
                body: '<script type="module" src="/assets/index-newer.js"></script>',
              }),
      );
    },
    ready: 'text=A new version of Agent Zoo is ready',
  },
  {
    name: 'not-delivered',
    path: '/usage',
    route: (page) => page.route('**/assets/usage-screen*', (route) => route.abort()),
    ready: 'text=This screen could not be loaded',
  },
  {
    name: 'first-steps-failed',
    path: '/',
    route: failing('**/api/first-steps'),
    ready: 'text=The first steps could not be loaded',
  },
  {
    name: 'sign-in-ended',
    path: '/',
    route: async (page) => {
      const message = 'This browser was signed out. Run "zoo open" in a terminal to sign in again.';
      await answering('**/api/**', { status: 401, json: { error: { code: 'unauthenticated', message } } })(page);
      const signedOut = (reply: object) => ({ ...reply, caller: { kind: 'anonymous', right: 'none' } });
      await changing('**/api/session', signedOut)(page);
    },
    ready: 'text=This browser was signed out',
  },
  {
    name: 'sign-in-unreachable',
    path: '/',
    isSignedOut: true,
    route: failing('**/api/session'),
    ready: 'role=button[name="Try again"]',
  },
  {
    name: 'sign-in-first-browser',
    path: '/',
    isSignedOut: true,
    route: changing('**/api/session', (reply) => ({
      ...reply,
      firstBrowser: { browser: 'Firefox on Linux', createdAt: demoNow },
    })),
    ready: 'text=Firefox on Linux opened this installation first',
  },
  {
    name: 'signing-in',
    path: '/sign-in#zoo_code_slow',
    isSignedOut: true,
    route: (page) =>
      page.route('**/api/session', (route) => (route.request().method() === 'POST' ? undefined : route.continue())),
    ready: 'text=Signing in…',
  },
];
