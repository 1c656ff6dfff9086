export interface RunTables {
  runs: RunRow;
  run_messages: RunMessageRow;
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
  /** How many there are in its conversation. */
  messages: number;
  calls: string;
  /** The chat that it answers in. */
  chat_id: string | null;
  /** The run whose first messages are its own, too, and how many; `run_messages` has the others. */
  base_id: string | null;
  base_messages: number;
}

interface RunMessageRow {
  run_id: string;
  ordinal: number;
  message: string;
}
