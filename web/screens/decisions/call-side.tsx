import type { ReactNode } from 'react';
import type { DecisionBody } from '../../../src/decisions/decisions.contract.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { JsonView } from '../../ui/json-view.tsx';

export interface CallSideProps {
  /** "Input", "Output", "Error". */
  title: string;
  entry: DecisionBody;
  note?: ReactNode;
}

/** What went into a call or came out of it. */
export function CallSide({ title, entry: { context, kind }, note }: CallSideProps) {
  const cut = cutContext(context);
  const message = kind === 'error' ? errorMessage(context) : undefined;
  return (
    <section className="mt-5">
      <header className="mb-1.5 flex min-h-7 items-center gap-2">
        <h3 className="font-semibold text-sm">{title}</h3>
        <span className="min-w-0 flex-1 truncate text-faint text-xs">{note}</span>
        <CopyButton
          iconOnly
          label={`Copy ${title.toLowerCase()}`}
          text={() => cut?.head ?? JSON.stringify(context, null, 2) ?? ''}
        />
      </header>
      {message !== undefined && (
        <p className="mb-2 rounded-lg bg-danger-soft px-3 py-2 text-danger text-sm [overflow-wrap:anywhere]">
          {message}
        </p>
      )}
      {cut ? (
        <>
          <p className="mb-1.5 text-muted text-xs">
            The log keeps the first {cut.head.length.toLocaleString('en')}
            {cut.characters !== null && ` of ${cut.characters.toLocaleString('en')}`} characters.
          </p>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
            tabIndex={0}
            className="max-h-112 overflow-auto whitespace-pre-wrap rounded-lg border border-line bg-sunken/50 p-2.5 font-mono text-xs leading-5 [overflow-wrap:anywhere]"
          >
            {cut.head}
          </pre>
        </>
      ) : context === null || context === undefined ? (
        <p className="text-muted text-sm">Nothing was kept.</p>
      ) : (
        <JsonView value={context} label={title} />
      )}
    </section>
  );
}

/** A text that was too long to keep whole is kept as its beginning. */
function cutContext(context: unknown): { head: string; characters: number | null } | undefined {
  if (typeof context !== 'object' || context === null || !('truncated' in context) || context.truncated !== true)
    return undefined;
  const head = 'head' in context && typeof context.head === 'string' ? context.head : undefined;
  const characters = 'characters' in context && typeof context.characters === 'number' ? context.characters : null;
  return head === undefined ? undefined : { head, characters };
}

function errorMessage(context: unknown): string | undefined {
  if (typeof context !== 'object' || context === null || !('message' in context)) return undefined;
  const code = 'code' in context && typeof context.code === 'string' ? `${context.code}: ` : '';
  return typeof context.message === 'string' ? code + context.message : undefined;
}
