import { text as readText } from 'node:stream/consumers';
import { refuseUndeclared } from '../agents/check-arguments.cli.ts';
import { findAgent } from '../agents/find-agent.cli.ts';
import { HubError } from '../base/hub-error.ts';
import {
  approvalWithoutAsking,
  recordApproval,
  runApprovalKeys,
  showApproval,
  toApproval,
} from '../chats/approval.cli.ts';
import { answerPrinter, emptyAnswer, listener, tokensAndCost } from '../chats/print-answer.cli.ts';
import { createLogger } from '../cli/logger.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { askLine, askOne } from '../cli/terminal/ask.ts';
import { type CliContext, colorsFor, printJson } from '../cli/terminal/context.ts';
import { onStop } from '../cli/terminal/on-stop.ts';
import type { ApprovalAnswer, ApprovalRequest, RunEvent, RunResult } from '../engine/run-events.ts';

export interface RunOptions extends ConfigOption {
  model?: string;
  arg: Record<string, string>;
  maxTicks?: number;
  maxTokens?: number;
  maxCost?: number;
  yes?: boolean;
  json?: boolean;
}

/** `zoo run`: prints the answer on stdout as it arrives, and tool calls and questions on stderr. */
export async function runOnce(
  context: CliContext,
  agentId: string,
  message: string,
  options: RunOptions,
): Promise<void> {
  const input = message === '-' ? await readText(context.stdin) : message;
  const stopping = new AbortController();
  const forget = onStop(context, () => stopping.abort());
  const logger = createLogger(context, { level: 'warn' });
  return withHub(context, { ...options, logger, quiet: true }, async (hub) => {
    refuseUndeclared((await findAgent(hub, agentId)).agent, options.arg);
    const run = await hub.runAgent({
      agentId,
      input,
      arguments: options.arg,
      model: options.model,
      maxTicks: options.maxTicks,
      budget: {
        ...(options.maxTokens !== undefined && { maxTokens: options.maxTokens }),
        ...(options.maxCost !== undefined && { maxCost: options.maxCost }),
      },
      approve: async (request, { signal }) => {
        const answer = await approve(context, options, request, signal);
        await recordApproval(hub, 'zoo run', { ...request, answer });
        return answer;
      },
      signal: stopping.signal,
    });
    const printer = eventPrinter(context, options);
    const answer = listener();
    for await (const event of run.events) {
      answer.hear(event);
      printer(event);
    }
    const result = await run.result;
    if (options.json) printJson(context, result);
    endWith(result);
    if (answer.isEmpty) throw new HubError('AGENT_ERROR', emptyAnswer);
  }).finally(forget);
}

/** Sets the exit code to 1 if the run did not complete. */
function endWith({ status, error, reason }: RunResult): void {
  if (status === 'completed') return;
  if (error) throw new HubError(error.code, error.message);
  throw new HubError('AGENT_ERROR', reason);
}

async function approve(
  context: CliContext,
  options: RunOptions,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const known = approvalWithoutAsking(context, options, request.tool);
  if (known) return known;
  const question = await showApproval(context, request, (prompt) => askLine(context, prompt, signal));
  return toApproval(await askOne(context, question, runApprovalKeys, signal));
}

function eventPrinter(context: CliContext, options: RunOptions): (event: RunEvent) => void {
  if (options.json) return () => {};
  const { dim } = colorsFor(context, context.stderr);
  const printer = answerPrinter(context);
  return (event) => {
    switch (event.type) {
      case 'text':
      case 'tool.called':
      case 'tool.finished':
      case 'tick.retried':
        return printer.show(event);
      case 'run.finished':
        return printer.note(dim(usageText(event.result)));
      default:
        return;
    }
  };
}

function usageText({ usage, cost, ticks, together }: RunResult): string {
  const price = cost === null ? '' : `, $${cost.toFixed(4)}`;
  const ownUsage = `${usage.inputTokens + usage.outputTokens} tokens in ${ticks} ${ticks === 1 ? 'tick' : 'ticks'}${price}`;
  const isAlone =
    together.usage.inputTokens === usage.inputTokens && together.usage.outputTokens === usage.outputTokens;
  return isAlone ? ownUsage : `${ownUsage}; ${tokensAndCost(together.usage, together.cost)} with the agents it called`;
}
