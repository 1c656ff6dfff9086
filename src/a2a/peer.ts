/** A remote A2A agent from the config. */
export interface Peer {
  url: string;
  bearer?: string | undefined;
  headers: Readonly<Record<string, string>>;
}

/** The answer of an agent, local or remote. It is untrusted data. */
export interface PeerAnswer {
  text: string;
  contextId: string;
  /** Empty if the peer answered without a task. */
  taskId: string;
  /** `completed`, `input-required`, `failed`, … */
  state: string;
}

export interface PeerMessage {
  message: string;
  contextId?: string | undefined;
  taskId?: string | undefined;
}
