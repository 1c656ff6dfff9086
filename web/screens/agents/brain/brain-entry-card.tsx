import { Pencil, Pin, PinOff, Trash2 } from 'lucide-react';
import { memo, Suspense, useState } from 'react';
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
  chooseTag: (tag: string) => void;
}

/** Longer entries are collapsed. */
const maxCollapsedLength = 700;

export const BrainEntryCard = memo(function BrainEntryCard(props: { entry: BrainEntry; actions: BrainEntryActions }) {
  const { entry, actions } = props;
  const [editing, setEditing] = useState(false);
  const [isExpanded, setIsExpanded] = useState(false);
  const look = brainLook[entry.type];
  const isLong = entry.content.length > maxCollapsedLength;
  const metadata = Object.entries(entry.metadata);

  if (editing) {
    return (
      <li className="pl-9 max-sm:pl-0">
        <BrainEntryForm
          draft={{ name: entry.id, base: entry.content }}
          start={entry}
          submitLabel="Save entry"
          onSubmit={(fields) => actions.save(entry, fields)}
          onClose={() => setEditing(false)}
        />
      </li>
    );
  }
  return (
    <li className="group relative flex gap-3">
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
        data-row
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
              label={entry.pinned ? 'Unpin' : 'Pin'}
              aria-pressed={entry.pinned}
              icon={entry.pinned ? <PinOff aria-hidden className="text-accent-text" /> : <Pin aria-hidden />}
              onClick={() => actions.pin(entry)}
            />
            <IconButton size="sm" label="Edit entry" icon={<Pencil aria-hidden />} onClick={() => setEditing(true)} />
            <IconButton
              size="sm"
              label="Delete entry"
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
              onClick={() => setIsExpanded(!isExpanded)}
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
    </li>
  );
});
