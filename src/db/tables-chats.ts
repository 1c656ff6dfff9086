export interface ChatTables {
  chats: ChatRow;
  chat_events: ChatEventRow;
  chat_approvals: ChatApprovalRow;
  chat_words: ChatWordRow;
}

export interface ChatRow {
  id: string;
  agent_id: string;
  /** Empty until the first message. */
  title: string;
  model: string | null;
  origin: string;
  /** Of tests: the tool. */
  tool: string | null;
  parameters: string | null;
  arguments: string;
  state: string;
  created_at: number;
  updated_at: number;
  usage: string;
  cost: number | null;
  last_seq: number;
  /** How many rows of `messages` it has, those that no longer count included. */
  messages: number;
  /** The answer under way, and the process that it comes from. */
  run_id: string | null;
  message_id: string | null;
  start_seq: number | null;
  holder: string | null;
  /** The run that somebody wants to stop. */
  stop_run_id: string | null;
}

interface ChatEventRow {
  chat_id: string;
  seq: number;
  at: number;
  event: string;
}

interface ChatApprovalRow {
  chat_id: string;
  run_id: string;
  /** Number of the event that asked. */
  seq: number;
  tool_use_id: string;
  answer: string | null;
}

/** The words by which a chat is found: of its title, and of the messages that count. */
interface ChatWordRow {
  chat_id: string;
  word: string;
}
