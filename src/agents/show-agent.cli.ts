import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, colorsFor, printJson, printLine } from '../cli/terminal/context.ts';
import { printableLine } from '../cli/terminal/text-width.ts';
import type { Agent } from './agent.ts';
import { compilePrompt, enabledSkills } from './compile-prompt.ts';
import { findAgent } from './find-agent.cli.ts';
import { byPriority } from './prompt-item.ts';
import { indent, sourceText } from './test-agent.cli.ts';

/** `zoo agent show`: prints an agent and its compiled prompt. */
export function showAgent(
  context: CliContext,
  name: string,
  options: ConfigOption & { json?: boolean },
): Promise<void> {
  return withHub(context, options, async (hub) => {
    const entry = await findAgent(hub, name);
    const granted = (await hub.store.grants.list(entry.agent.id)).map(({ tool }) => tool);
    // Code and scripts build their own prompt, which is known only by running them.
    const compiled = entry.resolve ? { text: null, warnings: [] } : compilePrompt(entry.agent);
    if (options.json) {
      const { text, warnings } = compiled;
      return printJson(context, {
        ...entry.agent,
        place: entry.definedIn,
        approvedTools: granted,
        compiledPrompt: text,
        warnings,
      });
    }
    const { bold } = colorsFor(context);
    for (const [label, value] of rowsOf(entry.agent, sourceText(hub.store, entry), granted)) {
      if (value !== '') printLine(context, `${bold(`${label}:`)} ${printableLine(value)}`);
    }
    printSkills(context, entry.agent);
    if (compiled.text === null) {
      return printLine(context, `\nThe prompt is built on request. To see it: zoo agent test ${entry.agent.id}`);
    }
    printLine(context, `\n${bold(`Compiled prompt (${[...compiled.text].length} chars):`)}`);
    printLine(context, indent(compiled.text));
    for (const warning of compiled.warnings) context.stderr.write(`zoo: ${printableLine(warning)}\n`);
  });
}

function rowsOf(agent: Agent, source: string, granted: readonly string[]): [string, string][] {
  const args = agent.arguments.map(({ name, description, required }) =>
    [name, required ? ' (required)' : '', description && `: ${description}`].join(''),
  );
  return [
    ['Agent', agent.id],
    ['Name', agent.name],
    ['Description', agent.description],
    ['Version', agent.version],
    ['Mode', agent.mode],
    ['Source', source],
    ['Tools', agent.tools.join(', ') || 'none'],
    ['Arguments', args.join('; ')],
    ['Exposes', agent.exposes.map((tool) => tool.name).join(', ')],
    ['Rules', itemsOf(agent.rules)],
    ['References', itemsOf(agent.references)],
    ['Context', agent.contextRefs.join(', ')],
    ['Model', agent.model ?? ''],
    ['Model settings', Object.keys(agent.modelSettings).length > 0 ? JSON.stringify(agent.modelSettings) : ''],
    ['Tool permission', agent.toolPermission],
    ['Always approved', granted.join(', ')],
  ];
}

function itemsOf(items: Agent['rules']): string {
  return byPriority(items)
    .map(({ name, include }) => `${name} (${include})`)
    .join(', ');
}

function printSkills(context: CliContext, agent: Agent): void {
  if (agent.skills.length === 0) return;
  const { bold } = colorsFor(context);
  const category = new Map(agent.skillCategories.map(({ id, name }) => [id, name]));
  printLine(context, bold(`Skills (${agent.skills.length}):`));
  const active = new Set(enabledSkills(agent));
  for (const skill of agent.skills) {
    const group = skill.categoryId === null ? '' : ` [${category.get(skill.categoryId) ?? skill.categoryId}]`;
    const needs = skill.requires?.length ? ` (requires ${skill.requires.join(', ')})` : '';
    printLine(context, `  ${active.has(skill) ? 'on ' : 'off'}  ${printableLine(skill.name + group + needs)}`);
  }
}
