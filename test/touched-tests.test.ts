import { expect, it } from 'vitest';
import { touchedTests } from '../scripts/touched-tests.ts';

const sources = new Map([
  ['src/base/ids.ts', ''],
  ['src/team/mail/mail.ts', "import { newId } from '../../base/ids.ts';"],
  ['src/team/mail/mail.test.ts', "import { send } from './mail.ts';"],
  ['src/team/members/member.ts', "import type { Mail } from '../mail/mail.ts';"],
  ['src/team/members/member.test.ts', "import { member } from './member.ts';"],
  ['src/team/members/members.cli.ts', "const { send } = await import('../mail/mail.ts');"],
  ['web/screens/mail/inbox.tsx', "import {\n  a,\n} from '../../../src/team/mail/mail.ts';"],
  ['test/support/browser/browser.ts', ''],
  ['test/support/command/run-zoo.ts', ''],
  ['test/support/writer.ts', "import { send } from '../../src/team/mail/mail.ts';"],
  ['test/journeys/races.test.ts', "const script = new URL('../support/writer.ts', import.meta.url);"],
  ['test/journeys/cli-team.test.ts', "import { runZoo } from '../support/command/run-zoo.ts';"],
  [
    'test/journeys/web-mail.test.ts',
    "import '../support/browser/browser.ts';\nimport { hub } from '../../src/hub.ts';",
  ],
  ['src/hub.ts', "import './team/mail/mail.ts';"],
  ['test/journeys/docs.test.ts', ''],
]);
const touched = (...changed: string[]) => touchedTests(sources, changed).map(({ file }) => file);

it('a change touches the tests that import it, directly or through others, nearest first', () => {
  expect(touchedTests(sources, ['src/base/ids.ts'])).toEqual([
    { file: 'src/team/mail/mail.test.ts', distance: 2 },
    { file: 'test/journeys/races.test.ts', distance: 3 },
  ]);
});

it('a test that changed comes first', () => {
  expect(touched('src/team/mail/mail.test.ts', 'src/base/ids.ts')[0]).toBe('src/team/mail/mail.test.ts');
});

it('types alone touch nobody', () => {
  expect(touched('src/team/mail/mail.ts')).not.toContain('src/team/members/member.test.ts');
});

it('a program that a test starts counts as imported', () => {
  expect(touched('test/support/writer.ts')).toEqual(['test/journeys/races.test.ts']);
});

it('a command and a screen touch the journeys that are named after them', () => {
  expect(touched('src/team/members/members.cli.ts')).toEqual(['test/journeys/cli-team.test.ts']);
  expect(touched('web/screens/mail/inbox.tsx')).toEqual(['test/journeys/web-mail.test.ts']);
});

it('journeys in a browser run only for changes to what they test', () => {
  expect(touched('src/team/mail/mail.ts')).not.toContain('test/journeys/web-mail.test.ts');
  expect(touched('test/support/browser/browser.ts')).toEqual(['test/journeys/web-mail.test.ts']);
  expect(touched('test/journeys/web-mail.test.ts')).toEqual(['test/journeys/web-mail.test.ts']);
});

it('a page of the docs touches the test of its samples', () => {
  expect(touched('docs/mail.md')).toEqual(['test/journeys/docs.test.ts']);
});
