import { compileGlobs } from '../../base/glob.ts';

/** Names as the server lists them, or `*` globs. */
export interface ToolFilter {
  /** Absent or null is all. */
  include?: readonly string[] | null | undefined;
  /** Wins over `include`. */
  exclude?: readonly string[] | null | undefined;
}

export function filterTools<T extends { name: string }>(tools: readonly T[], filter: ToolFilter): T[] {
  const included = filter.include ? compileGlobs(filter.include) : undefined;
  const excluded = compileGlobs(filter.exclude ?? []);
  return tools.filter(
    ({ name }) => (!included || included.find(name) !== undefined) && excluded.find(name) === undefined,
  );
}
