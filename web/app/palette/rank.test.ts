import { expect, it } from 'vitest';
import { type Findable, rank, scoreOf } from './rank.ts';

const things: Findable[] = [
  { key: 'screen team', name: 'Team', keywords: ['board', 'tasks', 'members', 'epics'] },
  { key: 'agent ada', name: 'Ada', keywords: ['ada', 'Explains engines'] },
  { key: 'agent radar', name: 'Radar', keywords: ['radar', 'Watches competitors'] },
  { key: 'agent code-reviewer', name: 'Code reviewer', keywords: ['code-reviewer', 'Finds bugs in changes'] },
  { key: 'agent reviewer', name: 'Release notes', keywords: ['release-notes', 'Turns changes into notes'] },
  { key: 'action chat ada', name: 'Chat with Ada', keywords: ['talk'] },
  { key: 'action dark', name: 'Toggle theme', keywords: ['dark', 'light'] },
  { key: 'tool get', name: 'agent_zoo_get_agent', keywords: ['Reads an agent'] },
  { key: 'task login', name: 'Add the login page', keywords: ['task_7h2'] },
  { key: 'task dashboard', name: 'Agenda for Monday', keywords: [] },
  { key: 'server files', name: 'files', keywords: ['server'] },
];

it.each([
  // A name that starts with it, then a word that does, then any part, then a word with the letters in order.
  ['ada', ['Ada', 'Chat with Ada', 'Radar', 'Agenda for Monday']],
  ['re', ['Release notes', 'Code reviewer', 'agent_zoo_get_agent']],
  ['rev', ['Code reviewer']],
  ['code rev', ['Code reviewer']],
  ['reviewer code', ['Code reviewer']],
  ['chat ada', ['Chat with Ada']],
  ['get agent', ['agent_zoo_get_agent']],
  ['team', ['Team']],
  ['board', ['Team']],
  ['dark', ['Toggle theme']],
  ['login', ['Add the login page']],
  ['task_7h2', ['Add the login page']],
  ['rvwr', ['Code reviewer']],
  // Two letters may be anywhere in most words.
  ['xy', []],
  ['ta', ['Team', 'Chat with Ada', 'Add the login page']],
  ['zzz', []],
  ['FILES', ['files']],
  ['áda', ['Ada', 'Chat with Ada', 'Radar', 'Agenda for Monday']],
])('"%s" finds %j, in this order', (query, names) => {
  expect(rank(things, query).map(({ name }) => name)).toEqual(names);
});

it('no words keep everything in its order', () => {
  expect(rank(things, '  ')).toEqual(things);
});

it('what was opened lately comes first among equals, and only there', () => {
  const found = (recent: string[]) =>
    rank(
      [
        { key: 'a', name: 'Writer', keywords: [] },
        { key: 'b', name: 'Writing coach', keywords: [] },
        { key: 'c', name: 'Copywriter', keywords: [] },
      ],
      'writ',
      recent,
    ).map(({ key }) => key);
  expect(found([])).toEqual(['a', 'b', 'c']);
  expect(found(['c', 'b'])).toEqual(['b', 'a', 'c']);
});

it('letters in order count only within one word, and from three on', () => {
  expect(scoreOf({ key: '', name: 'Data team', keywords: [] }, 'dtm')).toBe(0);
  expect(scoreOf({ key: '', name: 'Datum', keywords: [] }, 'dtm')).toBeGreaterThan(0);
  expect(scoreOf({ key: '', name: 'Datum', keywords: [] }, 'dm')).toBe(0);
});
