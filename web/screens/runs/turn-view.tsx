import { Bot, UserRound } from 'lucide-react';
import type { RunTurn } from '../../../src/runs/run-conversation.ts';
import { CallCard } from '../../parts/runs/call-card.tsx';
import { Thought } from '../../parts/runs/thought.tsx';
import { ContentView } from '../../parts/tools/content-view.tsx';
import { classes } from '../../ui/classes.ts';
import { Markdown } from '../../ui/markdown.tsx';

export function TurnView({ turn, isInterrupted }: { turn: RunTurn; isInterrupted: boolean }) {
  switch (turn.kind) {
    case 'thought':
      return <Thought text={turn.text} />;
    case 'said':
      return <Said turn={turn} />;
    case 'call':
      return (
        <CallCard
          tool={turn.tool}
          input={turn.input}
          state={turn.state}
          result={turn.result}
          outside={turn.result?.outside?.source}
          isInterrupted={isInterrupted}
        />
      );
  }
}

const roleNames = { user: 'User', assistant: 'Agent', system: 'Instructions', tool: 'Tool' } as const;

function Said({ turn: { role, block } }: { turn: Extract<RunTurn, { kind: 'said' }> }) {
  const isUser = role === 'user';
  return (
    <article
      aria-label={roleNames[role]}
      className={classes(
        'rounded-card border px-4 py-3',
        isUser ? 'border-transparent bg-accent-soft' : 'border-line bg-surface shadow-card',
      )}
    >
      <p className="mb-1 flex items-center gap-1.5 text-faint text-xs [&_svg]:size-3.5">
        {isUser ? <UserRound aria-hidden /> : <Bot aria-hidden />}
        {roleNames[role]}
      </p>
      {block.type === 'text' && role === 'assistant' ? (
        <div className="text-sm">
          <Markdown text={block.text} look="answer" />
        </div>
      ) : block.type === 'text' ? (
        <p className="whitespace-pre-wrap text-pretty text-sm [overflow-wrap:anywhere]">{block.text}</p>
      ) : (
        <ContentView block={block} label={`${roleNames[role]}: ${block.type}`} />
      )}
    </article>
  );
}
