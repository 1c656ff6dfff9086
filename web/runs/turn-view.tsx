import { Link } from '@tanstack/react-router';
import { Bot, ChevronRight, CircleCheck, CircleSlash, CircleX, Hourglass, Lightbulb, UserRound } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ContentView, TextContent } from '../tools-look/content-view.tsx';
import { classes } from '../ui/classes.ts';
import { JsonView } from '../ui/json-view.tsx';
import { type CallState, stateWords, type Turn } from './conversation.ts';

export function TurnView({ turn, isInterrupted }: { turn: Turn; isInterrupted: boolean }) {
  switch (turn.kind) {
    case 'thought':
      return <Thought text={turn.text} />;
    case 'said':
      return <Said turn={turn} />;
    case 'call':
      return <CallCard turn={turn} isInterrupted={isInterrupted} />;
  }
}

const roleNames = { user: 'Person', assistant: 'Agent', system: 'Instructions', tool: 'Tool' } as const;

function Said({ turn: { role, block } }: { turn: Extract<Turn, { kind: 'said' }> }) {
  const isPerson = role === 'user';
  return (
    <article
      aria-label={roleNames[role]}
      className={classes(
        'rounded-card border px-4 py-3',
        isPerson ? 'border-transparent bg-accent-soft' : 'border-line bg-surface shadow-card',
      )}
    >
      <p className="mb-1 flex items-center gap-1.5 text-faint text-xs [&_svg]:size-3.5">
        {isPerson ? <UserRound aria-hidden /> : <Bot aria-hidden />}
        {roleNames[role]}
      </p>
      {block.type === 'text' ? (
        <p className="whitespace-pre-wrap text-pretty text-sm [overflow-wrap:anywhere]">{block.text}</p>
      ) : (
        <ContentView block={block} label={`${roleNames[role]}: ${block.type}`} />
      )}
    </article>
  );
}

function Thought({ text }: { text: string }) {
  return (
    <Folding
      summary={
        <>
          <Lightbulb aria-hidden className="size-3.5 text-faint" />
          <span className="text-muted text-xs">Reasoning</span>
        </>
      }
    >
      <p className="whitespace-pre-wrap text-muted text-sm [overflow-wrap:anywhere]">{text}</p>
    </Folding>
  );
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

interface CallCardProps {
  turn: Extract<Turn, { kind: 'call' }>;
  isInterrupted: boolean;
}

function CallCard({ turn: { tool, input, result, state }, isInterrupted }: CallCardProps) {
  const isStopped = isInterrupted && state === 'running';
  return (
    <article
      aria-label={`Call of ${tool}`}
      data-call={state}
      className={classes(
        'rounded-card border bg-surface shadow-card',
        state === 'failed' ? 'border-danger/40' : isStopped ? 'border-warn/50' : 'border-line',
      )}
    >
      <header className="flex flex-wrap items-center gap-x-2 px-3.5 py-2 [&>svg]:size-4 [&>svg]:shrink-0">
        {isStopped ? <Hourglass aria-hidden className="text-warn" /> : icons[state]}
        <Link
          to="/tools/$name"
          params={{ name: tool }}
          preload={false}
          className="min-w-0 max-w-[calc(100%-2rem)] truncate font-mono text-xs hover:underline"
          title={tool}
        >
          {tool}
        </Link>
        <span className={classes('ml-auto shrink-0 text-xs', isStopped ? 'text-warn' : 'text-faint')}>
          {stateWords(state, isInterrupted)}
        </span>
      </header>
      <div className="flex flex-col gap-2 border-line border-t p-2">
        {input !== undefined && (
          <Folding summary={<Summary name="Input" value={input} />}>
            <JsonView value={input} label={`Input of ${tool}`} />
          </Folding>
        )}
        {result && (
          <Folding
            isOpenFirst={result.isError || result.content.some((block) => block.type !== 'text')}
            summary={<Summary name={result.isError ? 'Error' : 'Output'} value={textOf(result.content)} />}
          >
            <div className="flex flex-col gap-2">
              {result.content.map((block, index) =>
                result.isError && block.type === 'text' ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no names, and a result never changes.
                  <TextContent key={index} text={block.text} label={`Error of ${tool}`} tone="error" />
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                  <ContentView key={index} block={block} label={`Output of ${tool}`} />
                ),
              )}
              {result.content.length === 0 && <p className="text-muted text-sm">Nothing.</p>}
            </div>
          </Folding>
        )}
        {!result && input === undefined && (
          <p className="px-1.5 py-1 text-muted text-xs">What it was called with was not kept.</p>
        )}
      </div>
    </article>
  );
}

function textOf(content: readonly { type: string; text?: string }[]): string {
  return content.map((block) => block.text ?? block.type).join(' ');
}

function Summary({ name, value }: { name: string; value: unknown }) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return (
    <>
      <span className="w-12 shrink-0 text-muted text-xs">{name}</span>
      <span className="min-w-0 truncate font-mono text-faint text-xs">{text.slice(0, 300)}</span>
    </>
  );
}

interface FoldingProps {
  summary: ReactNode;
  isOpenFirst?: boolean;
  children: ReactNode;
}

/** What is closed is not drawn: a long run has many results. */
function Folding({ summary, isOpenFirst = false, children }: FoldingProps) {
  const [isOpen, setIsOpen] = useState(isOpenFirst);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full min-w-0 items-center gap-2 rounded-md px-1.5 py-1 text-left hover:bg-hover max-md:py-2"
      >
        <ChevronRight
          aria-hidden
          className={classes('size-3.5 shrink-0 text-faint transition-transform', isOpen && 'rotate-90')}
        />
        {summary}
      </button>
      {isOpen && <div className="px-1.5 pt-1 pb-1.5">{children}</div>}
    </div>
  );
}
