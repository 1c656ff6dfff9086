/** An agent elsewhere, as the config names it. */
export interface Peer {
  url: string;
  bearer?: string | undefined;
  headers: Readonly<Record<string, string>>;
}

/** What an agent answered, here or elsewhere. It is data: nobody vouches for what it says. */
export interface PeerAnswer {
  text: string;
  contextId: string;
  /** Empty where the peer answered without a task. */
  taskId: string;
  /** `completed`, `input-required`, `failed`, … */
  state: string;
}

export interface PeerMessage {
  message: string;
  contextId?: string | undefined;
  taskId?: string | undefined;
}
