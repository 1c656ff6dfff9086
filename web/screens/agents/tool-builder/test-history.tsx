import { Link } from '@tanstack/react-router';
import { CornerUpLeft } from 'lucide-react';
import type { Chat } from '../../../../src/chats/chat.ts';
import type { FoundChat } from '../../../../src/chats/chats.ts';
import { useToolTests } from '../../../api/tool-test-queries.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { errorText } from '../../../ui/error-state.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';

export interface TestHistoryProps {
  agentId: string;
  tool: string;
  /** Puts the values of an earlier test into the form. */
  onAgain: (parameters: unknown) => void;
}

const states: Record<Chat['state'], { label: string; tone: BadgeTone }> = {
  idle: { label: 'ended', tone: 'neutral' },
  answering: { label: 'answering', tone: 'info' },
  waiting: { label: 'waits for approval', tone: 'warn' },
  interrupted: { label: 'interrupted', tone: 'danger' },
};

/** Earlier tests of the tool, newest first. */
export function TestHistory({ agentId, tool, onAgain }: TestHistoryProps) {
  const tests = useToolTests(agentId, tool);
  return (
    <section aria-label="Earlier tests" className="flex flex-col gap-1.5">
      <h3 className="font-semibold text-sm">Earlier tests</h3>
      {tests.isPending ? (
        <Skeleton className="h-10 w-full rounded-lg" />
      ) : tests.isError && !tests.data ? (
        <p role="alert" className="flex flex-wrap items-center gap-2 text-danger text-xs">
          The tests could not be loaded: {errorText(tests.error)}
          <Button size="sm" onClick={() => void tests.refetch()}>
            Try again
          </Button>
        </p>
      ) : tests.data.length === 0 ? (
        <p className="text-muted text-xs">None yet. Each test is kept as a chat.</p>
      ) : (
        <ul className="flex flex-col divide-y divide-line rounded-xl border border-line">
          {tests.data.map((chat) => (
            <TestRow key={chat.id} chat={chat} onAgain={onAgain} />
          ))}
        </ul>
      )}
    </section>
  );
}

function TestRow({ chat, onAgain }: { chat: FoundChat; onAgain: TestHistoryProps['onAgain'] }) {
  const parameters = chat.origin.kind === 'test' ? chat.origin.parameters : {};
  const { label, tone } = states[chat.state];
  return (
    <li className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3 py-2">
      <Link to="/chat/$id" params={{ id: chat.id }} className="min-w-0 flex-1 basis-52 rounded hover:underline">
        <span className="block truncate text-sm">{chat.title}</span>
        <span className="block truncate font-mono text-faint text-xs">{JSON.stringify(parameters)}</span>
      </Link>
      <Badge tone={tone}>{label}</Badge>
      <span className="text-faint text-xs">
        <RelativeTime at={new Date(chat.createdAt).toISOString()} />
      </span>
      <Button
        size="sm"
        variant="ghost"
        icon={<CornerUpLeft aria-hidden />}
        aria-label={`Again with the values of ${chat.title}`}
        onClick={() => onAgain(parameters)}
      >
        Again
      </Button>
    </li>
  );
}
