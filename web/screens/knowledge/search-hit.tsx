import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { Fragment, memo } from 'react';
import type { SearchResult } from '../../../src/knowledge/search/search-request.ts';
import { MarkedText } from '../../parts/knowledge/marked-text.tsx';
import { headingsBelowTitle } from '../../parts/knowledge/passage-place.ts';
import { Provenance } from '../../parts/knowledge/provenance.tsx';
import { tidySnippet } from '../../parts/knowledge/tidy-snippet.ts';
import { ScorePopover } from './score-popover.tsx';

export interface SearchHitProps {
  result: SearchResult;
  index: number;
  /** What was searched for; the document's page remembers it. */
  words: string;
  onTag: (tag: string) => void;
}

export const SearchHit = memo(function SearchHit({ result, index, words, onTag }: SearchHitProps) {
  const below = headingsBelowTitle(result);
  return (
    <li className="relative rounded-card border border-line bg-surface p-4 shadow-card transition-colors focus-within:border-accent hover:border-line-strong">
      <div className="flex items-start gap-3">
        <h2 className="min-w-0 flex-1 font-sans text-base leading-6">
          <Link
            to="/knowledge/documents/$id"
            params={{ id: result.id }}
            search={{ q: words }}
            hash={`p${result.passage.ordinal}`}
            data-result={index}
            className="outline-none after:absolute after:inset-0 after:rounded-card focus-visible:after:outline-2 focus-visible:after:outline-[var(--focus)]"
          >
            <span className="break-words font-semibold">{result.title}</span>
            {below.map((heading) => (
              <Fragment key={heading}>
                <ChevronRight aria-label="›" className="mx-0.5 inline size-3.5 text-faint" />
                <span className="break-words text-muted">{heading}</span>
              </Fragment>
            ))}
          </Link>
        </h2>
        <ScorePopover result={result} />
      </div>
      <p className="mt-1.5 mb-2.5 line-clamp-4 whitespace-pre-line break-words text-muted text-sm leading-5.5">
        <MarkedText snippet={tidySnippet(result.snippet, result.source_id)} />
      </p>
      <Provenance
        result={result}
        end={result.tags.map((tag) => (
          <button
            key={tag}
            type="button"
            onClick={() => onTag(tag)}
            title={`Only documents with the tag “${tag}”`}
            className="relative max-w-40 truncate rounded-full bg-hover px-1.5 text-2xs text-muted hover:text-text"
          >
            #{tag}
          </button>
        ))}
      />
    </li>
  );
});
