import { Link } from '@tanstack/react-router';
import { Ban, CircleCheck, CircleX, ScrollText, TriangleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { ContentBlock } from '../../../src/tools/content.ts';
import type { ToolTrialBody } from '../../../src/tools/tools.contract.ts';
import { sameJson } from '../../parts/schema-form/form-value.ts';
import { ContentView, TextContent } from '../../parts/tools/content-view.tsx';
import { jsonIn } from '../../parts/tools/read-content.ts';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { durationName } from '../../ui/duration-name.ts';
import { JsonView } from '../../ui/json-view.tsx';
import type { ToolRun } from './use-tool-run.ts';

/** Shows the result of the last call. */
export function ResultView({ run }: { run: ToolRun }) {
  switch (run.state) {
    case 'none':
      return null;
    case 'running':
      return <Running startedAt={run.startedAt} />;
    case 'cancelled':
      return (
        <Outcome tone="plain" icon={<Ban aria-hidden />} title="Cancelled" durationMs={run.durationMs}>
          <p className="text-muted text-sm">The tool may already have taken effect.</p>
        </Outcome>
      );
    case 'rejected':
      return (
        <Outcome tone="error" icon={<CircleX aria-hidden />} title="Call rejected">
          <ErrorText code={run.code} message={run.message} />
        </Outcome>
      );
    case 'done':
      return <Done trial={run.trial} />;
  }
}

function Done({ trial }: { trial: ToolTrialBody }) {
  if (!trial.ok) {
    return (
      <Outcome
        tone="error"
        icon={<CircleX aria-hidden />}
        title="Call failed"
        durationMs={trial.durationMs}
        callId={trial.callId}
      >
        <ErrorText code={trial.error.code} message={trial.error.message} />
      </Outcome>
    );
  }
  const { content, structuredContent, isError } = trial;
  const shown =
    structuredContent === null ? content : content.filter((block) => !repeatsStructured(block, structuredContent));
  return (
    <Outcome
      tone={isError ? 'warn' : 'good'}
      icon={isError ? <TriangleAlert aria-hidden /> : <CircleCheck aria-hidden />}
      title={isError ? 'The tool returned an error' : 'Done'}
      durationMs={trial.durationMs}
      callId={trial.callId}
      copy={JSON.stringify(structuredContent ?? content, null, 2)}
    >
      {shown.map((block, index) =>
        isError && block.type === 'text' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no names, and a result never changes.
          <TextContent key={index} text={block.text} label="Tool error" tone="error" />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <ContentView key={index} block={block} label={`${blockNames[block.type] ?? 'Part'} ${index + 1}`} />
        ),
      )}
      {structuredContent !== null && (
        <div>
          <h4 className="mb-1.5 font-medium text-muted text-xs">Structured content</h4>
          <JsonView value={structuredContent} label="Structured content" />
        </div>
      )}
      {shown.length === 0 && structuredContent === null && (
        <p className="text-muted text-sm">The tool returned no content.</p>
      )}
    </Outcome>
  );
}

const blockNames: Record<string, string> = {
  text: 'Text',
  image: 'Image',
  audio: 'Audio',
  resource: 'Resource',
  resource_link: 'Link',
};

/** Returns whether a text block repeats the structured content, as tools do for older clients. */
function repeatsStructured(block: ContentBlock, structured: unknown): boolean {
  return block.type === 'text' && sameJson(jsonIn(block.text), structured);
}

function ErrorText({ code, message }: { code: string; message: string }) {
  return (
    <div className="rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm">
      {code && <p className="font-mono text-xs">{code}</p>}
      <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{message}</p>
    </div>
  );
}

function Running({ startedAt }: { startedAt: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="flex items-center gap-2.5 rounded-card border border-line bg-surface px-3.5 py-3 text-sm shadow-card">
      <span aria-hidden className="size-3.5 animate-spin rounded-full border-2 border-accent border-r-transparent" />
      <span role="status">Running…</span>
      <span aria-hidden className="text-faint text-xs tabular-nums">
        {durationName(Math.max(0, now - startedAt))}
      </span>
    </p>
  );
}

interface OutcomeProps {
  tone: 'good' | 'warn' | 'error' | 'plain';
  icon: ReactNode;
  title: string;
  durationMs?: number;
  callId?: string;
  copy?: string;
  children: ReactNode;
}

function Outcome({ tone, icon, title, durationMs, callId, copy, children }: OutcomeProps) {
  return (
    <section
      aria-label="Result"
      className="overflow-hidden rounded-card border border-line bg-surface shadow-card"
      data-outcome={tone}
    >
      <header className="flex min-h-10 flex-wrap items-center gap-x-2.5 gap-y-1 border-line border-b px-3.5 py-1.5">
        <div role="status">
          <h3
            className={classes(
              'flex items-center gap-1.5 font-semibold text-sm [&_svg]:size-4',
              tone === 'good' && 'text-accent-text',
              tone === 'warn' && 'text-warn',
              tone === 'error' && 'text-danger',
            )}
          >
            {icon}
            {title}
          </h3>
        </div>
        {durationMs !== undefined && (
          <span className="text-faint text-xs tabular-nums">{durationName(durationMs)}</span>
        )}
        <span className="ml-auto flex items-center gap-1">
          {callId && (
            <Link
              to="/decisions"
              search={{ callId }}
              className="inline-flex h-7 items-center gap-1.5 rounded-lg px-2 text-muted text-xs hover:bg-hover hover:text-text max-md:h-9"
            >
              <ScrollText aria-hidden className="size-3.5" />
              View in Decisions
            </Link>
          )}
          {copy !== undefined && <CopyButton iconOnly label="Copy result" text={copy} />}
        </span>
      </header>
      <div className="flex flex-col gap-3 p-3.5">{children}</div>
    </section>
  );
}
