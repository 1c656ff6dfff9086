import type { LogLevel } from '../../tools/tool-client.ts';

/** What can change in a session after `initialize`. */
export interface SessionState {
  isEnded: boolean;
  /** Undefined until the client sets it. */
  logLevel: LogLevel | undefined;
  /** The resources that the client subscribes to. */
  uris: string[];
}

export type StateChange = { ended: true } | { logLevel: LogLevel } | { subscribed: string } | { unsubscribed: string };

/** A message about a session from one process to another, or to all that know the session. */
export type SessionMessage =
  /** The state in the store has changed. */
  | { kind: 'changed' }
  | { kind: 'cancelled'; requestId: string | number }
  /** The client's reply to a question that the receiver asked. */
  | { kind: 'replied'; response: string }
  /** A notification for the stream of the session. */
  | { kind: 'notify'; text: string }
  /** The sender has the stream of the session from now on. `after` is the last event that the client received of an earlier stream. */
  | { kind: 'listening'; after: { stream: string; number: number } | undefined }
  /** The notifications that the client has not received yet. */
  | { kind: 'handover'; texts: string[] }
  /** A request for the process that has the conversation of the session. */
  | { kind: 'call'; request: string; relay: string }
  /** Asks for the events of a call's stream. */
  | { kind: 'resume'; stream: string; after: number; relay: string }
  /** The next events of that stream. `isUnknown`: the receiver of `resume` has no such stream. */
  | { kind: 'events'; relay: string; text: string; isOver: boolean; isUnknown: boolean }
  /** The client that resumed the stream has disconnected. */
  | { kind: 'left'; relay: string };

export interface ReceivedMessage {
  /** Grows with each message of any process. */
  id: number;
  sessionId: string;
  from: string;
  message: SessionMessage;
}

/** What the processes that share a database know about MCP sessions. */
export interface McpSessionStore {
  /** Returns the id of this process among those that share the database. */
  process(): string;
  state(sessionId: string): Promise<SessionState>;
  /** Stores a change and announces it to the other processes. The rows are deleted some time after `expiresAt`. */
  change(sessionId: string, change: StateChange, expiresAt: number): Promise<void>;
  /**
   * Makes this process the one that has the conversation of a session, if none has, or if `instead` has. Returns the process that has it now,
   * and whether it has just become that.
   */
  claim(sessionId: string, expiresAt: number, instead?: string): Promise<{ process: string; isNew: boolean }>;
  /** Sends a message to one process, or to all others. Returns its id. */
  send(sessionId: string, message: SessionMessage, to?: string): Promise<number>;
  /** Returns the next messages for this process, and whether there are more. Those to all processes may concern sessions that it does not know. */
  receive(): Promise<{ messages: ReceivedMessage[]; isMore: boolean }>;
  /** Keeps the events of a finished stream for some minutes. */
  keepEvents(sessionId: string, stream: string, events: string): Promise<void>;
  /** Returns the events of a finished stream. */
  events(sessionId: string, stream: string): Promise<string | undefined>;
  /** Signals to the other processes from now on that this one is running. */
  keep(): void;
  /** Notes that these processes know the session, and will hear of its end. */
  join(sessionId: string, processes: readonly string[], expiresAt: number): Promise<void>;
  /** Notes that this process no longer knows these sessions. */
  leave(sessionIds: readonly string[]): Promise<void>;
  /** Returns the other processes that know the session. */
  others(sessionId: string): Promise<string[]>;
  /** Returns whether another process has ended. It may take several calls and some seconds to find out. */
  isGone(process: string): Promise<boolean>;
}
