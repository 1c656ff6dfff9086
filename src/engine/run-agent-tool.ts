import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { type JsonObject, parseJson } from '../base/json.ts';
import type { Purse } from '../tools/caller.ts';
import { ToolContent } from '../tools/content.ts';
import { type RunReading, readByAgent } from '../tools/outside-text.ts';
import type { ToolClient } from '../tools/tool-client.ts';
import type { ChatSession } from './chat-session.ts';
import type { RunEvent, RunResult } from './run-events.ts';
import type { CalledBy } from './run-store.ts';
import type { RunInput } from './to-messages.ts';

export interface AgentToolCall {
  session: ChatSession;
  /** The filled-in template; the agent sees it unchanged. */
  prompt: string;
  /** The text whose mentions of rules and references count. Default: the prompt. */
  mentionsIn?: string | undefined;
  /** If set, the answer must be JSON that matches it. */
  output?: OutputRule | undefined;
  /** Receives the agent's progress. */
  client: Pick<ToolClient, 'progress'>;
  signal: AbortSignal;
  traceparent?: string | undefined;
  /** The purse of the calling run. */
  payer?: Purse | undefined;
  /** The call of the calling run. */
  calledBy?: CalledBy | undefined;
  /** What the calling run has read from outside. What the agent reads is added to it. */
  reading?: RunReading | undefined;
  /** The agent's id, to tell the caller who has read something. */
  agentId: string;
  clock?: Clock | undefined;
}

export interface OutputRule {
  schema: object;
  /** Throws INVALID_ARGUMENTS that names the path and the rule. */
  check(value: unknown): void;
}

/** Clients give up on a call that sends nothing for a minute. */
const keepAliveMs = 10_000;

/**
 * Sends one message to an agent and returns its answer as a tool result. Throws a HubError with a message for the caller if there is no
 * answer: the model failed, a limit was reached, or the answer does not match the schema.
 */
export async function runAgentTool(call: AgentToolCall): Promise<ToolContent> {
  const { session, prompt, mentionsIn, output, signal, traceparent, payer, calledBy, reading, agentId } = call;
  const progress = new Progress(call.client);
  // The prompt was written by a model that has read this.
  const options = { signal, traceparent, payer, calledBy, mentionsIn, alreadyRead: reading?.sources };
  const run = session.ask(toInput(prompt, output), options, (event) => progress.report(event));
  const done = new AbortController();
  void keepAlive(progress, call.clock ?? systemClock, done.signal);
  const result = await run.result;
  done.abort('done');
  if (reading) passOn(session.outside, { agentId, reading });
  const text = textOf(result);
  return output ? toStructured(text, output) : new ToolContent([{ type: 'text', text }]);
}

/** Tells the calling run what the agent has read from outside: its answer may contain it. */
export function passOn(
  sources: readonly string[],
  { agentId, reading }: { agentId: string; reading: RunReading },
): void {
  const known = new Set(reading.sources);
  for (const source of sources) reading.add(known.has(source) ? source : readByAgent(agentId, source));
}

/** Tells the agent the schema. The prompt stays a separate block, as written. */
function toInput(prompt: string, output: OutputRule | undefined): RunInput {
  if (!output) return prompt;
  const rule = `Answer with one JSON value that matches this JSON Schema, and nothing else:\n${JSON.stringify(output.schema)}`;
  return { messages: [{ role: 'user', content: [prompt, rule] }] };
}

function textOf({ status, reason, text, error }: RunResult): string {
  if (status === 'aborted') throw new HubError('CANCELLED', 'The call was cancelled; the agent was stopped.');
  // The pipeline would retry a transient error, and the agent's tools would take effect twice.
  if (error) {
    const code = error.code === 'TRANSIENT_ERROR' ? 'AGENT_ERROR' : error.code;
    throw new HubError(code, error.message, { details: { mayHaveRun: true } });
  }
  if (status !== 'completed') throw new HubError('AGENT_ERROR', `The agent did not finish its answer. ${reason}`);
  if (text.trim() === '') throw new HubError('AGENT_ERROR', `The agent's answer has no text. ${reason}`);
  return text;
}

/** Models often wrap JSON in a code fence. */
const fenced = /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n?[ \t]*```\s*$/i;

function toStructured(text: string, { check }: OutputRule): ToolContent {
  const json = fenced.exec(text)?.[1] ?? text;
  try {
    const value: unknown = parseJson(json);
    check(value);
    // The schema describes an object, because MCP allows nothing else.
    return new ToolContent([{ type: 'text', text: json.trim() }], { structuredContent: value as JsonObject });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text;
    const message = `The agent's answer does not match the tool's output schema: ${error.message} The answer was: ${shown}`;
    throw new HubError('AGENT_ERROR', message, { cause: error });
  }
}

/** Reports the events of a run as progress messages; the number only increases. */
class Progress {
  readonly #client: AgentToolCall['client'];
  #count = 0;

  constructor(client: AgentToolCall['client']) {
    this.#client = client;
  }

  report(event: RunEvent): void {
    if (event.type === 'tick.started') this.say(event.tick === 1 ? 'Thinking.' : `Thinking, turn ${event.tick}.`);
    else if (event.type === 'tool.called') this.say(`Calling ${event.tool}.`);
    else if (event.type === 'tool.finished') this.say(`${event.tool} ${event.isError ? 'failed' : 'answered'}.`);
  }

  say(message: string): void {
    this.#count += 1;
    this.#client.progress(this.#count, { message });
  }
}

async function keepAlive(progress: Progress, clock: Clock, done: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(keepAliveMs, done);
      progress.say('Still working.');
    }
  } catch {
    // The run has ended.
  }
}
