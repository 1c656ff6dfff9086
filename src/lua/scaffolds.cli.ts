/** What `zoo agent|tool|connector init` write. Each works as it is; tests run them. */

export function luaAgent(name: string, description: string): string {
  return `-- An agent of Agent Zoo. "zoo agent test ${name} --arg topic=…" shows the prompt a client would get.

agent = {}

agent.name = ${luaText(name)}
agent.description = ${luaText(description)}

-- The tools in its scope, as names or patterns with *.
agent.tools = { "search", "get" }

-- What a person can say when choosing the agent.
agent.arguments = {
  { name = "topic", description = "What the conversation is about", required = false },
}

-- Builds the prompt for a conversation.
-- args: what the person said, by name. config: the other keys of this agent's section in the config.
-- context: search({ query, mode, limit, filters }), get(id) and sources() of the knowledge base.
function agent.resolve(args, config, context)
  local passages = ""
  if args.topic then
    local found = context.search({ query = args.topic, limit = config.search_limit or 3 })
    for _, result in ipairs(found) do
      passages = passages .. "\\n\\n## " .. result.title .. "\\n" .. result.passage.text
    end
  end

  return {
    system = "You are ${name}. Say here who the agent is, what it does and how it answers." .. passages,
    -- messages = { { role = "assistant", content = "How can I help?" } },
  }
end

return agent
`;
}

export function typeScriptAgent(name: string, description: string): string {
  return `// An agent of Agent Zoo. "zoo agent test ${name} --arg topic=…" shows the prompt a client would get.
// Only types are imported, and Node leaves them out: the file runs with and without the package beside it.
import type { CodeAgentDefinition } from 'agent-zoo';

const agent: CodeAgentDefinition = {
  name: ${JSON.stringify(name)},
  description: ${JSON.stringify(description)},
  // The tools in its scope, as names or patterns with *.
  tools: ['search', 'get'],
  // What a person can say when choosing the agent.
  arguments: [{ name: 'topic', description: 'What the conversation is about' }],

  // Builds the prompt for a conversation. context: search, get and sources of the knowledge base, the signal that
  // ends when nobody waits any more, and config: the other keys of this agent's section in the config.
  async resolve(args, context) {
    const found = args.topic ? await context.search(args.topic, { limit: 3 }) : [];
    const passages = found.map(({ title, passage }) => \`\\n\\n## \${title}\\n\${passage.text}\`);
    return {
      system: \`You are ${name}. Say here who the agent is, what it does and how it answers.\${passages.join('')}\`,
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

-- Checked before the script runs. type: string, number, integer, boolean, array or object.
tool.parameters = {
  { name = "text", type = "string", description = "What to look at", required = true },
}

-- True of this example; without them a tool counts as one that changes things.
tool.annotations = { readOnlyHint = true, destructiveHint = false, idempotentHint = true, openWorldHint = false }

-- params: the values, by name. context.config: the other keys of this tool's section in the config.
-- context.search, context.get and context.sources ask the knowledge base; http, json, env, fs and crypto are there too.
function tool.execute(params, context)
  local _, words = params.text:gsub("%S+", "")
  return { characters = utf8.len(params.text), words = words }
end

return tool
`;
}

export function luaConnector(name: string): string {
  return `-- A source of documents for Agent Zoo. "zoo connector test ${name}" shows what it finds, "zoo sync script:${name}" keeps it.

connector = {}

-- Returns every document that is there now; one that is missing next time is removed.
-- config: the other keys of this source's section in the config.
function connector.scan(config)
  return {
    {
      source_id = "welcome",
      title = "Welcome",
      body = "# Welcome\\n\\nReplace this with what http.get or fs.read find.",
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not stand in the source as they are.
  return `"${escaped.replace(/[\u0000-\u001f\u007f]/g, (each) => `\\${String(each.charCodeAt(0)).padStart(3, '0')}`)}"`;
}
