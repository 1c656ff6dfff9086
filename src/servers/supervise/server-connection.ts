import type { Clock } from '../../base/clock.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import type { ToolClient } from '../../tools/tool-client.ts';
import type { ServerDefinition } from '../server-definition.ts';

/**
 * A tool as its server lists it, key for key: nothing is added, dropped or put in another order. Beside its name nothing in
 * it needs to be what MCP says.
 */
export interface RemoteTool {
  name: string;
  [key: string]: unknown;
}

/** The result of `tools/call` as the server sent it. */
export interface RemoteResult {
  content: JsonObject[];
  structuredContent?: JsonValue;
  isError?: boolean;
  [key: string]: unknown;
}

export interface RemoteCallOptions {
  signal?: AbortSignal | undefined;
  /** Hears the server's progress, and answers what it asks (sampling, elicitation, roots) while this call runs. */
  client?: ToolClient | undefined;
  /** Goes out in `params._meta`: a traceparent. */
  meta?: JsonObject | undefined;
}

export interface ServerGreeting {
  serverInfo: { name: string; version: string; title?: string };
  instructions: string | undefined;
  protocolVersion: string;
}

/**
 * One live connection to one external server. It never repeats a call and never reconnects by itself.
 * Failures are HubErrors: UNAVAILABLE (not connected, ended, refused; `details.mayHaveRun` says whether the call was sent),
 * TIMEOUT, CANCELLED, TOO_LARGE, TOOL_ERROR (the server answered with a JSON-RPC error), SIGN_IN_REQUIRED.
 */
export interface ServerConnection {
  readonly greeting: ServerGreeting;
  /** Its revision has no sessions: calls share nothing, whoever makes them. */
  readonly isStateless?: boolean;
  /** The server was told the roots of a client, and may remember them. */
  readonly knowsRoots?: boolean;
  /** All pages. */
  listTools(options?: { signal?: AbortSignal | undefined }): Promise<RemoteTool[]>;
  callTool(name: string, input: object, options?: RemoteCallOptions): Promise<RemoteResult>;
  /** Any other request, for surfaces that pass resources and prompts on. */
  request(method: string, params: JsonObject, options?: { signal?: AbortSignal | undefined }): Promise<JsonObject>;
  /** The server says that its list changed. */
  onToolsChanged(listener: () => void): () => void;
  /** The connection ended, by either side; called once. The reason is for people. */
  onClosed(listener: (reason: string) => void): () => void;
  /** Ends the connection and, with stdio, every process that the server started. Resolves when they are gone. */
  close(): Promise<void>;
}

/** Where OAuth tokens and client registrations of a server are kept. */
export interface CredentialStore {
  load(key: 'tokens' | 'client' | 'verifier' | 'discovery'): Promise<string | undefined>;
  save(key: 'tokens' | 'client' | 'verifier' | 'discovery', value: string | null): Promise<void>;
}

export interface ConnectOptions {
  name: string;
  /** `${VAR}` is already filled. */
  definition: ServerDefinition;
  signal: AbortSignal;
  logger: Logger;
  /** A line that the server wrote to stderr or sent as a log message. */
  onLog(line: { level: string; text: string }): void;
  credentials?: CredentialStore | undefined;
  /** Where a person's browser comes back to after signing in. */
  redirectUrl?: string | undefined;
  /** By which tokens expire; the system's by default. */
  clock?: Clock | undefined;
}

/** Connects and shakes hands. Throws UNAVAILABLE, TIMEOUT or SIGN_IN_REQUIRED. Nothing is left behind when it fails. */
export type ConnectServer = (options: ConnectOptions) => Promise<ServerConnection>;

/** The two halves of signing in with OAuth (PKCE); what they learn is kept in `credentials`. */
export interface SignIn {
  /** The address to open in a browser; undefined when the stored tokens still serve. */
  begin(options: SignInOptions): Promise<URL | undefined>;
  finish(options: SignInOptions & { code: string; issuer?: string | undefined }): Promise<void>;
  /** Tells the authorization server that the kept tokens are not needed any more. Never throws. */
  revoke(options: Pick<SignInOptions, 'name' | 'definition' | 'credentials'>): Promise<void>;
}

export interface SignInOptions {
  name: string;
  definition: ServerDefinition;
  credentials: CredentialStore;
  redirectUrl: string;
  /** Comes back with the code. */
  state: string;
  signal: AbortSignal;
  clock?: Clock | undefined;
}
