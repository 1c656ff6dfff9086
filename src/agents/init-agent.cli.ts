import { HubError } from '../base/hub-error.ts';
import { parseWith } from '../base/validate.ts';
import { type ConfigOption, withHub } from '../cli/open-hub.ts';
import { type CliContext, printLine } from '../cli/terminal/context.ts';
import { UsageError } from '../cli/terminal/report-error.ts';
import { addSection, type NewSection } from '../config/add-section.cli.ts';
import { sectionWords } from '../config/agents/parse-toml-agents.ts';
import { agentSection } from '../config/zoo-toml.cli.ts';
import { luaAgent, typeScriptAgent } from '../lua/scaffolds.cli.ts';
import { Agent, AgentId } from './agent.ts';

export interface InitOptions extends ConfigOption {
  description?: string;
  lua?: boolean;
  toml?: boolean;
  ts?: boolean;
}

/** `zoo agent init`: writes a Lua script, a TypeScript file or an inline section. Throws CONFLICT if the id is taken. */
export async function initAgent(context: CliContext, name: string, options: InitOptions): Promise<void> {
  if (!AgentId.safeParse(name).success || sectionWords.includes(name)) {
    throw new UsageError(
      `"${name.slice(0, 80)}" is not a valid name for an agent. Use 1–64 letters, digits, - and _ (not ${sectionWords.join(', ')}), such as sre-helper.`,
    );
  }
  if ([options.lua, options.toml, options.ts].filter(Boolean).length > 1) {
    throw new UsageError('Choose only one of --lua, --toml and --ts.');
  }
  const description = options.description ?? 'Says in one line what this agent is for';
  // Validates first, so that only valid agents are written.
  parseWith(Agent, { id: name, name, description, source: 'toml' }, { what: 'Nothing was written' });
  const loaded = await withHub(context, { ...options, quiet: true }, async (hub) => {
    const taken = hub.agents.findEntry(name);
    if (taken)
      throw new HubError('CONFLICT', `Agent "${name}" already exists in ${taken.definedIn}. Choose another name.`);
    return hub.config;
  });
  await addSection(context, loaded, newAgent(name, description, options));
  printLine(context, `\nEdit it, then test it: zoo agent test ${name}`);
}

function newAgent(name: string, description: string, { toml, ts }: InitOptions): NewSection {
  if (toml) return { section: agentSection(name, description) };
  const path = `agents/${name}.${ts ? 'ts' : 'lua'}`;
  return {
    section: `[agents.${ts ? 'code' : 'script'}.${name}]\npath = "${path}"\ntimeout = 30\n`,
    file: { path, text: ts ? typeScriptAgent(name, description) : luaAgent(name, description) },
  };
}
