import type { ReactNode } from 'react';
import type { SearchResult } from '../../../src/knowledge/search/search-request.ts';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { passageLocation } from './passage-location.ts';
import { SourceName } from './source-look.tsx';

/** A passage's source, location, version and age in one line. */
export function Provenance({ result, end }: { result: SearchResult; end?: ReactNode }) {
  return (
    <p className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-0.5 text-faint text-xs">
      <SourceName source={result.source} />
      <span className="min-w-0 break-all font-mono text-2xs">{passageLocation(result)}</span>
      <span className="font-mono text-2xs" title={`Version ${result.version}`}>
        <span className="sr-only">version </span>
        {result.version.slice(0, 8)}
      </span>
      <span>
        updated <RelativeTime at={result.updated_at} />
      </span>
      {end}
    </p>
  );
}
