import { Agent } from '../agents/agent.ts';
import type { AgentEntry, AgentSource, ResolveContext } from '../agents/agent-source.ts';
import { parsePrompt } from '../agents/parse-prompt.ts';
import { HubError } from '../base/hub-error.ts';
import { isRecord } from '../base/is-record.ts';
import { fieldIssues } from '../base/validate.ts';
import type { ScriptSection, WatchedSections } from '../config/script-sections.ts';
import { sectionFiles } from '../config/section-files.ts';
import type { KnowledgeReader } from '../knowledge/knowledge.ts';
import { hostFor, jobOf, readMetadata, type Script, type ScriptParts, withLists } from './host/script-host.ts';

/** The agent fields that a script may set. Other fields of its table are ignored. */
const fieldNames = ['description', 'version', 'tags', 'mode', 'model', 'tools', 'arguments', 'knowledge'] as const;
const listNames = ['tags', 'tools', 'arguments', 'knowledge'];

/** `[agents.script.NAME]`: agents written in Lua. A broken script keeps its last valid version. */
export function luaAgentSource(options: ScriptParts & { sections: WatchedSections }): AgentSource {
  const files = sectionFiles<AgentEntry>({
    sections: options.sections,
    async load(section, file) {
      const script: Script = { section, table: 'agent', file };
      const { fields, functions } = await readMetadata(options, script);
      if (!functions.includes('resolve')) {
        throw new HubError(
          'AGENT_ERROR',
          `${section.shown}: agent.resolve must be a function (args, config, context).`,
        );
      }
      const agent = toAgent(section, fields);
      return {
        agent,
        definedIn: section.shown,
        updatedAt: Math.trunc(file.modifiedAt),
        resolve: resolver(options, script, agent),
      };
    },
  });
  return { kind: 'lua', ...files };
}

/** The id is the name of the section. A name in the script is the display name. */
function toAgent(section: ScriptSection, fields: Record<string, unknown>): Agent {
  const agentFields = Object.entries(withLists(fields, listNames)).filter(([key]) =>
    fieldNames.some((name) => name === key),
  );
  const result = Agent.safeParse({
    ...Object.fromEntries(agentFields),
    id: section.name,
    name: fields.name ?? section.name,
    source: 'lua',
  });
  if (result.success) return Object.freeze(result.data);
  const issues = fieldIssues(result.error).map(({ path, message }) =>
    path === 'id' ? `[${section.section}]: the name of an agent ${message}` : `agent.${path}: ${message}`,
  );
  throw new HubError('AGENT_ERROR', `${section.shown}: ${issues.join('; ')}`);
}

function resolver(parts: ScriptParts, script: Script, agent: Agent): NonNullable<AgentEntry['resolve']> {
  const { section } = script;
  return async (args, context) => {
    const returned = await parts.sandbox.run({
      ...jobOf(script),
      call: { name: 'resolve', args: [{ data: args }, { data: section.config }, { context: {} }] },
      signal: context.signal,
      host: hostFor({ ...parts.host, knowledge: readerOf(context) }, section),
    });
    const prompt = isRecord(returned) ? asTexts(withLists(returned, ['tools', 'messages'])) : returned;
    return parsePrompt(agent, prompt, section.shown);
  };
}

/** Converts numbers to text, as Lua does, and treats a message without a role as the assistant's, as Context Harness does. */
function asTexts({ system, messages, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const text = (value: unknown) => (typeof value === 'number' ? String(value) : value);
  const message = (value: unknown) =>
    isRecord(value) ? { role: 'assistant', ...value, content: text(value.content ?? '') } : value;
  return {
    ...rest,
    system: text(system),
    ...(messages !== undefined && { messages: Array.isArray(messages) ? messages.map(message) : messages }),
  };
}

/** Returns the knowledge base of the prompt's context, which may count searches. */
function readerOf(context: ResolveContext): KnowledgeReader {
  const { get, chunks, sources } = context;
  return { search: (request) => context.search(request), get, ...(chunks && { chunks }), sources };
}
