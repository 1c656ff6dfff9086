import type { Clock } from '../../base/clock.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Logger } from '../../base/logger.ts';
import type { ToolClient } from '../../tools/tool-client.ts';
import type { ServerDefinition } from '../server-definition.ts';

/**
 * A tool exactly as its server lists it: nothing is added, removed or reordered. Only its name is checked; everything else may
 * violate MCP.
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
  /** Receives the server's progress, and answers its questions (sampling, elicitation, roots) while this call runs. */
  client?: ToolClient | undefined;
  /** Sent as `params._meta`, for example a traceparent. */
  meta?: JsonObject | undefined;
}

export interface ServerGreeting {
  serverInfo: { name: string; version: string; title?: string };
  instructions: string | undefined;
  protocolVersion: string;
}

/**
 * One live connection to one external server. It never repeats a call and never reconnects.
 * Failures are HubErrors: UNAVAILABLE (not connected, closed, refused; `details.mayHaveRun` tells whether the call was sent),
 * TIMEOUT, CANCELLED, TOO_LARGE, TOOL_ERROR (the server replied with a JSON-RPC error), SIGN_IN_REQUIRED.
 */
export interface ServerConnection {
  readonly greeting: ServerGreeting;
  /** Its protocol revision has no sessions: calls from different clients share nothing. */
  readonly isStateless?: boolean;
  /** The server has received a client's roots and may remember them. */
  readonly knowsRoots?: boolean;
  /** Returns the tools of all pages. */
  listTools(options?: { signal?: AbortSignal | undefined }): Promise<RemoteTool[]>;
  callTool(name: string, input: object, options?: RemoteCallOptions): Promise<RemoteResult>;
  /** Sends any other request, for surfaces that pass on resources and prompts. */
  request(method: string, params: JsonObject, options?: { signal?: AbortSignal | undefined }): Promise<JsonObject>;
  /** Calls the listener when the server reports that its tools changed. */
  onToolsChanged(listener: () => void): () => void;
  /** Calls the listener once, when either side has closed the connection. The reason is a sentence for the user. */
  onClosed(listener: (reason: string) => void): () => void;
  /** Closes the connection and, with stdio, ends every process that the server started. Resolves when they have ended. */
  close(): Promise<void>;
}

/** Stores a server's OAuth tokens and client registration. */
export interface CredentialStore {
  load(key: 'tokens' | 'client' | 'verifier' | 'discovery'): Promise<string | undefined>;
  save(key: 'tokens' | 'client' | 'verifier' | 'discovery', value: string | null): Promise<void>;
}

export interface ConnectOptions {
  name: string;
  /** `${VAR}` is already filled in. */
  definition: ServerDefinition;
  signal: AbortSignal;
  logger: Logger;
  /** Called with each line that the server wrote to stderr or sent as a log message. */
  onLog(line: { level: string; text: string }): void;
  credentials?: CredentialStore | undefined;
  /** The URL to which the user's browser returns after signing in. */
  redirectUrl?: string | undefined;
  /** Decides when tokens expire; the system clock by default. */
  clock?: Clock | undefined;
}

/** Connects and completes the handshake. Throws UNAVAILABLE, TIMEOUT or SIGN_IN_REQUIRED, and cleans up when it fails. */
export type ConnectServer = (options: ConnectOptions) => Promise<ServerConnection>;

/** The two halves of signing in with OAuth (PKCE). Both store what they learn in `credentials`. */
export interface SignIn {
  /** Returns the URL to open in a browser; undefined if no sign-in is needed. */
  begin(options: SignInOptions): Promise<URL | undefined>;
  finish(options: SignInOptions & { code: string; issuer?: string | undefined }): Promise<void>;
  /** Tells the authorization server to revoke the stored tokens. Never throws. */
  revoke(options: Pick<SignInOptions, 'name' | 'definition' | 'credentials'>): Promise<void>;
  /** Returns when the stored tokens expire, if that is soon and only another sign-in can renew them. Throws UNAVAILABLE. */
  endsSoon(options: Pick<SignInOptions, 'definition' | 'credentials'> & { now: number }): Promise<number | null>;
}

export interface SignInOptions {
  name: string;
  definition: ServerDefinition;
  credentials: CredentialStore;
  redirectUrl: string;
  /** Returned by the browser together with the code. */
  state: string;
  signal: AbortSignal;
  clock?: Clock | undefined;
}
