import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { fillDefinition } from './fill-definition.ts';
import { unmaskDefinition } from './mask-secrets.ts';
import type { ServerDefinition } from './server-definition.ts';
import { ServerSet, type ServerSetOptions } from './server-set.ts';
import type { ToolSetting } from './server-store.ts';
import { usualSetting } from './server-tools.ts';
import type { ServerInfo, ServerLogLine, ServerTrial } from './servers.ts';
import { forgetAllCredentials, forgetCredentials, SignIns } from './sign-ins.ts';
import type { HubServer } from './supervise/hub-server.ts';
import type { ConnectServer, CredentialStore, SignIn, SignInOptions } from './supervise/server-connection.ts';
import { within } from './supervise/within.ts';
import { isToolName } from './tool-names.ts';
import { acceptTools } from './trust.ts';

export interface ExternalServersOptions extends Omit<ServerSetOptions, 'random'> {
  /** For the jitter of delays; by default chance. */
  random?: () => number;
  /** Without it nobody can sign in by OAuth. */
  signIn?: SignIn | undefined;
}

/** The external MCP servers of the hub: whatever touches one goes through here. */
export type ExternalServers = ReturnType<typeof createExternalServers>;

/** The external servers of a hub. `refresh` reads them for the first time; `close` ends everything at any moment. */
export function createExternalServers(options: ExternalServersOptions) {
  const { store, vault, clock, registry, signIn } = options;
  const servers = new ServerSet({ random: Math.random, ...options });
  const signIns = new SignIns(clock);
  let isClosed: Promise<void> | undefined;

  return {
    /** By name. What was read from config and store last; `refresh` looks again. */
    list: (): ServerInfo[] => servers.list(),
    /** Throws NOT_FOUND that names what there is. */
    get: (name: string): ServerInfo => servers.info(servers.get(name)),
    /** Reads config and store, and brings registry and connections in line. Cheap when nothing changed. */
    refresh: (): Promise<void> => servers.refresh(),
    /** Connects those that never listed their tools, and waits until each of them did or failed, which is logged; no longer than the signal lets it. */
    discover: (signal?: AbortSignal): Promise<void> => servers.discover(signal),
    changes: servers.changes,
    /** The newest lines, oldest first. */
    log: (name: string): ServerLogLine[] => servers.get(name).log.newest(),

    /** Throws CONFLICT (the name is taken, in config or store), INVALID_ARGUMENTS. It is connected at once, in the background. */
    async add(name: string, given: ServerDefinition): Promise<ServerInfo> {
      await servers.refresh();
      const taken = servers.find(name);
      if (taken) throw new HubError('CONFLICT', `There is already a server "${name}", in ${taken.spec.place}.`);
      const definition = unmaskDefinition(undefined, given);
      // What a former server of this name had accepted is no yes to this one.
      await store.forget(name);
      await store.save(name, definition, null);
      // A server that never listed anything is connected as soon as it is seen.
      await servers.refresh();
      return servers.info(servers.get(name));
    },

    /** Masked secrets keep their value. Throws PERMISSION_DENIED for a server of the config, CONFLICT. */
    async update(name: string, given: ServerDefinition, revision: number | null): Promise<ServerInfo> {
      await servers.refresh();
      const server = stored(name, 'changed');
      const definition = unmaskDefinition(server.spec.definition, given);
      await store.save(name, definition, revision ?? server.spec.revision);
      await servers.refresh();
      return servers.info(servers.get(name));
    },

    /** Ends its processes and removes its tools. Throws PERMISSION_DENIED for a server of the config. */
    async remove(name: string): Promise<void> {
      if (servers.find(name)) await servers.drop(stored(name, 'removed'));
      // One that cannot be opened, because the key of the vault is lost, is in the store alone.
      await store.remove(name).catch((error: unknown) => {
        servers.get(name);
        throw error;
      });
      // A vault that cannot be opened keeps what nobody can read.
      await forgetAllCredentials(vault, name).catch(ignoreUnavailable);
      await servers.refresh();
    },

    /** Connects now and reads its list. Throws what connecting throws. */
    connect: async (name: string): Promise<ServerInfo> => connectNow(enabled(name)),

    async disconnect(name: string): Promise<ServerInfo> {
      const server = servers.get(name);
      server.setPaused(true);
      servers.show(server);
      await server.disconnect();
      return servers.info(server);
    },

    /** Ends the connection if there is one and connects anew. */
    async reconnect(name: string): Promise<ServerInfo> {
      const server = enabled(name);
      await server.disconnect();
      return connectNow(server);
    },

    /** Tries a definition without keeping anything. */
    async test(name: string, given: ServerDefinition, { signal }: { signal?: AbortSignal } = {}): Promise<ServerTrial> {
      const known = servers.find(name);
      const filled = fillDefinition(name, unmaskDefinition(known?.spec.definition, given), options.lookUp);
      return tryServer({
        ...options,
        name,
        definition: filled,
        credentials: known?.credentials(filled),
        signal: signal ? AbortSignal.any([signal, servers.closing]) : servers.closing,
      });
    },

    /** Accepts new and changed tools as proposed, and forgets gone ones; without `tools` all of them. A hash guards what the person saw. */
    async accept(name: string, tools?: readonly { tool: string; hash?: string | undefined }[]): Promise<ServerInfo> {
      const server = servers.get(name);
      await server.changeMemory(async (memory) => store.remember(name, acceptTools(name, memory, tools)));
      return servers.info(server);
    },

    /** Changes the fields that are given. Throws NOT_FOUND, CONFLICT (alias taken). */
    async setTool(name: string, tool: string, change: Partial<Omit<ToolSetting, 'tool'>>): Promise<ServerInfo> {
      const server = servers.get(name);
      const draft = server.drafts.find(({ remoteName }) => remoteName === tool);
      if (!draft) throw new HubError('NOT_FOUND', `The server "${name}" has no tool "${tool.slice(0, 80)}".`);
      if (change.alias !== undefined && change.alias !== null) refuseAlias(name, tool, change.alias);
      await server.changeMemory(async ({ settings }) => {
        const before = settings.find((setting) => setting.tool === tool) ?? usualSetting(tool);
        await store.setTool(name, { ...before, ...change, tool });
      });
      return servers.info(server);
    },

    /** Begins OAuth; the address for the person's browser, null when no sign-in is needed. */
    async beginSignIn(name: string, redirectUrl: string): Promise<string | null> {
      const server = enabled(name);
      const { flow, request } = signInOf(server, redirectUrl);
      const state = signIns.begin(name, redirectUrl);
      try {
        const url = await flow.begin({ ...request, state });
        if (url) return url.href;
        signIns.drop(state);
      } catch (error) {
        signIns.drop(state);
        throw error;
      }
      await connectNow(server);
      return null;
    },

    /** Finishes it by the `state` of the callback, and connects. Throws INVALID_ARGUMENTS for an unknown or old state. */
    async finishSignIn({
      state,
      code,
      issuer,
    }: {
      state: string;
      code: string;
      issuer?: string | undefined;
    }): Promise<ServerInfo> {
      const { server: name, redirectUrl } = signIns.take(state);
      const server = enabled(name);
      const { flow, request } = signInOf(server, redirectUrl);
      await flow.finish({ ...request, state, code, issuer });
      // A connection that was open before has the old tokens.
      await server.disconnect();
      return connectNow(server);
    },

    async signOut(name: string): Promise<ServerInfo> {
      const server = servers.get(name);
      const definition = server.filled();
      const credentials = server.credentials(definition);
      await server.disconnect();
      if (credentials) {
        await signIn?.revoke({ name, definition, credentials });
        await forgetCredentials(credentials);
      }
      return servers.info(server);
    },

    close(): Promise<void> {
      isClosed ??= servers.close();
      return isClosed;
    },
  };

  async function connectNow(server: HubServer): Promise<ServerInfo> {
    server.setPaused(false);
    servers.show(server);
    await server.link.connectNow();
    return servers.info(server);
  }

  /** Throws NOT_FOUND, CONFLICT. */
  function enabled(name: string): HubServer {
    const server = servers.get(name);
    if (server.spec.definition.enabled) return server;
    throw new HubError('CONFLICT', `The server "${name}" is turned off. Turn it on first.`);
  }

  /** Throws NOT_FOUND, and PERMISSION_DENIED for a server that a file names. */
  function stored(name: string, what: string): HubServer {
    const server = servers.get(name);
    if (server.spec.origin === 'store') return server;
    throw new HubError(
      'PERMISSION_DENIED',
      `The server "${name}" is defined in ${server.spec.place}; it can be ${what} only there.`,
    );
  }

  function refuseAlias(server: string, tool: string, alias: string): void {
    const rule = 'must be 1–64 of A–Z a–z 0–9 _ . - and none of the names of the team’s own tools';
    if (!isToolName(alias))
      throw new HubError('INVALID_ARGUMENTS', `alias: ${rule}`, {
        details: { issues: [{ path: 'alias', message: rule }] },
      });
    const holder = registry.find(alias);
    if (!holder || (holder.server?.name === server && holder.server.remoteName === tool)) return;
    throw new HubError('CONFLICT', `"${alias}" is the name of a tool from ${holder.origin}. Choose another one.`);
  }

  function signInOf(server: HubServer, redirectUrl: string): { flow: SignIn; request: Omit<SignInOptions, 'state'> } {
    const definition = server.filled();
    const credentials: CredentialStore | undefined = server.credentials(definition);
    if (!credentials) {
      const message = `The server "${server.name}" is not one to sign in to: it has no address, or a key of its own.`;
      throw new HubError('INVALID_ARGUMENTS', message);
    }
    if (!signIn) throw new HubError('NOT_CONFIGURED', 'Signing in with OAuth is not possible in this hub.');
    const signal = AbortSignal.any([servers.closing, AbortSignal.timeout(definition.connectTimeoutMs)]);
    return { flow: signIn, request: { name: server.name, definition, credentials, redirectUrl, signal, clock } };
  }
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof HubError) || error.code !== 'UNAVAILABLE') throw error;
}

interface TryServerOptions {
  connect: ConnectServer;
  clock: Clock;
  logger: Logger;
  name: string;
  /** Filled. */
  definition: ServerDefinition;
  credentials: CredentialStore | undefined;
  redirectUrl?: string | undefined;
  signal: AbortSignal;
}

/** Connects, lists and ends it; nothing is kept. Throws what connecting throws. */
async function tryServer(options: TryServerOptions): Promise<ServerTrial> {
  const { connect, clock, logger, name, definition, credentials, redirectUrl, signal } = options;
  const begun = clock.now();
  const connection = await connect({ name, definition, signal, logger, onLog: () => {}, credentials, redirectUrl });
  try {
    const milliseconds = definition.connectTimeoutMs;
    const late = () =>
      new HubError('TIMEOUT', `The server "${name}" did not list its tools within ${milliseconds / 1_000} s.`);
    const tools = await within({ clock, milliseconds, late, signal, what: `the server "${name}"` }, (listing) =>
      connection.listTools({ signal: listing }),
    );
    const { serverInfo, protocolVersion, instructions } = connection.greeting;
    return {
      serverName: serverInfo.name,
      serverVersion: serverInfo.version,
      protocolVersion,
      instructions: instructions ?? null,
      tools,
      durationMs: clock.now() - begun,
    };
  } finally {
    await connection.close();
  }
}
