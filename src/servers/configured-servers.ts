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
