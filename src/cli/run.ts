import { text as readText } from 'node:stream/consumers';
import { HubError } from '../base/hub-error.ts';
import type { ApprovalAnswer, ApprovalRequest, RunEvent, RunResult } from '../engine/run-events.ts';
import { askOne, isTerminal } from './ask.ts';
import { type CliContext, colorsFor, printJson } from './context.ts';
import { createLogger } from './logger.ts';
import { onStop } from './on-stop.ts';
import { type ConfigOption, withHub } from './open-hub.ts';
import { fitText, printableLine } from './text-width.ts';

export interface RunOptions extends ConfigOption {
  model?: string;
  arg: Record<string, string>;
  maxTicks?: number;
  maxTokens?: number;
  maxCost?: number;
  yes?: boolean;
  json?: boolean;
}

/** `zoo run`: the answer on stdout as it comes, tool calls and questions on stderr. */
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
      approve: (request, { signal }) => approve(context, options, request, signal),
      signal: stopping.signal,
    });
    const printer = eventPrinter(context, options);
    for await (const event of run.events) printer(event);
    const result = await run.result;
    if (options.json) printJson(context, result);
    endWith(result);
  }).finally(forget);
}

/** A run that did not come to its end is no success. */
function endWith({ status, error, reason }: RunResult): void {
  if (status === 'completed') return;
  if (error) throw new HubError(error.code, error.message);
  throw new HubError('AGENT_ERROR', reason);
}

async function approve(
  context: CliContext,
  { yes }: RunOptions,
  { tool, input }: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  if (yes) return 'approve';
  if (!isTerminal(context)) {
    context.stderr.write(
      `zoo: ${tool} needs approval, and there is no terminal to ask; denied. Use --yes to approve.\n`,
    );
    return 'deny';
  }
  const shown = fitText(printableLine(JSON.stringify(input)), 200);
  const answer = await askOne(context, `Let the agent call ${tool} ${shown}?`, ['yes', 'no', 'always'], signal);
  return answer === 'yes' ? 'approve' : answer === 'always' ? 'always' : 'deny';
}

function eventPrinter(context: CliContext, options: RunOptions): (event: RunEvent) => void {
  if (options.json) return () => {};
  const { dim, green, red, cyan } = colorsFor(context, context.stderr);
  let isLineOpen = false;
  const note = (line: string) => {
    if (isLineOpen) context.stdout.write('\n');
    isLineOpen = false;
    context.stderr.write(`${line}\n`);
  };
  return (event) => {
    switch (event.type) {
      case 'text':
        context.stdout.write(event.delta);
        isLineOpen = !event.delta.endsWith('\n') && (event.delta !== '' || isLineOpen);
        return;
      case 'tool.called':
        return note(`${cyan('→')} ${event.tool} ${dim(fitText(printableLine(JSON.stringify(event.input)), 160))}`);
      case 'tool.finished': {
        const mark = event.isError ? red('✗') : green('✓');
        const text = event.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join(' ');
        const took = `${Math.round(event.durationMs)}ms`;
        return note(`${mark} ${event.tool} ${dim(`${took}  ${fitText(printableLine(text), 140)}`)}`);
      }
      case 'tick.retried':
        return note(dim(`The answer was cut (${printableLine(event.reason)}); asked again.`));
      case 'run.finished': {
        const { usage, cost, ticks } = event.result;
        const price = cost === null ? '' : `, $${cost.toFixed(4)}`;
        return note(dim(`${usage.inputTokens + usage.outputTokens} tokens in ${ticks} ticks${price}`));
      }
      default:
        return;
    }
  };
}
