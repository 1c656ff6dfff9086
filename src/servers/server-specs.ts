import { fieldIssues } from '../base/validate.ts';
import { readServerEntry } from './import/read-server-entry.ts';
import { ServerDefinition, ServerName } from './server-definition.ts';
import type { StoredServer } from './server-store.ts';
import type { ServerInfo } from './servers.ts';

/** A server as the config file names it. */
export interface ConfiguredServer {
  name: string;
  /** For people: the file, and the key in it. */
  place: string;
  /** The table as it was written: `${VAR}` is unfilled, and nothing was judged yet. */
  raw: unknown;
  /** How messages name the file, where there is one. */
  file?: string | undefined;
  /** The line of each key in it, and of the whole under the empty key. */
  lines?: Readonly<Record<string, number>> | undefined;
}

export interface ConfiguredServers {
  servers: readonly ConfiguredServer[];
  /** What is wrong around them, for people. */
  problems?: readonly { place: string; message: string }[] | undefined;
}

/** The external servers of the config file, as it is now. */
export interface ServerConfig {
  current(): Promise<ConfiguredServers> | ConfiguredServers;
  /** Called after a change of the file; the answer ends it. */
  watch(onChange: () => void): () => void;
}

/** A server's definition, and where it comes from. */
export interface ServerSpec {
  name: string;
  origin: ServerInfo['origin'];
  place: string;
  revision: number | null;
  definition: ServerDefinition;
}

export interface ReadSpecs {
  specs: ServerSpec[];
  problems: { place: string; message: string }[];
}

/** The servers of config and store. One that cannot be used is a problem and leaves the others alone. */
export function readSpecs(configured: ConfiguredServers, stored: readonly StoredServer[]): ReadSpecs {
  const specs = new Map<string, ServerSpec>();
  const problems = [...(configured.problems ?? [])];
  for (const server of configured.servers) {
    const { name, place, raw } = server;
    const valid = ServerName.safeParse(name);
    const read = readServerEntry(raw);
    const told = valid.success ? read.problems : valid.error.issues.map(({ message }) => `the name ${message}`);
    if (told.length > 0) problems.push(toProblem(server, told));
    if (valid.success && read.definition)
      specs.set(name, { name, origin: 'config', place, revision: null, definition: read.definition });
  }
  for (const { name, definition, revision } of stored) {
    const place = 'the store';
    const result = ServerDefinition.safeParse(definition);
    const other = specs.get(name);
    if (other) {
      const message = `Server "${name}" is in ${other.place} too, and that one counts; the stored one is not used.`;
      problems.push({ place, message });
    } else if (result.success) specs.set(name, { name, origin: 'store', place, revision, definition: result.data });
    else {
      const issues = fieldIssues(result.error).map(({ path, message }) => `${path}: ${message}`);
      problems.push({ place, message: `Server "${name}": ${issues.join('; ')}. Remove it and add it again.` });
    }
  }
  return { specs: [...specs.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), problems };
}

/** With the line of the first thing that is wrong. */
function toProblem({ name, place, file, lines }: ConfiguredServer, told: readonly string[]) {
  const message = `Server "${name.slice(0, 80)}": ${told.map((each) => each.replace(/\.$/, '')).join('; ')}.`;
  if (file === undefined) return { place, message };
  const key = /^([A-Za-z_$][\w$-]*)[:.[]/.exec(told[0] ?? '')?.[1] ?? '';
  const line = lines?.[key] ?? lines?.[''];
  return { place: file, message: `${line === undefined ? file : `${file}:${line}`}: ${message}` };
}
