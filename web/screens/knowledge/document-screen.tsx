import { Link, useLocation, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, ExternalLink, FileQuestion, Sparkles } from 'lucide-react';
import { memo, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Chunk } from '../../../src/knowledge/document.ts';
import type { DocumentView } from '../../../src/knowledge/knowledge.contract.ts';
import { ApiError } from '../../api/client.ts';
import { useDocument } from '../../api/knowledge-queries.ts';
import { SourceName } from '../../parts/knowledge/source-look.tsx';
import { useNoteOpened } from '../../parts/recent/opened.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { cutBands, kindOfDocument } from './cut-bands.ts';
import { DocumentBands } from './document-bands.tsx';
import { joinParts, type LoadedText } from './join-parts.ts';
import { EarlierBar, MoreBar } from './part-bars.tsx';
import { PrimeAgentDialog } from './prime-agent-dialog.tsx';

const allDocuments = (
  <Link to="/knowledge/documents" className={buttonClass()}>
    All documents
  </Link>
);

export function DocumentScreen() {
  const { id } = useParams({ from: '/knowledge/documents/$id' });
  return <OneDocument key={id} id={id} />;
}

function OneDocument({ id }: { id: string }) {
  const hash = useLocation({ select: (location) => location.hash });
  const opened = /^p\d+$/.test(hash) ? Number(hash.slice(1)) : null;
  const [near, setNear] = useState(opened);
  const parts = useDocument(id, near);
  const { data, error, refetch, isPlaceholderData } = parts;
  const text = useMemo(() => joinParts(data?.pages ?? []), [data]);
  useTitle(text ? text.document.title : 'Document');
  useNoteOpened('document', id, error instanceof ApiError && error.isNotFound ? null : text?.document.title);
  const isElsewhere = text !== undefined && opened !== null && !text.passages.some((each) => each.ordinal === opened);
  useEffect(() => {
    if (isElsewhere && !isPlaceholderData) setNear(opened);
  }, [isElsewhere, isPlaceholderData, opened]);
  if (text) return <LoadedDocument text={text} parts={parts} opened={opened} />;
  if (error instanceof ApiError && error.isNotFound) {
    return (
      <EmptyState
        art={<FileQuestion className="size-10" strokeWidth={1.5} />}
        title="Document not found"
        level={1}
        actions={allDocuments}
      >
        It may have been deleted at its source and removed by the last sync.
      </EmptyState>
    );
  }
  if (error)
    return (
      <ErrorState
        level={1}
        title="The document could not be loaded"
        error={error}
        onRetry={() => void refetch()}
        back={allDocuments}
      />
    );
  return <LoadingDocument />;
}

interface LoadedDocumentProps {
  text: LoadedText;
  parts: ReturnType<typeof useDocument>;
  /** The ordinal of the passage in the URL. */
  opened: number | null;
}

function LoadedDocument({ text, parts, opened }: LoadedDocumentProps) {
  const { document, body, passages, range } = text;
  const { q } = useSearch({ from: '/knowledge/documents/$id' });
  const kind = kindOfDocument(document.content_type);
  const [view, setView] = useState<'rendered' | 'text'>('rendered');
  const [isPriming, setIsPriming] = useState(false);
  const bands = useMemo(() => cutBands(body, passages, range.start_line), [body, passages, range.start_line]);
  /** Loads the lines above and keeps the scroll position and the focus. */
  const loadEarlier = async () => {
    const first = passages[0];
    await parts.fetchPreviousPage();
    requestAnimationFrame(() => {
      const band = first && window.document.getElementById(`p${first.ordinal}`);
      band?.scrollIntoView({ block: 'start' });
      band?.querySelector('a')?.focus({ preventScroll: true });
    });
  };
  const isOnePart = parts.data?.pages.length === 1;
  const openedPassage = passages.find((passage) => passage.ordinal === opened);
  return (
    <article>
      <Link
        to="/knowledge/documents"
        search={{ source: document.source }}
        className="mb-1 inline-flex items-center gap-1.5 rounded-md text-muted text-sm hover:text-text"
      >
        <ArrowLeft aria-hidden className="size-3.5" />
        <SourceName source={document.source} />
      </Link>
      <header className="mb-4 flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="min-w-0 flex-1 basis-72">
          <h1 className="break-words font-semibold text-2xl leading-8">{document.title}</h1>
          <Facts document={document} passages={text.totalPassages} />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <OriginalLink url={document.source_url} />
          <CopyButton label={text.isWhole ? 'Copy text' : 'Copy shown text'} text={body} />
          <Button variant="primary" icon={<Sparkles aria-hidden />} onClick={() => setIsPriming(true)}>
            Create agent from this
          </Button>
        </div>
      </header>
      <div className="flex items-start gap-6">
        <div className="min-w-0 flex-1">
          {kind === 'markdown' && (
            <Segmented
              label="Document view"
              value={view}
              onChange={setView}
              className="mb-3"
              options={[
                { value: 'rendered', label: 'Rendered' },
                { value: 'text', label: 'Text' },
              ]}
            />
          )}
          <EarlierBar
            range={range}
            hasMore={parts.hasPreviousPage}
            isLoading={parts.isFetchingPreviousPage}
            error={parts.isFetchPreviousPageError ? parts.error : null}
            onLoad={loadEarlier}
          />
          {bands.length === 0 ? (
            <EmptyState
              title="This document is empty"
              actions={
                <Link to="/knowledge" className={buttonClass()}>
                  Show sources
                </Link>
              }
            >
              Write something in it, then sync its source.
            </EmptyState>
          ) : (
            <DocumentBands
              bands={bands}
              kind={kind === 'markdown' && view === 'text' ? 'text' : kind}
              title={document.title}
              opened={opened}
            />
          )}
          {(parts.hasNextPage || !isOnePart) && (
            <MoreBar
              range={range}
              hasMore={parts.hasNextPage}
              isLoading={parts.isFetchingNextPage}
              error={parts.isFetchNextPageError ? parts.error : null}
              onLoad={async () => (await parts.fetchNextPage()).hasNextPage}
            />
          )}
        </div>
        {text.totalPassages > 1 && <PassageOutline passages={text.outline} total={text.totalPassages} />}
      </div>
      {isPriming && (
        <PrimeAgentDialog
          document={document}
          query={q ?? ([...(openedPassage?.heading ?? [])].at(-1) || document.title)}
          onClose={() => setIsPriming(false)}
        />
      )}
    </article>
  );
}

function Facts({ document, passages }: { document: DocumentView['document']; passages: number }) {
  return (
    <dl className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
      <Fact label="Path">
        <span className="font-mono [overflow-wrap:anywhere]">{document.source_id}</span>
        <CopyButton iconOnly label="Copy path" text={document.source_id} />
      </Fact>
      <Fact label="Version">
        <span className="font-mono" title={document.version}>
          {document.version.slice(0, 8)}
        </span>
      </Fact>
      <Fact label="Changed">
        changed <RelativeTime at={document.updated_at} />
      </Fact>
      <Fact label="Indexed">
        indexed <RelativeTime at={document.indexed_at} />
      </Fact>
      <Fact label="Size">
        {formatCount(document.size, 'character')}, {formatCount(passages, 'passage')}
      </Fact>
      <Fact label="Type">
        <Badge title={document.content_type}>{shortType(document.content_type)}</Badge>
      </Fact>
      {document.tags.map((tag) => (
        <Fact key={tag} label="Tag">
          <Badge tone="violet">#{tag}</Badge>
        </Fact>
      ))}
    </dl>
  );
}

/** A fact whose label is only for screen readers. */
function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="inline-flex min-w-0 items-center gap-0.5">
      <dt className="sr-only">{label}</dt>
      <dd className="inline-flex min-w-0 items-center gap-1">{children}</dd>
    </div>
  );
}

/** Links to the original. Browsers block links to local files, so their location can only be copied. */
function OriginalLink({ url }: { url: string | null }) {
  if (!url) return null;
  if (!/^https?:\/\//i.test(url)) return <CopyButton label="Copy location" text={url} />;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className={buttonClass()}>
      <ExternalLink aria-hidden />
      Open original
    </a>
  );
}

function shortType(contentType: string): string {
  if (contentType.includes('wordprocessingml')) return 'docx';
  return (contentType.split('/').at(-1) ?? contentType).replace(/^x-/, '');
}

function LoadingDocument() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading document" className="flex flex-col gap-3">
      <h1 className="sr-only">Loading document</h1>
      <Skeleton className="h-8 w-1/2" />
      <Skeleton className="h-4 w-2/3" />
      <Skeleton className="mt-4 h-80 w-full rounded-card" />
    </div>
  );
}

interface PassageOutlineProps {
  /** The first passages; `total` may be larger. */
  passages: readonly Pick<Chunk, 'ordinal' | 'heading' | 'startLine'>[];
  total: number;
}

/** Lists the passages by heading, beside the document on wide screens. */
const PassageOutline = memo(function PassageOutline({ passages, total }: PassageOutlineProps) {
  return (
    <nav
      aria-label="Passages"
      className="sticky top-4 flex max-h-[calc(100dvh-2rem)] w-56 shrink-0 flex-col max-lg:hidden"
    >
      <h2 className="px-2 pb-1.5 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
        {total.toLocaleString('en')} passages
      </h2>
      <ol className="min-h-0 flex-1 overflow-y-auto">
        {passages.map((passage) => (
          <li key={passage.ordinal}>
            <Link
              to="."
              search={(now: { q?: string }) => now}
              hash={`p${passage.ordinal}`}
              replace
              resetScroll={false}
              hashScrollIntoView={false}
              activeOptions={{ includeHash: true }}
              className="flex items-baseline gap-2 rounded-md px-2 py-1 text-muted text-xs outline-offset-[-2px] hover:bg-hover hover:text-text aria-[current]:bg-accent-soft aria-[current]:text-accent-text"
            >
              <span className="min-w-0 flex-1 truncate">
                {passage.heading.at(-1) ?? `Passage ${passage.ordinal + 1}`}
              </span>
              <span className="text-2xs text-faint tabular-nums">line {passage.startLine}</span>
            </Link>
          </li>
        ))}
      </ol>
      {total > passages.length && (
        <p className="px-2 pt-1 text-faint text-xs">and {(total - passages.length).toLocaleString('en')} more</p>
      )}
    </nav>
  );
});
