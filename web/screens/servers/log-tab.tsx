import { ArrowDownToLine, ScrollText } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ServerLogLine } from '../../../src/servers/servers.ts';
import { useServerLog } from '../../api/server-queries.ts';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { exactTime } from '../../ui/day-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Switch } from '../../ui/switch.tsx';

/** Shows the server's log live. With several processes, says whose log it is. */
export function LogTab({ name, hasReplicas }: { name: string; hasReplicas: boolean }) {
  const { data, error, refetch } = useServerLog(name);
  if (!data) {
    if (error) return <ErrorState title="The log could not be loaded" error={error} onRetry={() => void refetch()} />;
    return (
      <div role="status" aria-busy="true" aria-label="Loading log">
        <Skeleton className="h-64 w-full rounded-card" />
      </div>
    );
  }
  if (data.lines.length === 0) {
    return (
      <EmptyState art={<ScrollText className="size-10" strokeWidth={1.5} />} title="No log lines yet">
        Error output, log messages and connection events appear here.
        {hasReplicas && ` This is the log of ${data.from}; other processes log separately.`}
      </EmptyState>
    );
  }
  return <Lines lines={data.lines} from={hasReplicas ? data.from : null} />;
}

function Lines({ lines, from }: { lines: readonly ServerLogLine[]; from: string | null }) {
  const [follows, setFollows] = useState(true);
  const box = useRef<HTMLElement>(null);
  const last = lines.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last line moves the end.
  useEffect(() => {
    if (follows) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [follows, last?.at, last?.text, lines.length]);
  // Scrolling up stops following; scrolling back to the end starts it again.
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    setFollows(scrollHeight - scrollTop - clientHeight < 24);
  };
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <p className="flex-1 basis-48 text-muted text-xs tabular-nums">
          Last {formatCount(lines.length, 'line')}
          {from !== null && ` on ${from}. Other processes have their own log.`}
        </p>
        <span className="flex items-center gap-2 text-sm">
          <ArrowDownToLine aria-hidden className={classes('size-3.5', follows ? 'text-accent-text' : 'text-faint')} />
          <span aria-hidden>Scroll to new lines</span>
          <Switch label="Scroll to new lines" checked={follows} onChange={setFollows} />
        </span>
        <CopyButton size="sm" label="Copy log" text={() => lines.map(asText).join('\n')} />
      </div>
      <section
        ref={box}
        aria-label="Log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={onScroll}
        className="h-[min(32rem,60dvh)] overflow-auto rounded-card border border-line bg-sunken/50 p-3 font-mono text-xs leading-5"
      >
        <ol>
          {lines.map((line, index) => (
            <Line
              // biome-ignore lint/suspicious/noArrayIndexKey: equal lines at the same time differ only by position.
              key={`${line.at} ${index}`}
              line={line}
            />
          ))}
        </ol>
      </section>
    </div>
  );
}

const looks: Record<string, string> = {
  error: 'text-danger',
  critical: 'text-danger',
  alert: 'text-danger',
  emergency: 'text-danger',
  warning: 'text-warn',
  warn: 'text-warn',
  info: 'text-info',
  notice: 'text-info',
};

/** ANSI color codes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an ANSI code starts with one.
const ansiColor = /\u001b\[[0-9;]*m/g;

function Line({ line }: { line: ServerLogLine }) {
  return (
    <li className="flex gap-2.5">
      <time
        dateTime={new Date(line.at).toISOString()}
        title={exactTime(line.at)}
        className="shrink-0 select-none text-faint tabular-nums"
      >
        {clock(line.at)}
      </time>
      <span className={classes('w-12 shrink-0 select-none truncate max-sm:hidden', looks[line.level] ?? 'text-faint')}>
        {line.level === 'warning' ? 'warn' : line.level}
      </span>
      <span
        className={classes(
          'min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]',
          looks[line.level] === 'text-danger' && 'text-danger',
        )}
      >
        <ForeignText text={line.text.replaceAll(ansiColor, '')} />
      </span>
    </li>
  );
}

function asText(line: ServerLogLine): string {
  return `${new Date(line.at).toISOString()} ${line.level} ${line.text}`;
}

const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

function clock(at: number): string {
  return clockFormat.format(at);
}
