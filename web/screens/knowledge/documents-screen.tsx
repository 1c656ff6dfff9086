import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FileSearch, FolderPlus } from 'lucide-react';
import { memo, useState } from 'react';
import type { DocumentSummary } from '../../../src/knowledge/document-part.ts';
import { useDocuments, useKnowledge } from '../../api/knowledge-queries.ts';
import { SourceName } from '../../parts/knowledge/source-look.tsx';
import { SourceSelect } from '../../parts/knowledge/source-select.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { formatCount } from '../../ui/format-count.ts';
import { Input } from '../../ui/input.tsx';
import { NextPage } from '../../ui/next-page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useTitle } from '../../ui/use-title.ts';
import { PageVirtualList } from '../../ui/virtual-list.tsx';

const typingPauseMs = 150;

/** Lists the documents of the knowledge base by source and path. */
export function DocumentsScreen() {
  useTitle('Documents · Knowledge');
  const { source, text: textInUrl = '' } = useSearch({ from: '/knowledge/documents' });
  const navigate = useNavigate({ from: '/knowledge/documents' });
  const overview = useKnowledge();
  const [text, setText] = useState(textInUrl);
  const searchText = useDebounced(text.trim(), typingPauseMs);
  const list = useDocuments({ ...(source && { source }), ...(searchText && { text: searchText }) });
  const documents = list.data?.pages.flatMap((page) => page.documents);
  const setSource = (next: string) =>
    void navigate({ search: { ...(next && { source: next }), ...(text && { text }) }, replace: true });

  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Input
          aria-label="Filter documents by title or path"
          placeholder="Filter by title or path"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          className="min-w-0 flex-1 basis-56 sm:max-w-xs"
        />
        <SourceSelect
          value={source ?? ''}
          sources={overview.data?.sources ?? []}
          onChange={setSource}
          className="max-w-56"
        />
      </div>
      {!documents ? (
        list.error ? (
          <ErrorState
            title="The documents could not be loaded"
            error={list.error}
            onRetry={() => void list.refetch()}
          />
        ) : (
          <LoadingDocuments />
        )
      ) : documents.length > 0 ? (
        <DocumentList
          documents={documents}
          isOld={list.isPlaceholderData}
          hasMore={list.hasNextPage}
          isLoadingMore={list.isFetchingNextPage}
          moreError={list.isFetchNextPageError ? list.error : null}
          onMore={() => void list.fetchNextPage()}
        />
      ) : source || searchText ? (
        <EmptyState
          art={<FileSearch className="size-10" strokeWidth={1.5} />}
          title="No documents found"
          actions={
            <Button
              onClick={() => {
                setText('');
                void navigate({ search: {}, replace: true });
              }}
            >
              Show all documents
            </Button>
          }
        >
          {searchText
            ? `No title or path matches “${searchText}”.`
            : 'This source has no documents yet. Sync it to read them.'}
        </EmptyState>
      ) : (
        <EmptyState
          title="No documents yet"
          actions={
            <Link to="/knowledge" search={{ add: 'folder' }} className={buttonClass({ variant: 'primary' })}>
              <FolderPlus aria-hidden />
              Add folder
            </Link>
          }
        >
          Add a folder or repository to read its documents.
        </EmptyState>
      )}
    </>
  );
}

function LoadingDocuments() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading documents" className="flex flex-col gap-2">
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <Skeleton key={key} className="h-13 w-full rounded-lg" />
      ))}
    </div>
  );
}

interface DocumentListProps {
  documents: readonly DocumentSummary[];
  /** The documents belong to an earlier filter; new ones are loading. */
  isOld: boolean;
  hasMore: boolean;
  isLoadingMore: boolean;
  moreError: unknown;
  onMore: () => void;
}

const rowHeight = 60;

/** Draws only rows near the viewport and loads the next page before the end. */
function DocumentList({ documents, isOld, hasMore, isLoadingMore, moreError, onMore }: DocumentListProps) {
  const canLoadMore = hasMore && !isLoadingMore && !isOld && !moreError;
  return (
    <>
      <PageVirtualList
        label="Documents"
        items={documents}
        keyOf={(document) => document.id}
        estimateSize={rowHeight}
        hasMore={hasMore}
        onNearEnd={canLoadMore ? onMore : undefined}
        className={classes(
          'rounded-card border border-line bg-surface shadow-card transition-opacity',
          isOld && 'opacity-60',
        )}
      >
        {(document, index) => <DocumentRow document={document} index={index} />}
      </PageVirtualList>
      {hasMore ? (
        <NextPage error={moreError} isLoading={isLoadingMore} onMore={onMore} className="mt-3" />
      ) : (
        <p className="mt-3 text-center text-faint text-xs">{formatCount(documents.length, 'document')}</p>
      )}
    </>
  );
}

const DocumentRow = memo(function DocumentRow({ document, index }: { document: DocumentSummary; index: number }) {
  return (
    <Link
      to="/knowledge/documents/$id"
      params={{ id: document.id }}
      data-row={index}
      className={classes(
        'flex h-15 items-center gap-4 border-line px-4 outline-offset-[-2px] hover:bg-hover',
        index > 0 && 'border-t',
      )}
    >
      <span className="min-w-0 flex-1">
        <span className="block truncate font-medium text-sm">{document.title}</span>
        <span className="flex min-w-0 gap-2.5 text-faint text-xs">
          <span className="max-w-32 shrink-0">
            <SourceName source={document.source} />
          </span>
          <span className="min-w-0 truncate font-mono text-2xs leading-4.5" title={document.source_id}>
            {document.source_id}
          </span>
        </span>
      </span>
      <span className="w-20 text-right text-muted text-xs tabular-nums max-sm:hidden">
        {formatCount(document.chunks, 'passage')}
      </span>
      <RelativeTime at={document.updated_at} className="w-20 text-right text-faint text-xs max-sm:w-16" />
    </Link>
  );
});
