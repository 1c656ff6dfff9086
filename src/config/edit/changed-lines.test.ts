import { expect, it } from 'vitest';
import { changedLines } from './changed-lines.ts';

it('shows what has changed, with line numbers', () => {
  expect(changedLines('# a\n[log]\r\nkeep_days = 1\r\n', '# a\n[log]\r\nkeep_days = 2\r\nx = 1\r\n')).toEqual([
    { kind: 'removed', line: 3, text: 'keep_days = 1' },
    { kind: 'added', line: 3, text: 'keep_days = 2' },
    { kind: 'added', line: 4, text: 'x = 1' },
  ]);
});

it('never shows a secret', () => {
  const before =
    '[a]\nsecret = """\nfirst\nsecond"""\n[a.headers]\nX-Any = "plain"\nurl = "https://me:pass-word@x.test"\n';
  const shown = JSON.stringify(changedLines(before, ''));
  for (const hidden of ['first', 'second', 'plain', 'pass-word']) expect(shown).not.toContain(hidden);
  expect(changedLines('secret = "one text"\n', 'secret = "other text"\n')).toEqual([
    { kind: 'removed', line: 1, text: 'secret = "••••••••"' },
    { kind: 'added', line: 1, text: 'secret = "••••••••" (new)' },
  ]);
  const reference = `secret = "$${'{HOOK_SECRET}'}"`;
  expect(changedLines('', `${reference}\n`)).toEqual([{ kind: 'added', line: 1, text: reference }]);
});
