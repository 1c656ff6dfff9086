export interface ChatTables {
  chats: ChatRow;
  chat_events: ChatEventRow;
  chat_messages: ChatMessageRow;
  chat_approvals: ChatApprovalRow;
  chat_texts: ChatTextRow;
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
  /** How many rows of `chat_messages` it has. */
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

/** What a model was told and said, as it goes back to it. */
interface ChatMessageRow {
  chat_id: string;
  ordinal: number;
  /** The person's message that it is, or that it answers. */
  message_id: string;
  /** Number of the event by which that message was sent. */
  seq: number;
  message: string;
}

interface ChatApprovalRow {
  chat_id: string;
  run_id: string;
  /** Number of the event that asked. */
  seq: number;
  tool_use_id: string;
  answer: string | null;
}

/** What can be found: the title as number 0, messages and answers by their event. */
interface ChatTextRow {
  chat_id: string;
  seq: number;
  text: string;
}

interface ChatWordRow {
  chat_id: string;
  word: string;
}
