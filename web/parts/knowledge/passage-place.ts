import type { SearchResult } from '../../../src/knowledge/search/search-request.ts';

type Placed = Pick<SearchResult, 'source_id' | 'title'> & {
  passage: Pick<SearchResult['passage'], 'start_line' | 'end_line' | 'heading'>;
};

/** `guides/rollback.md:12–40`. */
export function placeOfPassage({ source_id, passage }: Placed): string {
  const { start_line: start, end_line: end } = passage;
  return start === end ? `${source_id}:${start}` : `${source_id}:${start}–${end}`;
}

/** The headings a passage stands under, without the title that is shown anyway. */
export function headingsBelowTitle({ title, passage }: Placed): string[] {
  return passage.heading.filter((heading) => heading !== title);
}
