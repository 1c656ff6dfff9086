import { fieldIssues } from '../base/validate.ts';
import { readServerEntry } from './import/read-server-entry.ts';
import { ServerDefinition, ServerName } from './server-definition.ts';
import type { StoredServer } from './server-store.ts';
import type { ServerInfo } from './servers.ts';

/** A server from the config file. */
export interface ConfiguredServer {
  name: string;
  /** The file and the key in it, to show to the user. */
  definedIn: string;
  /** The table as written: `${VAR}` is not filled in, and nothing is validated. */
  raw: unknown;
  /** The file name for messages, if there is a file. */
  file?: string | undefined;
  /** Variables that win over the environment. Their values are never shown. */
  variables?: Readonly<Record<string, string>> | undefined;
  /** The line of each key; the empty key has the line of the whole table. */
  lines?: Readonly<Record<string, number>> | undefined;
}

export interface ConfiguredServers {
  servers: readonly ConfiguredServer[];
  /** Problems outside the server tables, to show to the user. */
  problems?: readonly { place: string; message: string }[] | undefined;
}

/** The external servers of the config file. */
export interface ServerConfig {
  current(): Promise<ConfiguredServers> | ConfiguredServers;
  /** Calls `onChange` after the file changed. Returns a function that stops watching. */
  watch(onChange: () => void): () => void;
}

/** A server's definition and where it comes from. */
export interface ServerSpec {
  name: string;
  origin: ServerInfo['origin'];
  /** The file or store, to show to the user. */
  definedIn: string;
  revision: number | null;
  definition: ServerDefinition;
  /** Variables that win over the environment. */
  variables?: Readonly<Record<string, string>> | undefined;
}

export interface ReadSpecs {
  specs: ServerSpec[];
  problems: { place: string; message: string }[];
}

/** Returns the servers of config and store. A server that cannot be used becomes a problem and does not affect the others. */
export function readSpecs(configured: ConfiguredServers, stored: readonly StoredServer[]): ReadSpecs {
  const specs = new Map<string, ServerSpec>();
  const problems = [...(configured.problems ?? [])];
  for (const server of configured.servers) {
    const { name, definedIn, raw, variables } = server;
    const valid = ServerName.safeParse(name);
    const read = readServerEntry(raw);
    const messages = valid.success
      ? read.problems
      : fieldIssues(valid.error).map(({ message }) => `the name ${message}`);
    if (messages.length > 0) problems.push(toProblem(server, messages));
    if (valid.success && read.definition)
      specs.set(name, { name, origin: 'config', definedIn, revision: null, definition: read.definition, variables });
  }
  for (const { name, definition, revision } of stored) {
    const definedIn = 'the store';
    const result = ServerDefinition.safeParse(definition);
    const other = specs.get(name);
    if (other) {
      const message = `Server "${name}" is also defined in ${other.definedIn}, which takes precedence; the stored definition is not used.`;
      problems.push({ place: definedIn, message });
    } else if (result.success) specs.set(name, { name, origin: 'store', definedIn, revision, definition: result.data });
    else {
      const issues = fieldIssues(result.error).map(({ path, message }) => `${path}: ${message}`);
      problems.push({
        place: definedIn,
        message: `Server "${name}": ${issues.join('; ')}. Remove it and add it again.`,
      });
    }
  }
  return { specs: [...specs.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), problems };
}

/** Adds the line of the first message. */
function toProblem({ name, definedIn, file, lines }: ConfiguredServer, messages: readonly string[]) {
  const message = `Server "${name.slice(0, 80)}": ${messages.map((each) => each.replace(/\.$/, '')).join('; ')}.`;
  if (file === undefined) return { place: definedIn, message };
  const key = /^([A-Za-z_$][\w$-]*)[:.[]/.exec(messages[0] ?? '')?.[1] ?? '';
  const line = lines?.[key] ?? lines?.[''];
  return { place: file, message: `${line === undefined ? file : `${file}:${line}`}: ${message}` };
}
