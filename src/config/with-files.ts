import type { ScriptSection, SectionList, WatchedSections } from './script-sections.ts';

/** A file that is named beside the config, on a command line. */
export type NamedFile = Pick<ScriptSection, 'name' | 'path' | 'shown'>;

/** The sections of the config and these files, which count before a section of the same name. */
export function withFiles(sections: WatchedSections, files: readonly NamedFile[]): WatchedSections {
  if (files.length === 0) return sections;
  const named = files.map(toSection);
  const taken = new Set(files.map(({ name }) => name));
  let known: { from: SectionList; joined: SectionList } | undefined;
  function join(from: SectionList): SectionList {
    if (known?.from !== from) {
      const others = from.sections.filter(({ name }) => !taken.has(name));
      known = { from, joined: { ...from, sections: [...named, ...others] } };
    }
    return known.joined;
  }
  return {
    isWatched: sections.isWatched,
    logger: sections.logger,
    current() {
      const now = sections.current();
      return now instanceof Promise ? now.then(join) : join(now);
    },
    watch: (onChange) => sections.watch(onChange),
  };
}

function toSection(file: NamedFile): ScriptSection {
  return { ...file, section: `agents.file.${file.name}`, timeoutMs: 0, config: {}, allowEnv: [], allowHosts: [] };
}
