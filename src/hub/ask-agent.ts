import type { PromptArguments } from '../agents/agent-prompt.ts';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { ChatSession } from '../engine/chat-session.ts';
import { type OutputRule, runAgentTool } from '../engine/run-agent-tool.ts';
import type { ToolContent } from '../tools/content.ts';
import { refuseTooDeep } from '../tools/refuse-too-deep.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Sessions } from './sessions.ts';

/** What a tool call asks of an agent. */
export interface Question {
  sessions: Pick<Sessions, 'open'>;
  clock: Clock;
  agentId: string;
  prompt: string;
  /** For the agent's own prompt. */
  arguments: PromptArguments;
  output?: OutputRule | undefined;
  context: ToolContext;
}

/** In a session of its own, which ends with the call. Throws as `refuseTooDeep`, `openSession` and `runAgentTool` do. */
export async function askAgent(question: Question): Promise<ToolContent> {
  refuseTooDeep(question.agentId, question.context.caller.depth);
  const session = await openSession(question);
  try {
    return await askInSession(question, session);
  } finally {
    await session.close();
  }
}

/** Throws as `Sessions.open` does; an agent that cannot be asked with arguments that were right is an AGENT_ERROR. */
export async function openSession({ sessions, agentId, arguments: given, context }: Question): Promise<ChatSession> {
  const { signal, caller } = context;
  const depth = (caller.depth ?? 0) + 1;
  try {
    return await sessions.open({ agentId, kind: 'headless', arguments: given, depth, signal });
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'INVALID_ARGUMENTS') throw error;
    throw new HubError('AGENT_ERROR', `Agent "${agentId}" cannot answer: ${error.message}`, { cause: error });
  }
}

export function askInSession({ clock, prompt, output, context }: Question, session: ChatSession): Promise<ToolContent> {
  const { client, signal, traceparent, caller } = context;
  return runAgentTool({ session, prompt, output, client, signal, traceparent, payer: caller.purse, clock });
}
