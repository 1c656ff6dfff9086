export interface RunTables {
  runs: RunRow;
  messages: MessageRow;
}

export interface RunRow {
  id: string;
  agent_id: string | null;
  model: string;
  status: string;
  reason: string | null;
  error: string | null;
  started_at: number;
  /** The process that it runs in; empty for those of before there were leases. */
  holder: string;
  /** When it was saved last. */
  heartbeat_at: number;
  finished_at: number | null;
  ticks: number;
  usage: string;
  cost: number | null;
  title: string;
  /** How many messages it was given to keep; a chat keeps those of its runs itself. */
  messages: number;
  calls: string;
  /** The conversation that it is a range of: a chat's, or its own. */
  thread_id: string;
}

/** What a model was told and said. Messages are only ever added to the end of their conversation. */
export interface MessageRow {
  /** The chat, or the run outside of a chat. */
  thread_id: string;
  ordinal: number;
  run_id: string;
  /** The person's message that it is, or that it answers. Null outside of chats, and for messages of the agent's own prompt. */
  message_id: string | null;
  role: string;
  /** The ordinal of the message that was sent instead; null while it counts. */
  superseded_by: number | null;
  message: string;
}
