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
  heartbeat_at: number;
  finished_at: number | null;
  ticks: number;
  usage: string;
  cost: number | null;
  title: string;
  /** How many rows of `run_messages` it has. */
  messages: number;
  calls: string;
}

interface RunMessageRow {
  run_id: string;
  ordinal: number;
  message: string;
}
