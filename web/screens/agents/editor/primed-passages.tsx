import { Link } from '@tanstack/react-router';
import { ExternalLink } from 'lucide-react';
import type { PrimeBody } from '../../../../src/agents/prompts.contract.ts';
import type { SearchResult } from '../../../../src/knowledge/search/search-request.ts';
import { headingsBelowTitle } from '../../../parts/knowledge/passage-place.ts';
import { Provenance } from '../../../parts/knowledge/provenance.tsx';
import { classes } from '../../../ui/classes.ts';
import { Skeleton } from '../../../ui/skeleton.tsx';

export interface PrimedPassagesProps {
  found: PrimeBody['primings'][number] | undefined;
  isLoading: boolean;
  /** There is something to search for. */
  hasWords: boolean;
}

/** What one search gives to the prompt. */
export function PrimedPassages({ found, isLoading, hasWords }: PrimedPassagesProps) {
  if (!hasWords) return null;
  if (!found) {
    if (!isLoading) return null;
    return (
      <div role="status" aria-busy="true" aria-label="Finding passages" className={`${box} flex flex-col gap-2`}>
        <Skeleton className="h-3.5 w-1/2" />
        <Skeleton className="h-3.5 w-2/3" />
      </div>
    );
  }
  const { words, passages } = found;
  return (
    <div className={classes(box, 'transition-opacity', isLoading && 'opacity-60')}>
      <p className="text-faint text-xs">
        {words === ''
          ? 'Nothing to search for without a value.'
          : passages.length === 0
            ? `Nothing new found for “${words}”.`
            : `Found for “${words}”:`}
      </p>
      {passages.length > 0 && (
        <ul aria-label="Passages" className="mt-1.5 flex flex-col divide-y divide-line">
          {passages.map((passage) => (
            <PassageRow key={`${passage.id} ${passage.passage.ordinal}`} result={passage} />
          ))}
        </ul>
      )}
    </div>
  );
}

const box = 'border-line border-t bg-surface px-3.5 py-2.5';

function PassageRow({ result }: { result: SearchResult }) {
  const { id, title, score, passage } = result;
  return (
    <li className="py-2 first:pt-1 last:pb-0">
      <details className="group">
        <summary className="flex items-baseline gap-2 rounded-md text-sm hover:text-accent-text">
          <span aria-hidden className="w-2 shrink-0 text-faint text-xs transition-transform group-open:rotate-90">
            ›
          </span>
          <span className="min-w-0 flex-1 break-words font-medium">
            {[title, ...headingsBelowTitle(result)].join(' › ')}
          </span>
          <span className="shrink-0 text-faint text-xs tabular-nums">
            <span className="sr-only">score </span>
            {score.toFixed(2)}
          </span>
        </summary>
        <pre className="mt-2 max-h-72 overflow-auto whitespace-pre-wrap break-words rounded-lg bg-sunken/60 p-3 font-mono text-xs leading-5">
          {passage.text}
        </pre>
      </details>
      <div className="mt-0.5 pl-4">
        <Provenance
          result={result}
          end={
            <Link
              to="/knowledge/documents/$id"
              params={{ id }}
              hash={`p${passage.ordinal}`}
              // The draft here may have changes.
              target="_blank"
              aria-label={`Open ${title}`}
              className="inline-flex items-center gap-1 rounded-md text-accent-text hover:underline"
            >
              Open
              <ExternalLink aria-hidden className="size-3" />
            </Link>
          }
        />
      </div>
    </li>
  );
}
