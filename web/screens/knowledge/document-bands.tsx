import { Link } from '@tanstack/react-router';
import { memo, useEffect } from 'react';
import type { Chunk } from '../../../src/knowledge/document.ts';
import { classes } from '../../ui/classes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import type { Band, DocumentKind } from './cut-bands.ts';

export interface DocumentBandsProps {
  bands: readonly Band[];
  kind: DocumentKind;
  title: string;
  /** The ordinal of the passage in the URL. */
  opened: number | null;
}

/** In longer documents, bands outside the viewport are not laid out. */
const maxPlainBands = 40;

/** Shows the document with its passages. Each band is what a search finds and an agent gets. */
export function DocumentBands({ bands, kind, title, opened }: DocumentBandsProps) {
  // The passage may load after the document opened.
  const isLoaded = bands.some((band) => band.passage !== null && band.passage.ordinal === opened);
  useEffect(() => {
    if (isLoaded) document.getElementById(`p${opened}`)?.scrollIntoView({ block: 'start' });
  }, [opened, isLoaded]);
  const isLong = bands.length > maxPlainBands;
  return (
    <div className="flex flex-col overflow-hidden rounded-card border border-line bg-surface shadow-card">
      {bands.map((band) => (
        <BandView
          key={band.passage ? `p${band.passage.ordinal}` : `line ${band.startLine}`}
          band={band}
          kind={kind}
          title={title}
          isOpened={band.passage !== null && band.passage.ordinal === opened}
          isLong={isLong}
        />
      ))}
    </div>
  );
}

interface BandViewProps {
  band: Band;
  kind: DocumentKind;
  title: string;
  isOpened: boolean;
  isLong: boolean;
}

const BandView = memo(function BandView({ band, kind, title, isOpened, isLong }: BandViewProps) {
  const { passage } = band;
  return (
    <section
      id={passage ? `p${passage.ordinal}` : undefined}
      aria-label={passage ? `Passage ${passage.ordinal + 1}` : undefined}
      data-opened={isOpened || undefined}
      className={classes(
        'scroll-mt-4 border-line border-t border-l-3 px-4 pt-1.5 pb-3.5 first:border-t-0',
        isOpened ? 'border-l-accent bg-accent-soft/45' : 'border-l-transparent',
        isLong && '[contain-intrinsic-size:auto_12rem] [content-visibility:auto]',
      )}
    >
      {passage && <BandHeader passage={passage} repeated={band.repeated} title={title} />}
      {band.text.trim() !== '' && <BandText band={band} kind={kind} />}
    </section>
  );
});

interface BandHeaderProps {
  passage: Chunk;
  repeated: number;
  title: string;
}

function BandHeader({ passage, repeated, title }: BandHeaderProps) {
  const below = passage.heading.filter((heading) => heading !== title);
  return (
    <div className="flex items-center gap-2 text-2xs text-faint">
      <Link
        to="."
        search={(now: { q?: string }) => now}
        hash={`p${passage.ordinal}`}
        replace
        resetScroll={false}
        hashScrollIntoView={false}
        activeOptions={{ includeHash: true }}
        className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 rounded-md hover:text-text"
      >
        {below.length > 0 && <span className="min-w-0 truncate font-medium">{below.join(' › ')}</span>}
        <span className="tabular-nums">
          {passage.startLine === passage.endLine
            ? `line ${passage.startLine}`
            : `lines ${passage.startLine}–${passage.endLine}`}
        </span>
        <span className="tabular-nums">{passage.tokens.toLocaleString('en')} tokens</span>
        {repeated > 0 && <span>starts {repeated === 1 ? 'one line' : `${repeated} lines`} above</span>}
      </Link>
      <CopyButton iconOnly label={`Copy passage ${passage.ordinal + 1}`} text={passage.text} />
    </div>
  );
}

function BandText({ band, kind }: { band: Band; kind: DocumentKind }) {
  switch (kind) {
    case 'markdown':
      // Markdown would turn front matter into a heading.
      if (band.startLine > 1 || !/^---\s*\n/.test(band.text)) return <Markdown look="page" text={band.text} />;
      return (
        <>
          <p className="text-2xs text-faint">Front matter</p>
          <pre className="whitespace-pre-wrap break-words pt-1 font-mono text-muted text-xs">
            {band.text.trim().replace(/^---\s*\n|\n---$/g, '')}
          </pre>
        </>
      );
    case 'text':
      return <pre className="whitespace-pre-wrap break-words font-mono text-xs leading-5">{band.text}</pre>;
    case 'code': {
      const text = band.text.trimEnd();
      const count = text.split('\n').length;
      const numbers = Array.from({ length: count }, (_, index) => band.startLine + index).join('\n');
      return (
        <div className="flex font-mono text-xs leading-5">
          <pre aria-hidden className="shrink-0 select-none pr-3 text-right text-faint">
            {numbers}
          </pre>
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable with the keyboard
            tabIndex={0}
            className="min-w-0 flex-1 overflow-x-auto"
          >
            {text}
          </pre>
        </div>
      );
    }
  }
}
