/** An MCP client, as it described itself when it connected. */
export interface Handshake {
  name: string;
  version: string;
  /** The agent whose view it opened. */
  agentId: string | null;
}

/** Remembers which MCP clients have connected. */
export interface ClientStore {
  /** Notes a handshake in the background, unless the same one was noted a moment ago. Never throws. */
  note(handshake: Handshake, countTools: () => Promise<number>): void;
  /** Notes in the background that a client has called a tool successfully. Never throws. */
  noteCall(): void;
  /** The latest first. */
  list(): Promise<(Handshake & { tools: number; at: number })[]>;
  /** Returns when a client first called a tool successfully. */
  firstCallAt(): Promise<number | null>;
}
