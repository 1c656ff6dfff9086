import { homedir } from 'node:os';
import { join } from 'node:path';
import { AgentRegistry } from './agents/agent-registry.ts';
import { agentResources } from './agents/agent-resources.ts';
import type { AgentEntry } from './agents/agent-source.ts';
import type { AgentStore } from './agents/agent-store.ts';
import { agentTools } from './agents/agent-tools.ts';
import type { BrainStore } from './agents/brain.ts';
import { brainTools } from './agents/brain-tools.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { Deadlines } from './base/deadlines.ts';
import type { HubError } from './base/hub-error.ts';
import { type Lazy, lazy, once } from './base/lazy.ts';
import { type Logger, silentLogger } from './base/logger.ts';
import type { Metrics } from './base/metrics.ts';
import type { SourceProblem } from './base/source.ts';
import { silentTracer, type Tracer } from './base/tracer.ts';
import type { Chats } from './chats/chats.ts';
import { agentFiles } from './config/agent-files.ts';
import { codeAgentSource } from './config/code-agents.ts';
import { configDocument } from './config/config-document.ts';
import { type LoadedConfig, loadConfig } from './config/load-config.ts';
import { scriptSections } from './config/script-sections.ts';
import { serverSections } from './config/server-sections.ts';
import { tomlAgentSource } from './config/toml-agents.ts';
import { type NamedFile, withFiles } from './config/with-files.ts';
import type { Run } from './engine/run-ticks.ts';
import { a2aTools } from './hub/a2a-tools.ts';
import { agentCallTools } from './hub/agent-call-tools.ts';
import type { ServedAgent } from './hub/agent-tools-mode.ts';
import { forwardChanges } from './hub/forward-changes.ts';
import { hubMetrics } from './hub/hub-metrics.ts';
import { type LazyServers, lazyServers } from './hub/lazy-servers.ts';
import { lazyTeam } from './hub/lazy-team.ts';
import { learningVault } from './hub/learning-vault.ts';
import { tellOfFailure } from './hub/member-calls.ts';
import { openKnowledge } from './hub/open-knowledge.ts';
import { type CallerClaim, resolveCaller } from './hub/resolve-caller.ts';
import type { RunAgentRequest } from './hub/run-agent.ts';
import type { Sessions } from './hub/sessions.ts';
import type { Knowledge } from './knowledge/knowledge.ts';
import { knowledgeResources } from './knowledge/knowledge-resources.ts';
import { knowledgeTools } from './knowledge/knowledge-tools.ts';
import { lazySandbox } from './lua/lazy-sandbox.ts';
import { luaAgentSource } from './lua/lua-agents.ts';
import { luaTools } from './lua/lua-tools.ts';
import { metadataCache } from './lua/metadata-cache.ts';
import type { LanguageModels } from './models/language-models.ts';
import type { ResourceProvider } from './resources/resource.ts';
import { ResourceRegistry } from './resources/resource-registry.ts';
import { openStore } from './store/open-store.ts';
import type { ReadyCheck, Store } from './store/store.ts';
import type { Team } from './team/team.ts';
import type { Caller } from './tools/caller.ts';
import type { DecisionHistory } from './tools/decision-log.ts';
import { executeTool, type PipelineParts, refuseCall, type ToolCall, type ToolOutcome } from './tools/execute-tool.ts';
import { learningRedact, type Redact } from './tools/redact.ts';
import type { Tool } from './tools/tool.ts';
import { ToolRegistry } from './tools/tool-registry.ts';
import { version } from './version.ts';

export interface HubOptions {
  /** What `loadConfig` found; by default what the command `zoo` would find here. */
  config?: LoadedConfig;
  /** Another database than the config's. */
  db?: { path: string } | { url: string };
  /** Agents, tools and resources written in code. */
  agents?: readonly AgentEntry[];
  /** Agent files beside those that the config names. */
  agentFiles?: readonly NamedFile[];
  tools?: readonly Tool[];
  resources?: readonly ResourceProvider[];
  clock?: Clock;
  logger?: Logger;
  /** False for commands that answer once and end. */
  watch?: boolean;
}

/** Everything a surface needs, already wired. Surfaces translate; they decide nothing. */
export interface Hub {
  readonly version: string;
  readonly config: LoadedConfig;
  readonly store: Store;
  readonly agents: AgentRegistry;
  readonly agentStore: AgentStore;
  readonly brain: BrainStore;
  readonly knowledge: Knowledge;
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
  readonly decisions: DecisionHistory;
  readonly team: Team;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Takes known secrets out of what is kept or told. */
  readonly redact: Redact;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** For requests that do the hub's own work. */
  readonly deadlines: Deadlines;
  /** The external MCP servers, opened when config or store name one, or somebody asks. */
  readonly servers: Pick<LazyServers, 'open' | 'discover' | 'changes'>;
  /** The language models of config, environment and vault. */
  readonly models: LanguageModels;
  /** Lets an agent work with its model and the tools of its scope, each call by `execute`. */
  runAgent(request: RunAgentRequest): Promise<Run>;
  /** Conversations with agents. */
  readonly sessions: Lazy<Sessions>;
  /** Conversations that are kept. */
  readonly chats: Chats;
  /** A Tools-mode agent as a server: its own tools, each call by the same pipeline. Throws AGENT_NOT_FOUND, INVALID_AGENT_STATE. */
  serveAgent(agentId: string): Promise<ServedAgent>;
  /** Whether the hub can work now: database, migrations, disk. Never throws, and takes two seconds at most. */
  ready(): Promise<ReadyCheck[]>;
  /** What a person should repair: in the storage, in the config, in files, two agents with one id. */
  problems(): SourceProblem[];
  /** The one way to run a tool. */
  execute(call: ToolCall): Promise<ToolOutcome>;
  /** For a call that has no caller to be judged: it is answered with the error, and leaves its row in the log. */
  refuse(call: ToolCall, error: HubError): Promise<ToolOutcome>;
  /** Every tool that a list may show, with those of the team, which `tools` has only once a member was there. */
  allTools(): Promise<Tool[]>;
  /** Who calls, as the pipeline judges it. Throws PERMISSION_DENIED, AGENT_NOT_FOUND, INVALID_ARGUMENTS. */
  resolveCaller(claim: CallerClaim): Promise<Caller>;
  /** The caller of a member, by its token: `resolveCaller` for programs that use the library. */
  memberCaller(surface: Caller['surface'], proof: { token?: string; agentId?: string }): Promise<Caller>;
  /** Delivers events and looks after what is stalled, until the hub is closed. */
  startTeam(): void;
  close(): Promise<void>;
}

/** Opens the store, loads every source and wires the rooms. The only file that sees all adapters. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { clock = systemClock, logger = silentLogger } = options;
  const config = options.config ?? (await loadConfig({ cwd: process.cwd(), env: process.env, home: homedir() }));
  const { redact, learn } = learningRedact(config.secrets);
  const store = await openStore({
    db: options.db ?? config.config.db,
    clock,
    logger,
    redact,
    dataDir: config.dataDir,
    secret: config.lookUp('AGENT_ZOO_SECRET'),
  });
  const tracer = await openTracer(config, { clock, logger });
  const document = configDocument({ loaded: config, watch: options.watch ?? true, logger });
  const sandbox = lazySandbox();
  const host = { logger, clock, lookUp: config.lookUp };
  const { knowledge, problems: sourceProblems } = await openKnowledge({
    document,
    store: store.knowledge,
    clock,
    logger,
    toScriptConnector: async (script) =>
      (await import('./lua/lua-connector.ts')).luaConnector(script, { sandbox, host }),
    onChange: () => tellOfProblems(),
  });
  const sections = scriptSections(document);
  const metadata = metadataCache(join(config.dataDir, 'cache', 'scripts.json'));
  const scripts = { sandbox, host: { ...host, knowledge, metadata } };
  const files = agentFiles(withFiles(sections.files, options.agentFiles ?? []), serverSections(document));
  const sources = [
    tomlAgentSource(document),
    files.source,
    luaAgentSource({ ...scripts, sections: sections.agents }),
    codeAgentSource({ logger, sections: sections.code }),
    // Files before the store: what a person keeps under version control wins a quarrel about an id.
    store.agents.source,
  ];
  const agents = new AgentRegistry(sources, { knowledge });
  for (const entry of options.agents ?? []) agents.register(entry);

  const tools = new ToolRegistry({ logger });
  const builtIn = [...agentTools(agents), ...brainTools(agents, store.brain), ...knowledgeTools(knowledge)];
  tools.register(...builtIn, ...(options.tools ?? []));
  await Promise.all([agents.refresh(), tools.add(luaTools({ ...scripts, sections: sections.tools }))]);

  const vault = learningVault(store.vault, learn);
  const external = lazyServers({
    document,
    fileServers: files.servers,
    store: store.servers,
    logger,
    open: async () => {
      const { openServers } = await import('./hub/open-servers.ts');
      const isLasting = options.watch ?? true;
      return openServers({
        document,
        fileServers: files.servers,
        store,
        vault,
        tools,
        clock,
        logger,
        redact,
        learn,
        isLasting,
      });
    },
  });
  await external.start();

  const resources = new ResourceRegistry();
  for (const provider of [
    agentResources(agents, store.brain),
    knowledgeResources(knowledge),
    ...(options.resources ?? []),
  ])
    resources.register(provider);
  const stopForwarding = forwardChanges({ agents, brain: store.brain, knowledge, resources });

  const stopWatchingStore = store.watchProblems(tellOfProblems);
  tools.problemChanges.on(tellOfProblems);

  /** No agent changed, but perhaps what there is to repair. */
  function tellOfProblems(): void {
    agents.changes.emit({ changed: [], removed: [] });
  }

  const counted = hubMetrics({ version, agents, tools, servers: () => external.opened });
  // What most processes never use is loaded with the first question to it.
  const models = lazy(once(async () => (await import('./hub/open-models.ts')).openModels({ config, vault, clock })));
  const loadSessions = once(async () => (await import('./hub/sessions.ts')).createSessions(hub, counted.run));
  const sessions = lazy(loadSessions, { close: async () => (await loadSessions.begun)?.close() });
  const loadChats = once(async () => (await import('./hub/open-chats.ts')).openChats(hub));
  const chats: Chats = lazy(loadChats, {
    async *events(...[id, following]: Parameters<Chats['events']>) {
      yield* (await loadChats()).events(id, following);
    },
    close: async () => (await loadChats.begun)?.close(),
  });
  const loadTeam = once(async () => {
    const { openTeam } = await import('./hub/open-team.ts');
    return openTeam({ config, store, agents, clock, logger, redact, chats });
  });
  const team = lazyTeam(loadTeam);
  const loadTeamTools = once(async () => {
    const [whole, { teamTools }] = await Promise.all([loadTeam(), import('./team/team-tools.ts')]);
    tools.register(...teamTools(whole, { clock, decisions: store.decisions, redact }));
  });
  const loadTeamWithTools = async () => {
    await loadTeamTools();
    return loadTeam();
  };
  const loadToolsMode = once(async () => (await import('./hub/agent-tools-mode.ts')).createToolsMode(hub, parts));
  const deadlines = new Deadlines();
  const parts: PipelineParts = {
    tools,
    decisions: store.decisions,
    clock,
    logger,
    redact,
    tracer,
    observe(observed) {
      counted.call(observed);
      // Names and outcomes only: what is said is in the decision log, without secrets.
      logger.debug(observed, 'a tool call ended');
    },
    deadlines,
    answers: team.answers,
    onFailure: async ({ call, callId, error, wasAccepted }) => {
      const { member } = call.caller;
      if (member) await tellOfFailure(team, member.id, { tool: call.tool, callId, error, wasAccepted });
    },
  };
  const callTools = agentCallTools({
    agents,
    ask: async (agentId, { message, arguments: given, context }) =>
      (await import('./hub/ask-agent.ts')).askAgent({ hub, agentId, prompt: message, arguments: given, context }),
  });
  const peerTools = a2aTools({ document, agents, clock, logger, learn, chats });
  const running: { close(): Promise<void> }[] = [];
  const hub: Hub = {
    version,
    config,
    store,
    agents,
    agentStore: store.agents,
    brain: store.brain,
    knowledge,
    tools,
    resources,
    decisions: store.decisions,
    team,
    clock,
    logger,
    redact,
    metrics: counted.metrics,
    deadlines,
    tracer,
    servers: external,
    models,
    sessions,
    chats,
    runAgent: async (request) => (await import('./hub/run-agent.ts')).runAgent(sessions, request),
    async serveAgent(agentId) {
      const [mode, entry] = await Promise.all([loadToolsMode(), agents.get(agentId)]);
      return mode.serve(entry);
    },
    ready: () => store.readiness(),
    problems: () => [
      ...store.problems(),
      ...config.problems,
      ...sourceProblems(),
      ...agents.problems(),
      ...tools.problems(),
    ],
    execute: (call) => executeTool(parts, call),
    refuse: (call, error) => refuseCall(parts, call, error),
    async allTools() {
      await loadTeamTools();
      return tools.list().filter((tool) => !tool.isHidden);
    },
    resolveCaller: (claim) => resolveCaller({ agents, openTeam: loadTeamWithTools }, claim),
    memberCaller: (surface, proof) => hub.resolveCaller({ surface, proof }),
    startTeam() {
      if (running.length === 0) running.push(team.events.start(), team.health.start());
    },
    async close() {
      await Promise.all(running.map((each) => each.close()));
      stopWatchingStore();
      stopForwarding();
      await chats.close();
      await sessions.close();
      await external.close();
      await knowledge.close();
      await sandbox.close();
      await agents.close();
      await tools.close();
      await metadata.close();
      await document.close();
      await store.close();
      await tracer.close();
    },
  };
  await Promise.all([tools.add(callTools), tools.add(peerTools)]);
  return hub;
}

/** Traces go where the environment says; most hubs have none, and load nothing for them. */
async function openTracer(config: LoadedConfig, parts: { clock: Clock; logger: Logger }): Promise<Tracer> {
  const names = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (!names.some((name) => config.lookUp(name))) return silentTracer;
  const { createTracer } = await import('./telemetry/otlp-tracer.ts');
  return createTracer(config.lookUp, { ...parts, version });
}
