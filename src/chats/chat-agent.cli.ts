import type { Agent } from '../agents/agent.ts';
import { checkArguments, missingArguments } from '../agents/check-arguments.ts';
import { findAgent } from '../agents/find-agent.cli.ts';
import { HubError } from '../base/hub-error.ts';
import { isTerminal } from '../cli/terminal/ask.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import type { ChatTerminal } from './chat-terminal.cli.ts';

/** `/agent NAME KEY=VALUE …`: switches the agent. Returns false if the user quits at a question. */
export async function changeAgent(terminal: ChatTerminal, text: string): Promise<boolean> {
  const [, name = '', rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(text) ?? [];
  const { agent } = await findAgent(terminal.answering, name);
  const typed = argumentsIn(rest);
  // Changes only the given arguments, because the current agent keeps its others.
  if (agent.id === terminal.agentId && Object.keys(typed).length === 0) return true;
  const values = await withMissing(terminal, agent, typed);
  if (!values) return false;
  checkArguments(agent, values);
  await terminal.change({ agentId: agent.id, arguments: values });
  return true;
}

/** Splits KEY=VALUE pairs. A value with spaces is quoted. */
function argumentsIn(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [whole, name, quoted, plain] of text.matchAll(/([^\s=]+)=(?:"([^"]*)"|(\S*))|\S+/g)) {
    if (name === undefined)
      throw new HubError(
        'INVALID_ARGUMENTS',
        `"${whole.slice(0, 80)}" is not KEY=VALUE. Put values with spaces in double quotes.`,
      );
    values[name] = quoted ?? plain ?? '';
  }
  return values;
}

/** Asks for missing required arguments. Returns undefined if the user quits. */
async function withMissing(
  { context, reader }: ChatTerminal,
  agent: Agent,
  typed: Record<string, string>,
): Promise<Record<string, string> | undefined> {
  const missing = missingArguments(agent, typed);
  if (missing.length > 0 && !isTerminal(context)) {
    const usage = missing.map(({ name }) => `${name}=VALUE`).join(' ');
    throw new HubError('INVALID_ARGUMENTS', `Agent "${agent.id}" needs more: /agent ${agent.id} ${usage}`);
  }
  const values = { ...typed };
  for (const { name, description } of missing) {
    const prompt = printableLine(description ? `${name} (${description}): ` : `${name}: `);
    let value: string | null = '';
    while (value === '') value = await reader.next({ prompt });
    if (value === null) return undefined;
    values[name] = value;
  }
  return values;
}
