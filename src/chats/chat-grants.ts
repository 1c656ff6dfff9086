import type { GrantedTool, ToolGrant } from '../agents/agent-grants.ts';

/** An approval of one definition of a tool, for one agent in one chat. */
export interface ChatGrant extends GrantedTool {
  agentId: string;
  /** Whether it was given after the chat had read text from outside. Only such an approval counts from then on. */
  isAfterReading: boolean;
}

/** The tools that the user approved for the rest of a chat, in every process. They end with the chat and when its agent is switched. */
export interface ChatGrantStore {
  /** Sorted by tool name. */
  list(chatId: string): Promise<ToolGrant[]>;
  has(chatId: string, grant: ChatGrant): Promise<boolean>;
  /** Replaces a grant for another definition or agent. Does nothing if the chat was deleted. */
  add(chatId: string, grant: ChatGrant): Promise<void>;
  /** Returns false if there is no such grant. */
  remove(chatId: string, tool: string): Promise<boolean>;
}
