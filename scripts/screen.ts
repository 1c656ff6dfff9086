import type { Page } from '@playwright/test';
import type { Hub } from '../src/index.ts';

/** A moment that replies can name. */
export const demoNow = '2026-11-18T12:00:00.000Z';

/** An element to click, or a field to fill and its text. */
export type Act = string | readonly [field: string, text: string];

/** Opens the list of chats, which is beside the chat only on wide screens. */
export const openPastChats = 'role=button[name="Past chats"]';

/** What the screenshots and the test of every screen visit. */
export interface Screen {
  name: string;
  path: string;
  /** The route that it ends at, such as `/chat/$id`, if clicks lead to another one. */
  at?: string;
  /** A key to press, or what to do in order, before the screen is ready. */
  press?: string;
  click?: string | readonly Act[];
  /** What to click first where the screen is not wide. */
  narrowClick?: string;
  /** A field to fill before the clicks, and its text. */
  fill?: readonly [field: string, text: string];
  narrow?: boolean;
  /** What to type after the key. */
  type?: string;
  /** Whether the screen has changes that would be asked about when it is left. */
  isUnsaved?: boolean;
  /** Whether its code fails, as it does on purpose for the screen that says so. */
  isBroken?: boolean;
  /** Whether the page is not part of the app, or no page of it. */
  isOutside?: boolean;
  /** Whether the browser is not signed in. */
  isSignedOut?: boolean;
  /** A JSON file to choose, and its content. */
  file?: unknown;
  /** Whether it shows that something is being loaded. */
  isBusy?: boolean;
  /** What happens on the hub after the first click. */
  meanwhile?: (hub: Hub) => Promise<unknown>;
  /** Changes what the hub answers. */
  route?: (page: Page) => Promise<unknown>;
  /** An element that exists once the screen is ready. */
  ready: string;
  /** The element that must be in view: by default `ready`, or the top if nothing is done on the screen. */
  shown?: string;
}

type Routed = (page: Page) => Promise<unknown>;

/** Makes the requests of an address fail. */
export function failing(address: string | RegExp): Routed {
  const json = { error: { code: 'FAILED_PRECONDITION', message: 'The disk is full. Free some space and try again.' } };
  return answering(address, { status: 400, json });
}

/** Lets the requests of an address wait for ever. */
export function waiting(address: string | RegExp): Routed {
  return (page) => page.route(address, () => {});
}

export function answering(address: string | RegExp, reply: { status?: number; json: unknown }): Routed {
  return (page) => page.route(address, (route) => route.fulfill(reply));
}

/** Changes what the hub replies at an address. */
export function changing<T extends object>(address: string | RegExp, change: (reply: T) => object): Routed {
  return (page) =>
    page.route(address, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: change((await response.json()) as T) });
    });
}

/** Creates a key that is not stored, because each visit would add one. */
export function creatingKey(name: string): Routed {
  const key = { id: 'key_shown', name, agent: null, createdAt: demoNow, lastUsedAt: null };
  return (page) =>
    page.route('**/api/keys', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 201, json: { key, secret: 'zoo_key_shown_once' } })
        : route.continue(),
    );
}
