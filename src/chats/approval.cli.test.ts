import { describe, expect, it } from 'vitest';
import type { CliContext } from '../cli/terminal/context.ts';
import { showApproval, toApproval } from './approval.cli.ts';

/** A terminal of 40 columns and 10 rows that collects what it shows, page by page. */
function terminal() {
  const pages: string[] = [''];
  const stderr = {
    columns: 40,
    rows: 10,
    write(text: string) {
      pages[pages.length - 1] += text;
      return true;
    },
  };
  // `showApproval` uses nothing else of a context.
  const context = { env: { NO_COLOR: '1' }, stderr } as unknown as CliContext;
  const prompts: string[] = [];
  const next = async (prompt: string) => {
    prompts.push(prompt);
    pages.push('');
  };
  return { context, next, pages, prompts };
}

describe('the question at the terminal', () => {
  it('shows short input in one line', async () => {
    const { context, next, pages } = terminal();
    const question = await showApproval(context, { tool: 'send_mail', input: { to: 'ada' } }, next);
    expect(question).toBe('Let the agent call send_mail {"to":"ada"}?');
    expect(pages).toEqual(['']);
  });

  it('shows all of a long input, a screen at a time, before it asks', async () => {
    const { context, next, pages, prompts } = terminal();
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index} of the body`);
    const input = { body: lines, end: 'x'.repeat(1_000) };
    const question = await showApproval(context, { tool: 'send_mail', input }, next);
    expect(question).toBe('Let the agent call send_mail with this input?');
    const shown = pages.join('').replaceAll('\n', '');
    for (const line of lines) expect(shown).toContain(line);
    expect(shown).toContain('x'.repeat(1_000));
    expect(prompts.length).toBe(pages.length - 1);
    expect(prompts[0]).toMatch(/^-- \d+ % of the input shown; Enter shows more -- $/);
    for (const page of pages) {
      const rows = page.split('\n').slice(0, -1);
      expect(rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(row.length / 40)), 0)).toBeLessThanOrEqual(8);
    }
  });

  it('hides nothing behind invisible or control characters', async () => {
    const { context, next, pages } = terminal();
    const hidden = 'rm -rf /\u001b[2K\r\u202eharmless\u200b';
    const question = await showApproval(context, { tool: 'run\u001b[2J', input: { command: hidden } }, next);
    for (const text of [question, ...pages]) expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(question).toContain('rm -rf /');
  });

  it('says what the run has read from outside', async () => {
    const { context, next, pages } = terminal();
    await showApproval(context, { tool: 'send_mail', input: {}, outside: ['web page example.org'] }, next);
    expect(pages.join('')).toContain('It has read text from outside: web page example.org.');
  });

  it.each([
    ['yes', 'approve'],
    ['chat', 'chat'],
    ['run', 'chat'],
    ['always', 'always'],
    ['no', 'deny'],
    ['', 'deny'],
  ])('takes "%s" as %s', (typed, answer) => {
    expect(toApproval(typed)).toBe(answer);
  });
});
