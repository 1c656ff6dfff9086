import { parseWith } from '../base/validate.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printJson, printLine } from '../cli/terminal/context.ts';
import { printTable, shortTime } from '../cli/terminal/print-table.ts';
import { ChatQueryInput } from './chat-input.ts';

export interface ChatListOptions extends ConfigOption {
  limit: number;
  json?: boolean;
}

/** `zoo chat [AGENT] --list`: lists chats, newest first. */
export function listChats(context: CliContext, agentId: string | undefined, options: ChatListOptions): Promise<void> {
  return withHub(context, options, async (hub) => {
    const { chats } = await hub.chats.list(parseWith(ChatQueryInput, { agentId, limit: options.limit }));
    if (options.json) return printJson(context, chats);
    if (chats.length === 0) return printLine(context, 'You have no chats yet. Start one with "zoo chat AGENT".');
    const rows = chats.map((chat) => [
      chat.id,
      chat.state,
      chat.agentId,
      chat.model ?? '–',
      String(chat.usage.inputTokens + chat.usage.outputTokens),
      shortTime(new Date(chat.updatedAt).toISOString()),
      chat.title,
    ]);
    printTable(context, ['CHAT', 'STATE', 'AGENT', 'MODEL', 'TOKENS', 'CHANGED', 'TITLE'], rows);
  });
}
