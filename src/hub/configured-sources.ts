import { HubError } from '../base/hub-error.ts';
import type { SourceProblem } from '../base/source.ts';
import type { ConfigDocument, ConfigVersion } from '../config/config-document.ts';
import { type BrokenConnector, type ConnectorSection, connectorSections } from '../config/connector-sections.ts';
import { settingsForRestart } from '../config/settings-for-restart.ts';
import type { Connector } from '../knowledge/connector.ts';

export interface ConfiguredSourcesOptions {
  document: ConfigDocument;
  /** Throws HubError for settings that cannot be used. */
  toConnector(section: ConnectorSection): Promise<Connector>;
  /** After a change of the file, where it is watched. */
  onChange(): void;
}

interface Known {
  raw: string;
  connector: Promise<Connector>;
}

/** Keeps the sources of documents that the config file names, as it is now. */
export function configuredSources({ document, toConnector, onChange }: ConfiguredSourcesOptions) {
  const { loaded } = document;
  let known = new Map<string, Known>();
  let read = readSections({ config: loaded.config, text: loaded.text });
  if (document.isWatched) {
    document.watch(() => {
      const before = read;
      void current().then(() => {
        if (JSON.stringify(read) !== JSON.stringify(before)) onChange();
      });
    });
  }
  return {
    /** An unchanged section gives the same connector as before. One that cannot be used fails when it is scanned. */
    async connectors(): Promise<readonly Connector[]> {
      await current();
      const next: typeof known = new Map();
      for (const section of read.sections) {
        const raw = JSON.stringify(section);
        const label = `${section.type}:${section.name}`;
        const before = known.get(label);
        const connect = () => usable(section, () => toConnector(section));
        next.set(label, before?.raw === raw ? before : { raw, connector: connect() });
      }
      known = next;
      return [...(await Promise.all([...known.values()].map((each) => each.connector))), ...read.broken.map(unusable)];
    },
    problems: (): readonly SourceProblem[] => read.problems,
  };

  async function current(): Promise<void> {
    read = readSections(await document.current());
  }

  function readSections({ config, text }: Pick<ConfigVersion, 'config' | 'text'>) {
    const { sections, broken, problems } = connectorSections({ ...loaded, config, text });
    return { sections, broken, problems: [...problems, ...settingsForRestart(loaded, config)] };
  }
}

/** A source that cannot be used leaves the others alone. */
export async function usable(
  { type, name }: Pick<Connector, 'type' | 'name'>,
  connect: () => Promise<Connector>,
): Promise<Connector> {
  try {
    return await connect();
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return unusable({ type, name, message: error.message });
  }
}

/** It is there, so that nobody takes its documents for left behind, and says what is wrong when it is synced. */
function unusable({ type, name, message }: BrokenConnector): Connector {
  return {
    type,
    name,
    place: message,
    // biome-ignore lint/correctness/useYield: a scan that fails at its start has nothing to yield
    async *scan() {
      throw new HubError('INVALID_CONFIG', message);
    },
  };
}
