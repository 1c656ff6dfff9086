import type { Message, ToolResultBlock, ToolUseBlock } from './message.ts';

/**
 * A conversation that can be continued: calls without a result, which a run that ended in the middle leaves behind, get one
 * that says so. Providers refuse a conversation with an open call.
 */
export function closeOpenCalls(messages: readonly Message[]): Message[] {
  const whole: Message[] = [];
  let open: ToolUseBlock[] = [];
  for (const message of messages) {
    if (message.role !== 'tool') {
      close();
      open = message.content.filter((block) => block.type === 'tool_use');
    } else {
      const answered = new Set(message.content.map((block) => (block.type === 'tool_result' ? block.toolUseId : '')));
      open = open.filter(({ id }) => !answered.has(id));
    }
    whole.push(message);
  }
  close();
  return whole;

  function close(): void {
    if (open.length === 0) return;
    const results = open.map(toInterrupted);
    const last = whole.at(-1);
    if (last?.role === 'tool') whole[whole.length - 1] = { role: 'tool', content: [...last.content, ...results] };
    else whole.push({ role: 'tool', content: results });
    open = [];
  }
}

function toInterrupted({ id, name }: ToolUseBlock): ToolResultBlock {
  const text = `The run ended before the call of "${name}" had a result. It may have taken effect.`;
  return { type: 'tool_result', toolUseId: id, name, content: [{ type: 'text', text }], isError: true };
}
