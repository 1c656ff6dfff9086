import type { SearchResult } from '../../../src/knowledge/search/search-request.ts';

type Located = Pick<SearchResult, 'source_id' | 'title'> & {
  passage: Pick<SearchResult['passage'], 'start_line' | 'end_line' | 'heading'>;
};

/** Returns a passage's file and lines, e.g. `guides/rollback.md:12–40`. */
export function passageLocation({ source_id, passage }: Located): string {
  const { start_line: start, end_line: end } = passage;
  return start === end ? `${source_id}:${start}` : `${source_id}:${start}–${end}`;
}

/** Returns the headings above a passage, without the document's title. */
export function headingsBelowTitle({ title, passage }: Located): string[] {
  return passage.heading.filter((heading) => heading !== title);
}
