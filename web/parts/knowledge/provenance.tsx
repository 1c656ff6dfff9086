import type { ReactNode } from 'react';
import type { SearchResult } from '../../../src/knowledge/search/search-request.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { passageLocation } from './passage-location.ts';
import { SourceName } from './source-look.tsx';

/** A passage's source, location and age in one line. */
export function Provenance({ result, end }: { result: SearchResult; end?: ReactNode }) {
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-0.5 text-faint text-xs">
      <SourceName source={result.source} />
      <span className="min-w-0 font-mono text-2xs [overflow-wrap:anywhere]">{passageLocation(result)}</span>
      <span title={`Version ${result.version}`}>
        updated <RelativeTime at={result.updated_at} />
      </span>
      {end}
    </p>
  );
}
