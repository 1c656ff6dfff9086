import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { Logger } from '../base/logger.ts';
import { fillDefinition } from './fill-definition.ts';
import { unmaskDefinition } from './mask-secrets.ts';
import type { ServerDefinition } from './server-definition.ts';
import { ServerSet, type ServerSetOptions } from './server-set.ts';
import type { ServerSwitch, ToolSetting } from './server-store.ts';
import { defaultSetting } from './server-tools.ts';
import { hostOf } from './server-versions.ts';
import type { ServerInfo, ServerLogLine, ServerTrial } from './servers.ts';
import { forgetAllCredentials, forgetCredentials, SignIns, withOwnVerifier } from './sign-ins.ts';
import type { HubServer } from './supervise/hub-server.ts';
import type { ConnectServer, CredentialStore, SignIn, SignInOptions } from './supervise/server-connection.ts';
import { within } from './supervise/within.ts';
import { isToolName } from './tool-names.ts';
import { type Acceptance, acceptTools } from './trust.ts';

export interface ExternalServersOptions extends Omit<ServerSetOptions, 'random' | 'process'> {
  /** Used for the jitter of retry delays; `Math.random` by default. */
  random?: () => number;
  /** Without it, OAuth sign-in is not available. */
  signIn?: SignIn | undefined;
}

/** The external MCP servers of the hub. Every change to one goes through here. */
export type ExternalServers = ReturnType<typeof createExternalServers>;

/** Creates the external servers of a hub. Call `refresh` to read them for the first time; `close` may be called at any time. */
export function createExternalServers(options: ExternalServersOptions) {
  const { store, vault, clock, registry, signIn } = options;
  const process = crypto.randomUUID();
  const servers = new ServerSet({ random: Math.random, ...options, process });
  const signIns = new SignIns(store, vault);
  let closing: Promise<void> | undefined;

  return {
    /** Sorted by name, as last read from config and store; `refresh` reads again. */
    list: (): ServerInfo[] => servers.list(),
    /** Throws NOT_FOUND that lists the available servers. */
    get: (name: string): ServerInfo => servers.info(servers.get(name)),
    /** Reads config and store and updates the registry and the connections. Cheap if nothing changed. */
    refresh: (): Promise<void> => servers.refresh(),
    /** Connects the servers that have never listed their tools, and waits until each has listed them or failed (which is logged), or until the signal aborts. */
    discover: (signal?: AbortSignal): Promise<void> => servers.discover(signal),
    changes: servers.changes,
    /** Returns the newest lines that this process has, oldest first, and its name. */
    log: (name: string): { lines: ServerLogLine[]; from: string } => ({
      lines: servers.get(name).log.newest(),
      from: options.holder === null ? 'this command' : hostOf(options.holder),
    }),

    /** Adds a server and connects it in the background. Throws CONFLICT (the name is taken in config or store) and INVALID_ARGUMENTS. */
    async add(name: string, submitted: ServerDefinition): Promise<ServerInfo> {
      await servers.refresh();
      const existing = servers.find(name);
      if (existing) throw new HubError('CONFLICT', nameTaken(name, existing.spec.definedIn));
      const definition = unmaskDefinition(undefined, submitted);
      // Tools that were accepted for a former server of this name are not accepted for this one.
      await store.forget(name);
      await store.save(name, definition, null);
      // Refreshing connects a server that has never listed its tools.
      await servers.refresh();
      return servers.info(servers.get(name));
    },

    /** Masked secrets keep their values. Throws PERMISSION_DENIED for a server of the config, and CONFLICT. */
    async update(name: string, submitted: ServerDefinition, revision: number | null): Promise<ServerInfo> {
      await servers.refresh();
      const server = storedServer(name, 'changed');
      const definition = unmaskDefinition(server.spec.definition, submitted);
      await store.save(name, definition, revision ?? server.spec.revision);
      // What is turned on again is no longer disconnected, here and elsewhere.
      if (definition.enabled && !server.spec.definition.enabled) await store.switch(name, 'on', process);
      await servers.refresh();
      return servers.info(servers.get(name));
    },

    /** Ends its processes and removes its tools. Throws PERMISSION_DENIED for a server of the config. */
    async remove(name: string): Promise<void> {
      if (servers.find(name)) await servers.drop(storedServer(name, 'removed'));
      // A server that cannot be decrypted, because the vault's key is lost, exists only in the store.
      await store.remove(name).catch((error: unknown) => {
        servers.get(name);
        throw error;
      });
      // If the vault cannot be opened, its credentials stay; nobody can read them.
      await forgetAllCredentials(vault, name).catch(ignoreUnavailable);
      await servers.refresh();
    },

    /** Connects now and lists the tools. Throws the errors of connecting. */
    async connect(name: string): Promise<ServerInfo> {
      const server = enabledServer(name);
      await switchAll(server, 'on');
      return connectNow(server);
    },

    /** Disconnects it and hides its tools in all processes, until it is connected again. */
    async disconnect(name: string): Promise<ServerInfo> {
      const server = servers.get(name);
      await switchAll(server, 'off');
      server.setPaused(true);
      servers.show(server);
      await server.disconnect();
      return servers.info(server);
    },

    /** Closes the connection, if there is one, and connects again. Other processes do the same, unless they are not connected. */
    async reconnect(name: string): Promise<ServerInfo> {
      const server = enabledServer(name);
      await switchAll(server, 'again');
      await server.disconnect();
      return connectNow(server);
    },

    /** Tries a definition without storing anything. */
    async test(
      name: string,
      submitted: ServerDefinition,
      { signal }: { signal?: AbortSignal } = {},
    ): Promise<ServerTrial> {
      const known = servers.find(name);
      const filled = fillDefinition(name, unmaskDefinition(known?.spec.definition, submitted), options.lookUp);
      return tryServer({
        ...options,
        name,
        definition: filled,
        credentials: known?.credentials(filled),
        signal: signal ? AbortSignal.any([signal, servers.closing]) : servers.closing,
      });
    },

    /**
     * Accepts new and changed tools as proposed and forgets gone ones; without `tools`, all of them, and without `version`, those of all
     * versions. A `hash` makes sure that the tool is still as the user saw it.
     */
    async accept(name: string, tools?: Acceptance['tools'], version?: string): Promise<ServerInfo> {
      const server = servers.get(name);
      const { listId } = server;
      await server.changeMemory(() =>
        store.change(name, (memory) => acceptTools(name, memory, { tools, version, listId, now: clock.now() })),
      );
      return servers.info(server);
    },

    /** Changes the given fields. Throws NOT_FOUND and CONFLICT (the alias is taken). */
    async setTool(name: string, tool: string, change: Partial<Omit<ToolSetting, 'tool'>>): Promise<ServerInfo> {
      const server = servers.get(name);
      const draft = server.drafts.find(({ remoteName }) => remoteName === tool);
      if (!draft) throw new HubError('NOT_FOUND', `The server "${name}" has no tool "${tool.slice(0, 80)}".`);
      if (change.alias !== undefined && change.alias !== null) checkAlias(name, tool, change.alias);
      await server.changeMemory(async () => {
        const { settings } = await store.memory(name);
        const before = settings.find((setting) => setting.tool === tool) ?? defaultSetting(tool);
        await store.setTool(name, { ...before, ...change, tool });
      });
      return servers.info(server);
    },

    /** Starts OAuth sign-in. Returns the URL for the user's browser, or null if no sign-in is needed. */
    async beginSignIn(name: string, redirectUrl: string): Promise<string | null> {
      const server = enabledServer(name);
      const { flow, request } = prepareSignIn(server, redirectUrl);
      const state = signIns.newState();
      const credentials = withOwnVerifier(request.credentials);
      const url = await flow.begin({ ...request, credentials, state });
      if (url) {
        const { verifier = '' } = credentials;
        await signIns.add(state, { server: name, url: request.url, redirectUrl, verifier });
        return url.href;
      }
      await connectNow(server);
      return null;
    },

    /** Finishes the sign-in that the callback's `state` belongs to, and connects. Throws INVALID_ARGUMENTS for an unknown or expired state. */
    async finishSignIn({
      state,
      code,
      issuer,
    }: {
      state: string;
      code: string;
      issuer?: string | undefined;
    }): Promise<ServerInfo> {
      const { server: name, url, redirectUrl, verifier } = await signIns.take(state);
      const server = enabledServer(name);
      const { flow, request } = prepareSignIn(server, redirectUrl);
      if (request.url !== url) {
        const message = `The URL of the server "${name}" changed while you signed in. Start the sign-in again.`;
        throw new HubError('INVALID_ARGUMENTS', message);
      }
      const credentials = withOwnVerifier(request.credentials, verifier);
      await flow.finish({ ...request, credentials, state, code, issuer });
      // Open connections still use the old tokens, wherever they are.
      await store.switch(name, 'again', process);
      await server.disconnect();
      return connectNow(server);
    },

    /** Returns when the sign-in to a server ends, if that is soon and only another one can renew it. */
    async signInEndsSoon(name: string): Promise<number | null> {
      try {
        const server = servers.get(name);
        const definition = server.filled();
        const credentials = server.credentials(definition);
        return (await (credentials && signIn?.endsSoon({ definition, credentials, now: clock.now() }))) ?? null;
      } catch (error) {
        // A definition or a vault that cannot be read is reported where it is used.
        if (error instanceof HubError) return null;
        throw error;
      }
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
      await store.switch(name, server.isPaused ? 'off' : 'again', process);
      return servers.info(server);
    },

    close(): Promise<void> {
      closing ??= servers.close();
      return closing;
    },
  };

  /** Tells the other processes whether to connect. A command that ends soon connects only for itself. */
  async function switchAll({ name }: HubServer, wish: ServerSwitch['wish']): Promise<void> {
    if (options.holder !== null) await store.switch(name, wish, process);
  }

  async function connectNow(server: HubServer): Promise<ServerInfo> {
    server.setPaused(false);
    servers.show(server);
    await server.link.connectNow();
    return servers.info(server);
  }

  /** Throws NOT_FOUND, CONFLICT. */
  function enabledServer(name: string): HubServer {
    const server = servers.get(name);
    if (server.spec.definition.enabled) return server;
    throw new HubError('CONFLICT', `The server "${name}" is turned off. Turn it on first.`);
  }

  /** Throws NOT_FOUND, and PERMISSION_DENIED for a server that is defined in a file. */
  function storedServer(name: string, what: string): HubServer {
    const server = servers.get(name);
    if (server.spec.origin === 'store') return server;
    throw new HubError(
      'PERMISSION_DENIED',
      `The server "${name}" is defined in ${server.spec.definedIn}; it can be ${what} only there.`,
    );
  }

  function checkAlias(server: string, tool: string, alias: string): void {
    const rule = 'must be 1–64 characters from A–Z a–z 0–9 _ . - and must not start like a team tool (mcp__mail__…)';
    if (!isToolName(alias))
      throw new HubError('INVALID_ARGUMENTS', `alias: ${rule}`, {
        details: { issues: [{ path: 'alias', message: rule }] },
      });
    const holder = registry.find(alias);
    if (!holder || (holder.server?.name === server && holder.server.remoteName === tool)) return;
    throw new HubError(
      'CONFLICT',
      `The name "${alias}" is already used by a tool from ${holder.origin}. Choose another one.`,
    );
  }

  function prepareSignIn(
    server: HubServer,
    redirectUrl: string,
  ): { flow: SignIn; request: Omit<SignInOptions, 'state'> & { url: string } } {
    const definition = server.filled();
    const credentials: CredentialStore | undefined = server.credentials(definition);
    if (!credentials || definition.transport === 'stdio') {
      const message = `The server "${server.name}" does not use sign-in: it runs a command, or its definition has credentials.`;
      throw new HubError('INVALID_ARGUMENTS', message);
    }
    if (!signIn) throw new HubError('NOT_CONFIGURED', 'This hub does not support OAuth sign-in.');
    const signal = AbortSignal.any([servers.closing, AbortSignal.timeout(definition.connectTimeoutMs)]);
    const { name } = server;
    const { url } = definition;
    return { flow: signIn, request: { name, url, definition, credentials, redirectUrl, signal, clock } };
  }
}

/** The message for adding a server whose name exists. */
export function nameTaken(name: string, definedIn: string): string {
  return `A server named "${name}" already exists in ${definedIn}. Choose another name.`;
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof HubError) || error.code !== 'UNAVAILABLE') throw error;
}

interface TryServerOptions {
  connect: ConnectServer;
  clock: Clock;
  logger: Logger;
  name: string;
  /** Its variables are filled in. */
  definition: ServerDefinition;
  credentials: CredentialStore | undefined;
  redirectUrl?: string | undefined;
  signal: AbortSignal;
}

/** Connects, lists the tools and disconnects; stores nothing. Throws the errors of connecting. */
async function tryServer(options: TryServerOptions): Promise<ServerTrial> {
  const { connect, clock, logger, name, definition, credentials, redirectUrl, signal } = options;
  const startedAt = clock.now();
  const connection = await connect({ name, definition, signal, logger, onLog: () => {}, credentials, redirectUrl });
  try {
    const milliseconds = definition.connectTimeoutMs;
    const timeoutError = () =>
      new HubError('TIMEOUT', `The server "${name}" did not list its tools within ${milliseconds / 1_000} s.`);
    const tools = await within(
      { clock, milliseconds, timeoutError, signal, subject: `the server "${name}"` },
      (listing) => connection.listTools({ signal: listing }),
    );
    const { serverInfo, protocolVersion, instructions } = connection.greeting;
    return {
      serverName: serverInfo.name,
      serverVersion: serverInfo.version,
      protocolVersion,
      instructions: instructions ?? null,
      tools,
      durationMs: clock.now() - startedAt,
    };
  } finally {
    await connection.close();
  }
}
