import { visibleJson } from '../base/visible-json.ts';
import { recordCommand } from '../cli/record-command.ts';
import { isTerminal } from '../cli/terminal/ask.ts';
import { type CliContext, colorsFor } from '../cli/terminal/context.ts';
import { printable, printableLine, textWidth } from '../cli/terminal/text-width.ts';
import type { RecordsActs } from '../decisions/record-act.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../engine/run-events.ts';

/** The replies a user can type; the first letter is enough. */
export const approvalKeys = ['yes', 'no', 'chat', 'always'] as const;

/** The same for a run without a chat. */
export const runApprovalKeys = ['yes', 'no', 'run', 'always'] as const;

type Asked = Pick<ApprovalRequest, 'tool' | 'input' | 'outside'>;

/** Longer input is shown on separate lines. */
const maxColumnsInLine = 200;
/** Rows that a page leaves free for its prompt. */
const freeRows = 2;

/**
 * Shows the call that the user decides about, and returns the question. Shows long input page by page to its end; `next` waits for a line.
 */
export async function showApproval(
  context: CliContext,
  { tool, input, outside }: Asked,
  next: (prompt: string) => Promise<unknown>,
): Promise<string> {
  const { yellow } = colorsFor(context, context.stderr);
  const line = visibleJson(input, 0);
  const isShort = textWidth(line) <= maxColumnsInLine;
  if (!isShort) await showPaged(context, printable(visibleJson(input)).split('\n'), next);
  if (outside && outside.length > 0) {
    const sources = printableLine(outside.join('; '));
    context.stderr.write(
      `${yellow(`It has read text from outside: ${sources}. Make sure that you want this call.`)}\n`,
    );
  }
  return `Let the agent call ${printableLine(tool)} ${isShort ? printable(line) : 'with this input'}?`;
}

async function showPaged(
  context: CliContext,
  lines: readonly string[],
  next: (prompt: string) => Promise<unknown>,
): Promise<void> {
  const { stderr } = context;
  const columns = stderr.columns || 80;
  const rowsOf = (line: string) => Math.max(1, Math.ceil(textWidth(line) / columns));
  // One very long line is split, so that no page is longer than the screen.
  const rows = (stderr.rows || 24) - freeRows;
  const pieces = lines.flatMap((line) => split(line, columns * Math.max(1, rows - 1)));
  let used = 0;
  for (const [index, piece] of pieces.entries()) {
    if (used > 0 && used + rowsOf(piece) > rows) {
      await next(`-- ${Math.round((100 * index) / pieces.length)} % of the input shown; Enter shows more -- `);
      used = 0;
    }
    stderr.write(`${piece}\n`);
    used += rowsOf(piece);
  }
}

function split(line: string, maxCharacters: number): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < line.length || from === 0; from += maxCharacters)
    pieces.push(line.slice(from, from + maxCharacters));
  return pieces;
}

export function toApproval(typed: string): ApprovalAnswer {
  if (typed === 'yes') return 'approve';
  if (typed === 'chat' || typed === 'run') return 'chat';
  return typed === 'always' ? 'always' : 'deny';
}

/** Returns the decision if the user need not or cannot be asked, or undefined to ask at the terminal. */
export function approvalWithoutAsking(
  context: CliContext,
  { yes }: { yes?: boolean },
  tool: string,
): ApprovalAnswer | undefined {
  if (yes) return 'approve';
  if (isTerminal(context)) return undefined;
  context.stderr.write(
    `zoo: ${tool} needs approval and was denied, because there is no terminal to ask on. Use --yes to approve all calls.\n`,
  );
  return 'deny';
}

/** Logs what was answered at the terminal. */
export function recordApproval(
  hub: RecordsActs,
  command: 'zoo chat' | 'zoo run',
  { tool, answer, chatId }: { tool: string; answer: ApprovalAnswer; chatId?: string },
): Promise<void> {
  const target = chatId === undefined ? tool : `${chatId} / ${tool}`;
  return recordCommand(hub, command, { summary: 'Approve or deny a tool call', target, after: { answer } });
}
