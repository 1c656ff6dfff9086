import { nearest } from '../base/nearest.ts';
import { type Config, knownKeys } from './config.ts';

/** One sentence for each section or key that this version does not know: a typing mistake, or a newer file. */
export function unknownKeys(config: Config): string[] {
  const sections = unknown(Object.keys(config), knownKeys.root).map(
    ({ name, hint }) => `The section [${name}] is not known and is not used.${hint('[', ']')}`,
  );
  const keys = Object.entries(knownKeys.sections).flatMap(([section, known]) =>
    unknown(Object.keys(Object(config[section])), known).map(
      ({ name, hint }) => `The key "${name}" in [${section}] is not known and is not used.${hint('"', '"')}`,
    ),
  );
  return [...sections, ...keys];
}

function unknown(names: readonly string[], known: readonly string[]) {
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return {
        name: name.slice(0, 80),
        hint: (open: string, close: string) => (near === undefined ? '' : ` Did you mean ${open}${near}${close}?`),
      };
    });
}
