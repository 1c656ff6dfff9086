import type { PromptArguments } from '../agents/agent-prompt.ts';
import type { Clock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import type { ChatSession } from '../engine/chat-session.ts';
import { type OutputRule, runAgentTool } from '../engine/run-agent-tool.ts';
import { refuseTooDeep, workedForBy } from '../tools/caller.ts';
import type { ToolContent } from '../tools/content.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { Sessions } from './sessions.ts';

/** A question that a tool call puts to an agent. */
export interface Question {
  sessions: Pick<Sessions, 'open'>;
  clock: Clock;
  agentId: string;
  prompt: string;
  /** The text whose mentions of rules and references count. Default: the prompt. */
  mentionsIn?: string | undefined;
  /** The arguments of the agent's own prompt. */
  arguments: PromptArguments;
  output?: OutputRule | undefined;
  context: ToolContext;
}

/** Asks in a new session, which is closed afterwards. Throws whatever `refuseTooDeep`, `openSession` and `runAgentTool` throw. */
export async function askAgent(question: Question): Promise<ToolContent> {
  refuseTooDeep(question.agentId, question.context.caller.depth);
  const session = await openSession(question);
  try {
    return await askInSession(question, session);
  } finally {
    await session.close();
  }
}

/** Throws whatever `Sessions.open` throws. Reports INVALID_ARGUMENTS as AGENT_ERROR, because the caller's arguments were already checked. */
export async function openSession({ sessions, agentId, arguments: given, context }: Question): Promise<ChatSession> {
  const { signal, caller } = context;
  const depth = (caller.depth ?? 0) + 1;
  const workedFor = workedForBy(caller);
  try {
    const isCalledByRun = caller.runCall !== undefined;
    return await sessions.open({
      agentId,
      kind: 'headless',
      arguments: given,
      depth,
      signal,
      workedFor,
      isCalledByRun,
    });
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== 'INVALID_ARGUMENTS') throw error;
    throw new HubError('AGENT_ERROR', `Agent "${agentId}" cannot answer: ${error.message}`, { cause: error });
  }
}

export function askInSession(question: Question, session: ChatSession): Promise<ToolContent> {
  const { agentId, clock, prompt, mentionsIn, output, context } = question;
  const { client, signal, traceparent, caller } = context;
  const { purse: payer, reading, runCall } = caller;
  const calledBy = runCall && { ...runCall, arguments: question.arguments };
  const call = { session, agentId, prompt, mentionsIn, output, client, signal, traceparent, payer, reading, clock };
  return runAgentTool({ ...call, calledBy });
}
