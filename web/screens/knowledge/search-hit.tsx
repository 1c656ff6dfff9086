import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { Fragment, memo } from 'react';
import type { SearchResult } from '../../../src/knowledge/search/search-request.ts';
import { MarkedText } from '../../parts/knowledge/marked-text.tsx';
import { headingsBelowTitle } from '../../parts/knowledge/passage-location.ts';
import { Provenance } from '../../parts/knowledge/provenance.tsx';
import { tidySnippet } from '../../parts/knowledge/tidy-snippet.ts';
import { Popover } from '../../ui/popover.tsx';

export interface SearchHitProps {
  result: SearchResult;
  index: number;
  /** The search text, passed on to the document. */
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
            data-row={index}
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
        <MarkedText snippet={tidySnippet(result.snippet, result.source_id, result.passage.heading.at(-1))} />
      </p>
      <Provenance
        result={result}
        end={result.tags.map((tag) => (
          <button
            key={tag}
            type="button"
            onClick={() => onTag(tag)}
            title={`Filter by tag “${tag}”`}
            className="relative max-w-40 truncate rounded-full bg-hover px-1.5 text-2xs text-muted hover:text-text"
          >
            #{tag}
          </button>
        ))}
      />
    </li>
  );
});

/** Shows the score and explains it on demand. */
function ScorePopover({ result }: { result: SearchResult }) {
  const { score, explain } = result;
  const bar = (
    <span aria-hidden className="h-1 w-8 overflow-hidden rounded-full bg-pressed">
      <span className="block h-full rounded-full bg-accent" style={{ width: `${score * 100}%` }} />
    </span>
  );
  const look = 'relative z-1 inline-flex h-6 items-center gap-1.5 rounded-md px-1.5 text-muted text-xs tabular-nums';
  if (!explain) {
    return (
      <span className={look}>
        {bar}
        {score.toFixed(2)}
      </span>
    );
  }
  return (
    <Popover
      align="end"
      title={`Score ${score.toFixed(2)}`}
      trigger={
        <button
          type="button"
          aria-label={`Score ${score.toFixed(2)}: show details`}
          className={`${look} hover:bg-hover hover:text-text data-popup-open:bg-pressed max-md:-my-1 max-md:h-8`}
        >
          {bar}
          {score.toFixed(2)}
        </button>
      }
    >
      <Explanation explain={explain} />
    </Popover>
  );
}

function Explanation({ explain }: { explain: NonNullable<SearchResult['explain']> }) {
  const { keyword, semantic, terms, bonuses } = explain;
  const added = Object.entries(bonuses).filter(([, value]) => value !== 0);
  return (
    <div className="flex w-72 max-w-full flex-col gap-3 text-xs">
      <dl className="grid grid-cols-2 gap-2">
        <Part label="Keyword" value={keyword} hint="From the words it contains" />
        <Part label="Semantic" value={semantic} hint="From its meaning" />
      </dl>
      {terms.length > 0 && (
        <table className="w-full tabular-nums">
          <caption className="sr-only">Score per word</caption>
          <thead>
            <tr className="text-2xs text-faint">
              <th className="pb-0.5 text-left font-medium" title="The part that all forms of the word share">
                Word
              </th>
              <th className="pb-0.5 text-right font-medium" title="How often it occurs in the passage, weighted (TF)">
                In passage
              </th>
              <th className="pb-0.5 text-right font-medium" title="Rare words count more (IDF)">
                Rarity
              </th>
              <th className="pb-0.5 text-right font-medium">Score</th>
            </tr>
          </thead>
          <tbody>
            {terms.map(({ term, tf, idf, score }) => (
              <tr key={term} className="border-line border-t">
                <th className="max-w-32 truncate py-1 text-left font-mono font-normal">{term}</th>
                <td className="py-1 text-right text-muted">{tf.toLocaleString('en', { maximumFractionDigits: 2 })}</td>
                <td className="py-1 text-right text-muted">{short(idf)}</td>
                <td className="py-1 text-right font-medium">{short(score)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {added.length > 0 && (
        <dl className="flex flex-col gap-1 border-line border-t pt-2 tabular-nums">
          {added.map(([name, value]) => (
            <div key={name} className="flex gap-2">
              <dt className="min-w-0 flex-1 truncate text-muted first-letter:uppercase">{name.replaceAll('_', ' ')}</dt>
              <dd className="font-medium">
                {value > 0 && '+'}
                {short(value)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p className="text-2xs text-faint">Scores are relative: the best result has 1.00.</p>
    </div>
  );
}

function Part({ label, value, hint }: { label: string; value: number | null; hint: string }) {
  return (
    <div className="rounded-lg bg-sunken/60 px-2.5 py-1.5">
      <dt className="text-2xs text-faint">{label}</dt>
      <dd className="font-semibold text-sm tabular-nums">{value === null ? '–' : short(value)}</dd>
      <dd className="text-2xs text-faint">{value === null ? 'Not used' : hint}</dd>
    </div>
  );
}

function short(value: number): string {
  return value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
