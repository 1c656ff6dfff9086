import { expect, it } from 'vitest';
import { type Findable, firstOfEachKind, rank, scoreOf } from './rank.ts';

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

it.each([
  ['test', ['Test engineer', 'Latest news', 'Bench', 'Incident responder']],
  ['engineer test', ['Test engineer']],
  ['fail', ['Incident responder']],
])('of agents, "%s" finds %j: by name, then by id, then by description', (query, names) => {
  const agent = (id: string, name: string, about: string): Findable => ({ key: id, name, keywords: [id], about });
  const agents = [
    agent('incident-responder', 'Incident responder', 'Tests theories about a failure'),
    agent('latest-news', 'Latest news', ''),
    agent('test-bench', 'Bench', ''),
    agent('test-engineer', 'Test engineer', 'Writes checks'),
  ];
  expect(rank(agents, query).map(({ name }) => name)).toEqual(names);
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

it.each([
  ['chat', 'New chat'],
  ['connect', 'Connect a client'],
  ['new chat', 'New chat'],
  ['tools', 'All tools'],
])('the action that "%s" names comes before any number of agents', (query, first) => {
  const agents = Array.from({ length: 60 }, (_, index) => index).flatMap((index) => [
    { key: `chat ${index}`, name: `Chat with agent ${index}`, keywords: [] },
    { key: `connect ${index}`, name: `Connect agent ${index}`, keywords: [] },
  ]);
  const namesake = { key: 'agent tools', name: 'Tools', keywords: [] };
  const actions = [
    { key: 'screen chat', name: 'New chat', label: 'Chat', keywords: ['talk'], isAction: true },
    { key: 'screen connect', name: 'Connect a client', label: 'Connect', keywords: [], isAction: true },
    { key: 'screen tools', name: 'All tools', label: 'Tools', keywords: [], isAction: true },
  ];
  // Also before what was opened last.
  expect(rank([...agents, namesake, ...actions], query, ['chat 1', 'agent tools'])[0]?.name).toBe(first);
});

it('each kind has places, and the others go to the best matches', () => {
  const of = (kind: string, count: number) => Array.from({ length: count }, (_, index) => ({ kind, index }));
  const shown = firstOfEachKind([...of('agent', 60), ...of('task', 5), ...of('run', 1)], ({ kind }) => kind, 40);
  const count = (kind: string) => shown.filter((each) => each.kind === kind).length;
  expect([shown.length, count('agent'), count('task'), count('run')]).toEqual([40, 36, 3, 1]);
  expect(shown.slice(0, 36)).toEqual(of('agent', 36));
  expect(firstOfEachKind(of('agent', 2), ({ kind }) => kind, 40)).toEqual(of('agent', 2));
});
