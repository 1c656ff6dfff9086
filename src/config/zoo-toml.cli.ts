/** What `zoo init` writes: every setting of this version, with its default. A test loads it. */
export const starterConfig = `# Agent Zoo: settings and agents of this folder. Agents are read again whenever this file is saved;
# the other settings when "zoo serve" or "zoo mcp" starts.
#
# A value may name an environment variable: "\${MY_VARIABLE}". One that is not set is an error.
# Write "$\${MY_VARIABLE}" for the text itself. Paths are relative to this file.

[db]
# The SQLite file with what is not in this file: agents made in the web app, what they remember, chats,
# runs, the team, added MCP servers and the index of the knowledge base.
# Default: zoo.sqlite in ~/.agent-zoo (or in $AGENT_ZOO_HOME), one for all folders: they share all of that.
# Without the # in front, the next line gives this folder data of its own.
# path = "./data/zoo.sqlite"

# PostgreSQL instead, for several machines on one database. Wins over the environment variable
# DATABASE_URL, which wins over "path".
# url = "\${DATABASE_URL}"

[server]
# Where "zoo serve" listens, HOST:PORT. Only addresses of this machine are accepted.
# bind = "127.0.0.1:7331"

# An agent. The word after "agents." is its id: letters, digits, - and _, at most 64.
# [agents.inline.NAME] is another way to write [agents.NAME].
[agents.code-reviewer]
# What people see; the id when it is left out.
name = "Code Reviewer"
# One line that helps to choose an agent.
description = "Reviews code changes and says what matters first"
version = "1.0.0"
# "interactive", "autonomous" or "tools".
mode = "interactive"
# The tools in its scope, as names or patterns with *. "zoo mcp --agent code-reviewer" shows only these.
tools = ["agent_zoo_*"]
# The instructions. {focus} is filled from the argument of that name.
system_prompt = """
You are a senior code reviewer. Look at {focus} first.
Name the file and line, say what is wrong, and show what would be right.
Begin with what could break; leave taste for last.
"""
# Files, folders or addresses that belong to its work.
context_refs = []
# "always", "never" or "tool": when a person is asked before a tool runs.
tool_permission = "tool"
# The model for agents that run here: "provider/model", and settings for it.
# model = "ollama/llama3.2"
# model_settings = { temperature = 0.2 }

# What a person can say when choosing the agent.
[[agents.code-reviewer.arguments]]
name = "focus"
description = "What to look at first, such as error handling"
required = false

# Skills are pieces of the prompt that can be turned off one by one, in groups with a colour.
[[agents.code-reviewer.skill_categories]]
id = "care"
name = "Care"
color = "#0f766e"

[[agents.code-reviewer.skills]]
name = "Errors first"
category = "care"
enabled = true
description = "Follow each failure to the place where it is handled, and name those that nobody handles."

# An agent is primed with passages that a search finds when its prompt is made; {focus} is filled here too.
# [[agents.code-reviewer.knowledge]]
# query = "coding conventions {focus}"
# source = "git:platform"
# limit = 3

# Agents whose prompt a script writes: "zoo agent init NAME" makes one in Lua, with --ts one in TypeScript.
# Every key that is not one of these reaches the script.
# [agents.script.incident-responder]
# path = "agents/incident-responder.lua"
# timeout = 30
# allow_env = []
# allow_hosts = []
# [agents.code.db-expert]
# path = "agents/db-expert.ts"

# A tool in Lua: "zoo tool init NAME" makes one.
# [tools.script.create_ticket]
# path = "tools/create_ticket.lua"

# Where documents come from; "zoo sync" indexes them. "zoo connector init NAME" makes a source in Lua.
# [connectors.filesystem.handbook]
# root = "./handbook"
# include_globs = ["**/*.md"]
# exclude_globs = []
# follow_symlinks = false
# tags = []
# [connectors.git.platform]
# url = "https://github.com/acme/platform.git"
# branch = "main"
# root = "docs/"
# shallow = true
# [connectors.script.tickets]
# path = "connectors/tickets.lua"

# How documents are cut into passages, in tokens.
# [chunking]
# max_tokens = 700
# overlap_tokens = 80

# How passages are found. hybrid_alpha weighs meaning against words.
# [retrieval]
# final_limit = 12
# hybrid_alpha = 0.4
# candidate_k_keyword = 80
# candidate_k_vector = 80

# Search by meaning: "disabled", "local", "openai", "ollama" or "openai-compatible".
# [embedding]
# provider = "disabled"
# batch_size = 64
# max_retries = 5
# timeout_secs = 30

# What members of the team may call, by their type: SUPERVISOR, ORCHESTRATOR, WORKER. A list that is given takes
# the place of the default one; what is denied is denied, what is not allowed is denied.
# [permissions.WORKER]
# allow = ["mcp__mail__*", "mcp__agent__*", "mcp__system__log_decision", "mcp__task__*"]
# deny = ["mcp__task__create", "mcp__task__assign"]

# When a member counts as stalled, a task as waiting too long, and the same fault as told already.
# [team]
# stalled_after_secs = 1800
# waiting_after_secs = 86400
# escalation_window_secs = 600
# reconcile_every_secs = 30

# How long the decision log is kept (without keep_days: for ever), and variables whose values are never written.
# [log]
# keep_days = 90
# secret_env = []

# How long chats that nobody used, and runs of agents, are kept (0, or without keep_days: for ever; runs go by [log], too).
# [chats]
# keep_days = 90
# [runs]
# keep_days = 90

# Where events such as mail.sent go, besides this process.
# [events.webhooks.pager]
# url = "https://pager.example/hooks/zoo"
# secret = "\${ZOO_WEBHOOK_SECRET}"
# events = ["mail.sent"]
# [events.inngest]
# event_key = "\${INNGEST_EVENT_KEY}"

# External MCP servers: their tools are called mcp__NAME__TOOL, within each agent's scope. A command, or an address.
# [mcp_servers.files]
# command = "npx"
# args = ["-y", "@modelcontextprotocol/server-filesystem", "."]
# exclude = ["write_*", "edit_*", "move_*"]
# trust = "first-use"   # what is new or changed later waits for you; "ask" holds back the first list too; "always"
# start = "first-use"   # or "boot"
# [mcp_servers.api]
# url = "https://mcp.example.com/mcp"
# auth = { type = "bearer", token = "\${EXAMPLE_TOKEN}" }

# Whose models agents use. Keys of the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY, OLLAMA_HOST) need no section.
# [providers.local]
# type = "openai-compatible"
# base_url = "http://127.0.0.1:8080/v1"
# api_key = "\${LOCAL_KEY}"

# How agents run: the model of those that name none, and limits of one run.
# [engine]
# model = "openai/gpt-5"
# max_ticks = 10
# max_tokens = 200000
# max_cost = 1.0

# Agents elsewhere that speak A2A: the tool a2a_send_message sends them messages.
# [a2a.peers.travel]
# url = "https://agents.example/travel"
# bearer = "\${TRAVEL_TOKEN}"
`;

/** What `zoo agent init` adds to a config. */
export function agentSection(name: string, description: string): string {
  return `[agents.${name}]
description = ${quote(description)}
tools = []
system_prompt = """
You are ${name}. Say here who the agent is, what it does and how it answers.
"""
`;
}

/** A TOML basic string. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
