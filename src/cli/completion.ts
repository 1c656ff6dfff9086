import type { OptionHandler, RootCommand } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { withHub } from './open-hub.ts';
import type { CliContext } from './terminal/context.ts';
import { printableLine } from './terminal/text-width.ts';

const namesAgent = [
  'agent show',
  'agent test',
  'agent serve',
  'agent clone',
  'agent delete',
  'agent default',
  'agent export',
  'run',
  'chat',
];
const namesServer = ['show', 'test', 'sign-in', 'sign-out', 'accept', 'remove'].map((word) => `mcp-server ${word}`);

interface Choice {
  value: string;
  description: string;
}

/** Adds `completion SHELL`, and the hidden `complete -- WORDS…` that shells call for completions. */
export async function addCompletion(context: CliContext, program: Command, args: readonly string[]): Promise<void> {
  if (args[0] === 'completion' && args[1] === 'bash') {
    const print = () => void context.stdout.write(bashCompletion);
    program.command('completion').argument('<shell>').action(print);
    return;
  }
  const root = tab(program, { completionCommandName: 'completion' });
  if (args[0] !== 'complete') return;
  if (['agent', 'mcp', 'run', 'chat'].some((word) => args.includes(word)))
    proposeAgents(root, await agentChoices(context));
  if (args.includes('tool')) proposeTools(root, await toolChoices(context));
  if (args.includes('mcp-server')) proposeNames(root, namesServer, await serverChoices(context));
  if (args.includes('provider'))
    proposeNames(
      root,
      ['provider models', 'provider key', 'provider test', 'provider remove'],
      await providerChoices(context),
    );
  if (args.includes('new')) proposeTemplates(root, await templateChoices());
}

function proposeAgents(root: RootCommand, choices: readonly Choice[]): void {
  const handler = propose(choices);
  for (const path of namesAgent) {
    for (const argument of root.commands.get(path)?.arguments.values() ?? []) {
      if (argument.name.startsWith('name') || argument.name === 'agent') argument.handler = handler;
    }
  }
  const option = root.commands.get('mcp')?.options.get('agent');
  if (option) option.handler = handler;
}

function proposeTools(root: RootCommand, choices: readonly Choice[]): void {
  proposeNames(root, ['tool test', 'tool call'], choices);
}

function proposeNames(root: RootCommand, paths: readonly string[], choices: readonly Choice[]): void {
  for (const path of paths) {
    const argument = root.commands.get(path)?.arguments.get('name');
    if (argument) argument.handler = propose(choices);
  }
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

/** Returns no names on errors, because a completion cannot show them. */
async function agentChoices(context: CliContext): Promise<Choice[]> {
  try {
    return await withHub(context, { quiet: true, canAsk: false }, async (hub) =>
      hub.agents.list().map(({ id, description }) => ({ value: id, description })),
    );
  } catch {
    return [];
  }
}

async function toolChoices(context: CliContext): Promise<Choice[]> {
  try {
    return await withHub(context, { quiet: true, canAsk: false }, async (hub) =>
      hub.tools.list().map(({ name, description }) => ({ value: name, description })),
    );
  } catch {
    return [];
  }
}

async function serverChoices(context: CliContext): Promise<Choice[]> {
  try {
    return await withHub(context, { quiet: true, canAsk: false }, async (hub) =>
      (await hub.servers.open()).list().map(({ name, definition }) => ({
        value: name,
        description: definition.transport === 'stdio' ? definition.command : definition.url,
      })),
    );
  } catch {
    return [];
  }
}

async function providerChoices(context: CliContext): Promise<Choice[]> {
  try {
    return await withHub(context, { quiet: true, canAsk: false }, async (hub) =>
      (await hub.models.providers()).map(({ name, type }) => ({ value: name, description: type })),
    );
  } catch {
    return [];
  }
}

async function templateChoices(): Promise<Choice[]> {
  const { agentTemplates } = await import('../agents/templates.ts');
  return agentTemplates.map(({ id, description }) => ({ value: id, description }));
}

/**
 * Replaces the library's script, which needs the package bash-completion, cannot be sourced twice, and runs `$(…)` while it
 * is being typed. `zoo complete -- WORDS…` prints lines of value and description, and a last line `:NUMBER`.
 */
const bashCompletion = `# bash completion for zoo: source <(zoo completion bash)
__zoo_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" line value
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      # Bit 4 of the number: file names make no sense here.
      :*) if (((\${line#:} & 4) != 0)); then compopt +o default 2>/dev/null; fi ;;
      *)
        value="\${line%%$'\\t'*}"
        if [[ -n $value && $value == "$current"* ]]; then COMPREPLY+=("$value"); fi
        ;;
    esac
  done < <(zoo complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F __zoo_complete zoo
`;
