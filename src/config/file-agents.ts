import type { AgentSourceKind } from '../agents/agent.ts';
import type { AgentEntry, AgentSource, SourceSnapshot } from '../agents/agent-source.ts';
import { type LoadedFiles, type SectionFiles, type SectionFilesOptions, sectionFiles } from './section-files.ts';

/** Agents that are one file each, whatever the file is written in. */
export function fileAgentSource(kind: AgentSourceKind, options: SectionFilesOptions<AgentEntry>): AgentSource {
  return agentSourceOf(kind, sectionFiles(options));
}

/** The agents of files that somebody else may read too. */
export function agentSourceOf(kind: AgentSourceKind, files: SectionFiles<AgentEntry>): AgentSource {
  const snapshots = new WeakMap<LoadedFiles<AgentEntry>, SourceSnapshot>();
  const toSnapshot = (loaded: LoadedFiles<AgentEntry>): SourceSnapshot => {
    const known = snapshots.get(loaded);
    if (known) return known;
    const snapshot = { entries: loaded.values, problems: loaded.problems };
    snapshots.set(loaded, snapshot);
    return snapshot;
  };
  return {
    kind,
    snapshot() {
      const loaded = files.current();
      return loaded instanceof Promise ? loaded.then(toSnapshot) : toSnapshot(loaded);
    },
    watch: (onChange) => files.watch(onChange),
    close: () => files.close(),
  };
}
