import { type Clock, systemClock } from '../base/clock.ts';
import { HubError } from '../base/hub-error.ts';
import { type JsonObject, parseJson } from '../base/json.ts';
import type { Purse } from '../tools/caller.ts';
import { ToolContent } from '../tools/content.ts';
import type { ToolClient } from '../tools/tool-client.ts';
import type { ChatSession } from './chat-session.ts';
import type { RunEvent, RunResult } from './run-events.ts';
import type { RunInput } from './to-messages.ts';

export interface AgentToolCall {
  session: ChatSession;
  /** The filled template; the agent sees it as it is. */
  prompt: string;
  /** The answer must be JSON that fits it. */
  output?: OutputRule | undefined;
  /** Hears how far the agent is. */
  client: Pick<ToolClient, 'progress'>;
  signal: AbortSignal;
  traceparent?: string | undefined;
  /** Of the run that called it. */
  payer?: Purse | undefined;
  clock?: Clock | undefined;
}

export interface OutputRule {
  schema: object;
  /** Throws INVALID_ARGUMENTS that names path and rule. */
  check(value: unknown): void;
}

/** Clients give up on a call that says nothing for a minute. */
const signOfLifeMs = 10_000;

/**
 * One message to an agent, and its answer as the result of a tool. Whatever keeps it from an answer is thrown as a HubError
 * whose message is for the caller: the model's failure, a limit that was reached, an answer that does not fit.
 */
export async function runAgentTool(call: AgentToolCall): Promise<ToolContent> {
  const { session, prompt, output, signal, traceparent, payer } = call;
  const progress = new Progress(call.client);
  const run = session.ask(toInput(prompt, output), { signal, traceparent, payer }, (event) => progress.heard(event));
  const done = new AbortController();
  void showLife(progress, call.clock ?? systemClock, done.signal);
  const result = await run.result;
  done.abort('done');
  const text = textOf(result);
  return output ? toStructured(text, output) : new ToolContent([{ type: 'text', text }]);
}

/** The agent must know the shape; the prompt stays a block of its own, as it was written. */
function toInput(prompt: string, output: OutputRule | undefined): RunInput {
  if (!output) return prompt;
  const rule = `Answer with one JSON value that fits this JSON Schema, and nothing else:\n${JSON.stringify(output.schema)}`;
  return { messages: [{ role: 'user', content: [prompt, rule] }] };
}

function textOf({ status, reason, text, error }: RunResult): string {
  if (status === 'aborted') throw new HubError('CANCELLED', 'The call was cancelled; the agent was stopped.');
  // The pipeline would try an error that may pass again, and the agent's tools would have their effects twice.
  if (error) {
    const code = error.code === 'TRANSIENT_ERROR' ? 'AGENT_ERROR' : error.code;
    throw new HubError(code, error.message, { details: { mayHaveRun: true } });
  }
  if (status !== 'completed') throw new HubError('AGENT_ERROR', `The agent did not come to an answer. ${reason}`);
  if (text.trim() === '') throw new HubError('AGENT_ERROR', `The agent's answer has no text. ${reason}`);
  return text;
}

/** Models like to put JSON into a fence. */
const fenced = /^\s*```(?:json)?[ \t]*\n([\s\S]*?)\n?[ \t]*```\s*$/i;

function toStructured(text: string, { check }: OutputRule): ToolContent {
  const json = fenced.exec(text)?.[1] ?? text;
  try {
    const value: unknown = parseJson(json);
    check(value);
    // The rule is an object's: MCP has no other.
    return new ToolContent([{ type: 'text', text: json.trim() }], { structuredContent: value as JsonObject });
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const shown = text.length > 300 ? `${text.slice(0, 300)}…` : text;
    const message = `The agent's answer does not fit the output schema of the tool: ${error.message} The answer was: ${shown}`;
    throw new HubError('AGENT_ERROR', message, { cause: error });
  }
}

/** What happens in a run, in words for whoever waits; the number only grows. */
class Progress {
  readonly #client: AgentToolCall['client'];
  #count = 0;

  constructor(client: AgentToolCall['client']) {
    this.#client = client;
  }

  heard(event: RunEvent): void {
    if (event.type === 'tick.started') this.say(event.tick === 1 ? 'Thinking.' : `Thinking, turn ${event.tick}.`);
    else if (event.type === 'tool.called') this.say(`Calling ${event.tool}.`);
    else if (event.type === 'tool.finished') this.say(`${event.tool} ${event.isError ? 'failed' : 'answered'}.`);
  }

  say(message: string): void {
    this.#count += 1;
    this.#client.progress(this.#count, { message });
  }
}

async function showLife(progress: Progress, clock: Clock, done: AbortSignal): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(signOfLifeMs, done);
      progress.say('Still working.');
    }
  } catch {
    // It is done.
  }
}
