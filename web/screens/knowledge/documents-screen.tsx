import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FileSearch, FolderPlus } from 'lucide-react';
import { useState } from 'react';
import { useDocuments, useKnowledge } from '../../api/knowledge-queries.ts';
import { SourceSelect } from '../../parts/knowledge/source-select.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Input } from '../../ui/input.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import { useTitle } from '../../ui/use-title.ts';
import { DocumentList } from './document-list.tsx';

const quietMs = 150;

/** Every document of the knowledge base, by source and path. */
export function DocumentsScreen() {
  useTitle('Documents · Knowledge');
  const { source, text: written = '' } = useSearch({ from: '/knowledge/documents' });
  const navigate = useNavigate({ from: '/knowledge/documents' });
  const overview = useKnowledge();
  const [text, setText] = useState(written);
  const sought = useDebounced(text.trim(), quietMs);
  const list = useDocuments({ ...(source && { source }), ...(sought && { text: sought }) });
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
          onMore={() => void list.fetchNextPage()}
        />
      ) : source || sought ? (
        <EmptyState
          art={<FileSearch className="size-10" strokeWidth={1.5} />}
          title="No such document"
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
          {sought ? `No title or path holds “${sought}”.` : 'This source has no documents yet.'}
        </EmptyState>
      ) : (
        <EmptyState
          title="No documents yet"
          actions={
            <Link to="/knowledge" search={{ add: 'folder' }} className={buttonClass({ variant: 'primary' })}>
              <FolderPlus aria-hidden />
              Add a folder
            </Link>
          }
        >
          They come from the folders and repositories you add.
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
