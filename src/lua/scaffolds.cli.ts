/** The files that `zoo agent|tool|connector init` write. Tests run them unchanged. */

export function luaAgent(name: string, description: string): string {
  return `-- An agent of Agent Zoo. "zoo agent test ${name} --arg topic=…" shows the prompt that a client would get.

agent = {}

agent.name = ${luaText(name)}
agent.description = ${luaText(description)}

-- The tools in its scope: names, or patterns with *.
agent.tools = { "search", "get" }

-- The arguments that users can fill in.
agent.arguments = {
  { name = "topic", description = "What the conversation is about", required = false },
}

-- Builds the prompt for a conversation.
-- args: the arguments, by name. config: the other keys of this agent's section in the config.
-- context: search({ query, mode, limit, filters }), get(id) and sources() read the knowledge base.
function agent.resolve(args, config, context)
  local passages = ""
  if args.topic then
    local found = context.search({ query = args.topic, limit = config.search_limit or 3 })
    for _, result in ipairs(found) do
      passages = passages .. "\\n\\n## " .. result.title .. "\\n" .. result.passage.text
    end
  end

  return {
    system = "You are ${name}. Describe the agent here: its role, its work and its style." .. passages,
    -- messages = { { role = "assistant", content = "How can I help?" } },
  }
end

return agent
`;
}

export function typeScriptAgent(name: string, description: string): string {
  return `// An agent of Agent Zoo. "zoo agent test ${name} --arg topic=…" shows the prompt that a client would get.
// Imports only types, so the file also runs where the package is not installed.
import type { CodeAgentDefinition } from 'agent-zoo';

const agent: CodeAgentDefinition = {
  name: ${JSON.stringify(name)},
  description: ${JSON.stringify(description)},
  // The tools in its scope: names, or patterns with *.
  tools: ['search', 'get'],
  // The arguments that users can fill in.
  arguments: [{ name: 'topic', description: 'What the conversation is about' }],

  // Builds the prompt for a conversation. context has search, get and sources of the knowledge base, a signal that
  // aborts when the prompt is no longer needed, and config: the other keys of this agent's section in the config.
  async resolve(args, context) {
    const found = args.topic ? await context.search(args.topic, { limit: 3 }) : [];
    const passages = found.map(({ title, passage }) => \`\\n\\n## \${title}\\n\${passage.text}\`);
    return {
      system: \`You are ${name}. Describe the agent here: its role, its work and its style.\${passages.join('')}\`,
    };
  },
};

export default agent;
`;
}

export function luaTool(name: string, description: string): string {
  return `-- A tool of Agent Zoo. "zoo tool test ${name} --param text=hello" runs it.

tool = {}

tool.name = ${luaText(name)}
tool.description = ${luaText(description)}

-- Validated before the script runs. type: string, number, integer, boolean, array or object.
tool.parameters = {
  { name = "text", type = "string", description = "What to look at", required = true },
}

-- These hints describe this example. Without them, the tool counts as one that changes data.
tool.annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false }

-- params: the values, by name. context.config: the other keys of this tool's section in the config.
-- context.search, context.get and context.sources read the knowledge base. http, json, env, fs and crypto are available.
function tool.execute(params, context)
  local _, words = params.text:gsub("%S+", "")
  return { characters = utf8.len(params.text), words = words }
end

return tool
`;
}

export function luaConnector(name: string): string {
  return `-- A source of documents for Agent Zoo. "zoo connector test ${name}" lists its documents; "zoo sync script:${name}" indexes them.

connector = {}

-- Returns all current documents. A document that is missing in the next scan is removed.
-- config: the other keys of this source's section in the config.
function connector.scan(config)
  return {
    {
      source_id = "welcome",
      title = "Welcome",
      body = "# Welcome\\n\\nReplace this with documents from http.get or fs.read.",
      content_type = "text/markdown",
      updated_at = "2026-01-31T08:00:00Z",
      -- source_url = "https://example.com/welcome", tags = { "example" }, metadata = { team = "docs" },
    },
  }
end

return connector
`;
}

/** A Lua string on one line. */
function luaText(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be escaped in the source.
  return `"${escaped.replace(/[\u0000-\u001f\u007f]/g, (each) => `\\${String(each.charCodeAt(0)).padStart(3, '0')}`)}"`;
}
