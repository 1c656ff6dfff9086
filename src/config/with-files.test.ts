import { expect, it } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { type SectionList, type WatchedSections, withFiles } from './script-sections.ts';

const file = (name: string, path: string) => ({ name, path, shown: path });
const section = (name: string, path: string) => ({
  ...file(name, path),
  section: `agents.file.${name}`,
  timeoutMs: 0,
  config: {},
  allowEnv: [],
  allowHosts: [],
});

function sections(list: SectionList): WatchedSections & { list: SectionList } {
  return {
    list,
    isWatched: false,
    logger: silentLogger,
    current() {
      return this.list;
    },
    watch: () => () => {},
    isTrusted: async () => true,
  };
}

it('a file next to the config wins over a section of the same name', () => {
  const of = sections({ sections: [section('a', '/config/a'), section('b', '/config/b')], problems: [] });
  const joined = withFiles(of, [file('a', '/given/a')]);
  expect(joined.current()).toMatchObject({ sections: [{ path: '/given/a' }, { path: '/config/b' }] });
});

it('the list is the same object until the config changes', () => {
  const of = sections({ sections: [], problems: [] });
  const joined = withFiles(of, [file('a', '/given/a')]);
  const before = joined.current();
  expect(joined.current()).toBe(before);
  of.list = { sections: [], problems: [] };
  expect(joined.current()).not.toBe(before);
});

it('without files it is the config alone', () => {
  const of = sections({ sections: [], problems: [] });
  expect(withFiles(of, [])).toBe(of);
});
