import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleSlash, CircleX, Globe, Hand, Hourglass } from 'lucide-react';
import type { ReactNode } from 'react';
import { visibleText } from '../../../src/base/visible-json.ts';
import { type CallState, stateWords } from '../../../src/chats/call-state.ts';
import type { ContentBlock } from '../../../src/tools/content.ts';
import { classes } from '../../ui/classes.ts';
import { durationName } from '../../ui/duration-name.ts';
import { Folding } from '../../ui/folding.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { JsonView } from '../../ui/json-view.tsx';
import { ContentView, TextContent } from '../tools/content-view.tsx';

export interface CallCardProps {
  tool: string;
  /** Undefined if it was not stored. */
  input: unknown;
  state: CallState;
  result: { content: readonly ContentBlock[]; isError: boolean } | null;
  durationMs?: number | undefined;
  /** Whether its run ended without finishing it. */
  isInterrupted: boolean;
  /** The approval buttons, shown below the open input. */
  question?: ReactNode;
  /** Where the result comes from, if it is text from outside. */
  outside?: string | undefined;
}

const icons: Record<CallState, ReactNode> = {
  waiting: <Hourglass aria-hidden className="text-faint" />,
  running: (
    <span
      aria-hidden
      className="size-3.5 shrink-0 animate-spin rounded-full border-2 border-info border-r-transparent"
    />
  ),
  finished: <CircleCheck aria-hidden className="text-accent-text" />,
  failed: <CircleX aria-hidden className="text-danger" />,
  denied: <CircleSlash aria-hidden className="text-warn" />,
};

/** One tool call: its input, result and duration. */
export function CallCard(props: CallCardProps) {
  const { tool, input, state, result, durationMs, isInterrupted, question, outside } = props;
  const isStopped = isInterrupted && state === 'running';
  return (
    <article
      aria-label={`Call to ${tool}`}
      data-call={state}
      className={classes(
        'rounded-card border bg-surface shadow-card',
        question
          ? 'border-violet/60'
          : state === 'failed'
            ? 'border-danger/40'
            : isStopped
              ? 'border-warn/50'
              : 'border-line',
      )}
    >
      <header className="flex flex-wrap items-center gap-x-2 px-3.5 py-2 [&>svg]:size-4 [&>svg]:shrink-0">
        {question ? (
          <Hand aria-hidden className="text-violet" />
        ) : isStopped ? (
          <Hourglass aria-hidden className="text-warn" />
        ) : (
          icons[state]
        )}
        <Link
          to="/tools/$name"
          params={{ name: tool }}
          preload={false}
          className="min-w-0 max-w-[calc(100%-2rem)] truncate font-mono text-xs hover:underline"
          title={tool}
        >
          {tool}
        </Link>
        <span
          className={classes(
            'ml-auto shrink-0 text-xs',
            question ? 'font-medium text-violet' : isStopped ? 'text-warn' : 'text-faint',
          )}
        >
          {question ? 'Needs your approval' : stateWords(state, isInterrupted)}
          {durationMs !== undefined && state !== 'denied' && <> · {durationName(durationMs)}</>}
        </span>
      </header>
      <div className="flex flex-col gap-2 border-line border-t p-2">
        {input !== undefined && (
          // Open and complete, so that the user sees what they approve.
          <Folding
            key={question ? 'open' : 'closed'}
            isOpenFirst={Boolean(question)}
            summary={<Summary name="Input" value={input} />}
          >
            <JsonView value={input} label={`Input of ${tool}`} isWhole={Boolean(question)} />
            {question && <p className="pt-1 text-faint text-xs">{lengthWords(input)}</p>}
          </Folding>
        )}
        {result && <Result tool={tool} result={result} />}
        {outside !== undefined && (
          <p className="flex items-start gap-1.5 px-1.5 py-0.5 text-warn text-xs [overflow-wrap:anywhere]">
            <Globe aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            <span>Text from outside: {outside}</span>
          </p>
        )}
        {!result && input === undefined && <p className="px-1.5 py-1 text-muted text-xs">The input was not stored.</p>}
        {question && <div className="p-1.5 pt-1">{question}</div>}
      </div>
    </article>
  );
}

function Result({ tool, result }: { tool: string; result: NonNullable<CallCardProps['result']> }) {
  return (
    <Folding
      isOpenFirst={result.isError || result.content.some((block) => block.type !== 'text')}
      summary={<Summary name={result.isError ? 'Error' : 'Output'} value={textOf(result.content)} />}
    >
      <div className="flex flex-col gap-2">
        {result.content.map((block, index) =>
          result.isError && block.type === 'text' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no ids, and a result never changes.
            <TextContent key={index} text={block.text} label={`Error ${index + 1} of ${tool}`} tone="error" />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <ContentView key={index} block={block} label={`Output ${index + 1} of ${tool}`} />
          ),
        )}
        {result.content.length === 0 && <p className="text-muted text-sm">No output.</p>}
      </div>
    </Folding>
  );
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map((block) => block.text ?? block.type).join(' ');
}

/** More than this may not fit into the box. */
const longInput = 1_000;

function lengthWords(input: unknown): string {
  const { length } = JSON.stringify(input) ?? '';
  const hint = length > longInput ? ' Scroll to read all of it.' : '';
  return `The whole input: ${formatCount(length, 'character')}.${hint}`;
}

function Summary({ name, value }: { name: string; value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return (
    <>
      <span className="w-12 shrink-0 text-muted text-xs">{name}</span>
      <span className="min-w-0 truncate font-mono text-faint text-xs">{visibleText(text.slice(0, 300))}</span>
    </>
  );
}
