/** The file that `zoo init` writes: all settings with their defaults. A test loads it. */
export const starterConfig = `# Agent Zoo: settings and agents of this folder. Agents are reloaded whenever you save this file.
# Other settings take effect when "zoo serve" or "zoo mcp" starts.
#
# A value can contain an environment variable: "\${MY_VARIABLE}". If it is not set, that is an error.
# Write "$\${MY_VARIABLE}" for the literal text. Paths are relative to this file.
#
# Sections that run, connect or send something need your consent when they are new or changed: "zoo trust".

[db]
# The SQLite file for everything that is not in this file: agents created in the web app, their memories,
# chats, runs, the team, added MCP servers and the index of the knowledge base.
# Default: zoo.sqlite in ~/.agent-zoo (or in $AGENT_ZOO_HOME), which all folders share.
# To give this folder its own data, remove the # from the next line.
# path = "./data/zoo.sqlite"

# PostgreSQL instead of SQLite, to share one database between machines. Overrides the environment variable
# DATABASE_URL, which overrides "path".
# url = "\${DATABASE_URL}"
# The connections to PostgreSQL that this process has at most.
# max_connections = 6
# Behind a pooler in transaction mode: an address of the server itself, for notices of changes.
# listen_url = "\${DIRECT_DATABASE_URL}"
# Or a NATS server that carries these notices.
# bus_url = "nats://nats.example:4222"
# Whether statements are prepared. Default: true, unless there is a pooler.
# prepare = true

[server]
# The address of "zoo serve", HOST:PORT. Beyond loopback, it needs "cert" and "key", or "public_url" and "trusted_proxies".
# bind = "127.0.0.1:7331"
# What callers without a key may do on loopback: "none", "use" or "work". Beyond loopback, it is always "none".
# anonymous = "use"
# The files of a certificate and its private key (PEM), to serve HTTPS. They are read again when they change.
# cert = "./tls/cert.pem"
# key = "./tls/key.pem"
# The address that browsers and clients use, if it is another one, and the addresses of the proxies that serve it.
# public_url = "https://zoo.example"
# trusted_proxies = ["10.0.0.0/8"]
# Beyond loopback: requests per second of a caller and of an address, and wrong credentials per minute. 0: no limit.
# caller_limit = 100
# address_limit = 200
# failure_limit = 10
# How many seconds a hub that was told to stop still serves, while GET /ready sends new requests to other replicas.
# drain_seconds = 0

# An agent. The part after "agents." is its id: up to 64 letters, digits, - and _.
# You can also write [agents.inline.NAME].
[agents.code-reviewer]
# The display name. Default: the id.
name = "Code Reviewer"
# One line that helps users to choose an agent.
description = "Reviews code changes and says what matters first"
version = "1.0.0"
# "interactive", "autonomous" or "tools".
mode = "interactive"
# The tools in its scope: names, or patterns with *. "zoo mcp --agent code-reviewer" offers only these.
tools = ["agent_zoo_*"]
# The instructions. {focus} is replaced by the argument "focus".
system_prompt = """
You are a senior code reviewer. Look at {focus} first.
Name the file and line, say what is wrong, and show what would be right.
Begin with what could break; leave taste for last.
"""
# Files and URLs that clients get with the prompt: embedded up to a budget in tokens, or as links.
context_refs = []
context_budget = 4000
# When to ask you before a tool runs: "always", "never", or "tool" (if it can change something or send data off the machine).
tool_permission = "tool"
# The model for runs of this agent, as "provider/model", and its settings.
# model = "ollama/llama3.2"
# model_settings = { temperature = 0.2 }

# An argument that users can fill in.
[[agents.code-reviewer.arguments]]
name = "focus"
description = "What to look at first, such as error handling"
required = false

# Skills are parts of the prompt that you can turn on and off. Each category has a color.
[[agents.code-reviewer.skill_categories]]
id = "care"
name = "Care"
color = "#0f766e"

[[agents.code-reviewer.skills]]
name = "Errors first"
category = "care"
enabled = true
description = "Follow each failure to the place where it is handled, and name those that nobody handles."

# Adds passages from the knowledge base to the prompt. {focus} is replaced here, too.
# [[agents.code-reviewer.knowledge]]
# query = "coding conventions {focus}"
# source = "git:platform"
# limit = 3

# Agents whose prompt is built by code. "zoo agent init NAME" creates one in Lua, or in TypeScript with --ts.
# All other keys are passed to the script.
# [agents.script.incident-responder]
# path = "agents/incident-responder.lua"
# timeout = 30
# allow_env = []
# allow_hosts = []
# [agents.code.db-expert]
# path = "agents/db-expert.ts"

# A tool in Lua. "zoo tool init NAME" creates one.
# [tools.script.create_ticket]
# path = "tools/create_ticket.lua"

# Document sources, indexed by "zoo sync". "zoo connector init NAME" creates a source in Lua.
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
# [connectors.s3.runbooks]
# bucket = "acme-docs"
# prefix = "engineering/"
# region = "us-east-1"
# endpoint_url = "http://localhost:9000"
# [connectors.script.tickets]
# path = "connectors/tickets.lua"

# The size of passages, in tokens.
# [chunking]
# max_tokens = 700
# overlap_tokens = 80

# Search settings. hybrid_alpha is the weight of meaning against words.
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
# index = "memory"

# The tools that team members may call, by type: SUPERVISOR, ORCHESTRATOR, WORKER. Each list replaces the
# default one. "deny" overrides "allow", and everything else is denied.
# [permissions.WORKER]
# allow = ["mcp__mail__*", "mcp__agent__*", "mcp__system__log_decision", "mcp__task__*"]
# deny = ["mcp__task__create", "mcp__task__assign"]

# When a member is stalled, when a task has waited too long, and how long a repeated failure is not mailed again.
# [team]
# stalled_after_secs = 1800
# waiting_after_secs = 86400
# escalation_window_secs = 600
# reconcile_every_secs = 30

# How long the decision log is kept (default: forever), environment variables whose values are never written, and a webhook that
# also receives the anchors of the log.
# [log]
# keep_days = 90
# secret_env = []
# anchor_webhook = "NAME"

# How long unused chats and agent runs are kept (0: forever). Default: forever; for runs, as in [log].
# [chats]
# keep_days = 90
# [runs]
# keep_days = 90

# Where to send events such as mail.sent.
# [events.webhooks.pager]
# url = "https://pager.example/hooks/zoo"
# secret = "\${ZOO_WEBHOOK_SECRET}"
# events = ["mail.sent"]
# [events.inngest]
# event_key = "\${INNGEST_EVENT_KEY}"

# External MCP servers, by command or URL. Their tools are named mcp__NAME__TOOL.
# [mcp_servers.files]
# command = "npx"
# args = ["-y", "@modelcontextprotocol/server-filesystem", "."]
# exclude = ["write_*", "edit_*", "move_*"]
# trust = "first-use"   # tools that are new or changed later need your approval; "ask": all tools do; "always": none do
# trust_hints = false   # true: tools that the server calls read-only need no approval
# start = "first-use"   # or "boot"
# [mcp_servers.api]
# url = "https://mcp.example.com/mcp"
# auth = { type = "bearer", token = "\${EXAMPLE_TOKEN}" }

# Model providers. OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_API_KEY and OLLAMA_HOST in the environment need no section.
# They go only to the provider's own address; name a variable in api_key to send it to a base_url.
# [providers.local]
# type = "openai-compatible"
# base_url = "http://127.0.0.1:8080/v1"
# api_key = "\${LOCAL_KEY}"

# Agent runs: the default model, and the limits of one run.
# [engine]
# model = "openai/gpt-5"
# max_ticks = 10
# max_tokens = 200000
# max_cost = 1.0
# after_untrusted = "ask"      # once an agent has read text from outside, calls that can send or destroy something: "ask", "allow" or "deny"
# ask_before_memory = false    # true: agents also ask before they write to their memory

# Remote agents that speak A2A. The tool a2a_send_message sends them messages.
# [a2a.peers.travel]
# url = "https://agents.example/travel"
# bearer = "\${TRAVEL_TOKEN}"
`;

/** The section that `zoo agent init --toml` adds to a config. */
export function agentSection(name: string, description: string): string {
  return `[agents.${name}]
description = ${quote(description)}
tools = []
system_prompt = """
You are ${name}. Describe the agent here: its role, its work and its style.
"""
`;
}

/** Quotes a text as a TOML basic string. */
function quote(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
