import { Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { memo, Suspense } from 'react';
import type { BrainEntry } from '../../../../src/brain/brain.ts';
import { fromHub, lazyPart } from '../../../api/from-hub.ts';
import { classes } from '../../../ui/classes.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { formatClock } from '../editor/format-time.ts';
import { type BrainEntryFields, BrainEntryForm } from './brain-entry-form.tsx';
import { brainLook } from './brain-look.tsx';

const Markdown = lazyPart(
  fromHub(() => import('../../../ui/markdown.tsx')),
  'Markdown',
);

export interface BrainEntryActions {
  pin: (entry: BrainEntry) => void;
  save: (entry: BrainEntry, fields: BrainEntryFields) => Promise<unknown>;
  remove: (entry: BrainEntry) => void;
  edit: (id: string, isEditing: boolean) => void;
  expand: (id: string, isExpanded: boolean) => void;
  chooseTag: (tag: string) => void;
}

/** Longer entries are collapsed. */
const maxCollapsedLength = 700;

/** The space between entries, which the line of a day crosses. */
export const entryGap = 10;

export interface BrainEntryCardProps {
  entry: BrainEntry;
  /** Its place in the list. */
  row: number;
  /** Whether it is the first entry of its day. */
  isFirst: boolean;
  /** Whether it is the last entry of its day. */
  isLast: boolean;
  isEditing: boolean;
  isExpanded: boolean;
  actions: BrainEntryActions;
}

export const BrainEntryCard = memo(function BrainEntryCard(props: BrainEntryCardProps) {
  const { entry, row, isFirst, isLast, isEditing, isExpanded, actions } = props;
  const look = brainLook[entry.type];
  const isLong = entry.content.length > maxCollapsedLength;
  const metadata = Object.entries(entry.metadata);
  const title = titleOf(entry);

  const line = (
    <span
      aria-hidden
      className={classes(
        'absolute left-[12.5px] w-px bg-line-strong max-sm:hidden',
        isFirst ? 'top-4' : 'top-0',
        isLast && 'bottom-4',
      )}
      style={isLast ? undefined : { bottom: -entryGap }}
    />
  );
  if (isEditing) {
    return (
      <div className="pl-9 max-sm:pl-0">
        {line}
        <BrainEntryForm
          draft={{ name: entry.id, base: entry.content }}
          start={entry}
          submitLabel="Save entry"
          onSubmit={(fields) => actions.save(entry, fields)}
          onClose={() => actions.edit(entry.id, false)}
        />
      </div>
    );
  }
  return (
    <div className="group flex gap-3">
      {line}
      <span
        aria-hidden
        className={classes(
          'z-1 mt-2.5 flex size-6.5 shrink-0 items-center justify-center rounded-full ring-4 ring-bg',
          look.dot,
        )}
      >
        <look.icon className="size-3.5" />
      </span>
      <article
        aria-label={`${look.label}, ${formatClock(entry.timestamp)}`}
        data-row={row}
        tabIndex={-1}
        className={classes(
          'min-w-0 flex-1 rounded-xl border bg-raised px-3.5 py-2.5 shadow-card',
          entry.pinned ? 'border-accent/45' : 'border-line',
        )}
      >
        <header className="flex items-center gap-2 text-xs">
          <span className="font-medium">{look.label}</span>
          <time dateTime={entry.timestamp} className="text-faint tabular-nums">
            {formatClock(entry.timestamp)}
          </time>
          <span className="-my-1 -mr-1.5 ml-auto flex">
            <IconButton
              size="sm"
              label={`${entry.pinned ? 'Unpin' : 'Pin'} entry ${title}`}
              aria-pressed={entry.pinned}
              icon={entry.pinned ? <PinOff aria-hidden className="text-accent-text" /> : <Pin aria-hidden />}
              onClick={() => actions.pin(entry)}
            />
            <IconButton
              size="sm"
              label={`Edit entry ${title}`}
              icon={<Pencil aria-hidden />}
              onClick={() => actions.edit(entry.id, true)}
            />
            <IconButton
              size="sm"
              label={`Delete entry ${title}`}
              icon={<Trash2 aria-hidden />}
              onClick={() => actions.remove(entry)}
            />
          </span>
        </header>
        <div className="mt-1 text-sm">
          <Suspense
            fallback={<p className="whitespace-pre-wrap break-words">{entry.content.slice(0, maxCollapsedLength)}</p>}
          >
            <Markdown
              text={isLong && !isExpanded ? `${entry.content.slice(0, maxCollapsedLength)} …` : entry.content}
            />
          </Suspense>
          {isLong && (
            <button
              type="button"
              aria-expanded={isExpanded}
              onClick={() => actions.expand(entry.id, !isExpanded)}
              className="mt-1 text-accent-text text-xs hover:underline"
            >
              {isExpanded ? 'Show less' : 'Show more'}
            </button>
          )}
        </div>
        {(entry.tags.length > 0 || metadata.length > 0) && (
          <footer className="mt-2 flex flex-wrap items-center gap-1.5 text-2xs">
            {entry.tags.map((tag) => (
              <button
                key={tag}
                type="button"
                title={`Filter by #${tag}`}
                onClick={() => actions.chooseTag(tag)}
                className="max-w-full truncate rounded-md bg-hover px-1.5 py-0.5 text-muted hover:text-text hover:underline"
              >
                #{tag}
              </button>
            ))}
            {metadata.map(([key, value]) => (
              <span key={key} className="max-w-full truncate font-mono text-faint">
                {key}={typeof value === 'string' ? value : JSON.stringify(value)}
              </span>
            ))}
          </footer>
        )}
      </article>
    </div>
  );
});

const maxTitleLength = 40;

/** Returns the beginning of an entry, as the labels of its buttons call it. */
function titleOf({ content }: BrainEntry): string {
  const line = content.trim().split('\n', 1)[0] ?? '';
  return line.length > maxTitleLength ? `“${line.slice(0, maxTitleLength)}…”` : `“${line}”`;
}
