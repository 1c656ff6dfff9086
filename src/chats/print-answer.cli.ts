import { type CliContext, colorsFor } from '../cli/terminal/context.ts';
import { fitText, forTerminal, printableLine } from '../cli/terminal/text-width.ts';
import type { RunEvent } from '../engine/run-events.ts';
import type { ChatEvent } from './chat.ts';

/** Events that runs and chats share. */
type AnswerEvent = Extract<RunEvent | ChatEvent, { type: 'text' | 'tool.called' | 'tool.finished' | 'tick.retried' }>;

/** Prints the answer on stdout as it arrives, and everything else in short lines on stderr. */
export interface AnswerPrinter {
  show(event: AnswerEvent): void;
  note(line: string): void;
  /** Ends an open line of the answer. */
  end(): void;
}

export function answerPrinter(context: CliContext): AnswerPrinter {
  const { dim, green, red, cyan } = colorsFor(context, context.stderr);
  // A pipe gets the model's text unchanged; for a terminal, control characters are removed.
  const shown = (text: string) => forTerminal(context, text);
  let isLineOpen = false;
  function end(): void {
    if (isLineOpen) context.stdout.write('\n');
    isLineOpen = false;
  }
  function note(line: string): void {
    end();
    context.stderr.write(`${line}\n`);
  }
  return {
    note,
    end,
    show(event) {
      switch (event.type) {
        case 'text':
          context.stdout.write(shown(event.delta));
          isLineOpen = !event.delta.endsWith('\n') && (event.delta !== '' || isLineOpen);
          return;
        case 'tool.called':
          return note(`${cyan('→')} ${event.tool} ${dim(fitText(printableLine(JSON.stringify(event.input)), 160))}`);
        case 'tool.finished': {
          const mark = event.isError ? red('✗') : green('✓');
          const text = event.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ');
          const took = event.durationMs === undefined ? '' : `${Math.round(event.durationMs)}ms  `;
          return note(`${mark} ${event.tool} ${dim(`${took}${fitText(printableLine(text), 140)}`)}`);
        }
        case 'tick.retried':
          return note(dim(`The answer was cut off (${printableLine(event.reason)}). Retrying.`));
      }
    },
  };
}

export const emptyAnswer = 'The model returned an empty answer.';

export interface Listener {
  hear(event: RunEvent | ChatEvent): void;
  /** True if the answer has no text and no tool calls so far, apart from retried parts. */
  readonly isEmpty: boolean;
}

export function listener(): Listener {
  let hasCalls = false;
  let hasText = false;
  return {
    hear(event) {
      if (event.type === 'text') hasText ||= event.delta.trim() !== '';
      else if (event.type === 'tool.called') hasCalls = true;
      else if (event.type === 'tick.retried') hasText = false;
    },
    get isEmpty() {
      return !hasCalls && !hasText;
    },
  };
}

export function tokensAndCost({ inputTokens, outputTokens }: Tokens, cost: number | null): string {
  return `${inputTokens + outputTokens} tokens${cost === null ? '' : `, $${cost.toFixed(4)}`}`;
}

type Tokens = { inputTokens: number; outputTokens: number };
