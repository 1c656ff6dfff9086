import { expect, test } from 'vitest';
import { lineOfKey } from './line-of-key.ts';

const text = `title = "x"
[server] # where
bind = "a"
[agents."my agent"]
system_prompt = """
[agents.fake]
bind = 1
"""
tools = ["a"]
[[agents.b.skills]]
name = "one"
`;

test.each([
  ['title', 1],
  ['server', 2],
  ['server.bind', 3],
  ['server.other', 2],
  ['agents.my agent.tools', 9],
  ['agents.b.skills[0].name', 11],
])('%s is in line %i', (path, line) => {
  expect(lineOfKey(text, path.split('.'))).toBe(line);
});

test.each(['agents.fake', 'nowhere', ''])('"%s" is in no line', (path) => {
  expect(lineOfKey(text, path.split('.'))).toBeUndefined();
});
