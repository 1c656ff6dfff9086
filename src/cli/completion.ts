import type { OptionHandler, RootCommand } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { bashCompletion } from './bash-completion.ts';
import type { CliContext } from './context.ts';
import { withHub } from './open-hub.ts';
import { printableLine } from './text-width.ts';

const namesAgent = ['agent show', 'agent test', 'agent clone', 'agent delete', 'agent export'];

interface Choice {
  value: string;
  description: string;
}

/** Adds `completion SHELL`, and the hidden `complete -- WORDS…` that the shells ask for proposals. */
export async function addCompletion(context: CliContext, program: Command, args: readonly string[]): Promise<void> {
  if (args[0] === 'completion' && args[1] === 'bash') {
    const print = () => void context.stdout.write(bashCompletion);
    program.command('completion').argument('<shell>').action(print);
    return;
  }
  const root = tab(program, { completionCommandName: 'completion' });
  if (args[0] !== 'complete') return;
  if (args.includes('agent') || args.includes('mcp')) proposeAgents(root, await agentChoices(context));
  if (args.includes('tool')) proposeTools(root, await toolChoices(context));
  if (args.includes('new')) proposeTemplates(root, await templateChoices());
}

function proposeAgents(root: RootCommand, choices: readonly Choice[]): void {
  const handler = propose(choices);
  for (const path of namesAgent) {
    for (const argument of root.commands.get(path)?.arguments.values() ?? []) {
      if (argument.name.startsWith('name')) argument.handler = handler;
    }
  }
  const option = root.commands.get('mcp')?.options.get('agent');
  if (option) option.handler = handler;
}

function proposeTools(root: RootCommand, choices: readonly Choice[]): void {
  const argument = root.commands.get('tool test')?.arguments.get('name');
  if (argument) argument.handler = propose(choices);
}

function proposeTemplates(root: RootCommand, choices: readonly Choice[]): void {
  const option = root.commands.get('agent new')?.options.get('template');
  if (option) option.handler = propose(choices);
}

function propose(choices: readonly Choice[]) {
  return (complete: Parameters<OptionHandler>[0]) => {
    for (const { value, description } of choices) complete(value, printableLine(description));
  };
}

/** A completion has nowhere to show an error: without a readable config there are no names. */
async function agentChoices(context: CliContext): Promise<Choice[]> {
  try {
    return await withHub(context, { quiet: true }, async (hub) =>
      hub.agents.list().map(({ id, description }) => ({ value: id, description })),
    );
  } catch {
    return [];
  }
}

async function toolChoices(context: CliContext): Promise<Choice[]> {
  try {
    return await withHub(context, { quiet: true }, async (hub) =>
      hub.tools.list().map(({ name, description }) => ({ value: name, description })),
    );
  } catch {
    return [];
  }
}

async function templateChoices(): Promise<Choice[]> {
  const { agentTemplates } = await import('../agents/templates.ts');
  return agentTemplates.map(({ id, description }) => ({ value: id, description }));
}
