/** A security control, the edit that switches it off, and a test that must then fail. */
export interface Control {
  /** What it guarantees. */
  control: string;
  /** The source file that the edit changes. */
  file: string;
  /** `find` occurs exactly once in the file. */
  off: { find: string; replace: string };
  /** The title is as written in the source: `%s` and `$name` stand for the values of a table. */
  test: { file: string; title: string };
}

/** Returns the regular expression that finds a test by its title. */
export function testPattern(title: string): string {
  const literal = title.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return `${literal.replace(/%[a-z#]|\\\$[a-z]\w*/g, '.*')}$`;
}

export function isTestNamed(title: string, actual: string): boolean {
  return new RegExp(`^${testPattern(title)}`, 's').test(actual);
}
