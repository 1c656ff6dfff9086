import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentRegistry } from './agents/agent-registry.ts';
import { agentResources } from './agents/agent-resources.ts';
import type { AgentEntry } from './agents/agent-source.ts';
import type { AgentStore } from './agents/agent-store.ts';
import { agentTools } from './agents/agents.tools.ts';
import type { Changes } from './base/changes.ts';
import type { Clock } from './base/clock.ts';
import { Deadlines } from './base/deadlines.ts';
import type { DoorSettings } from './base/door-settings.ts';
import { type Lazy, lazy, once } from './base/lazy.ts';
import { type Logger, silentLogger } from './base/logger.ts';
import type { Metrics } from './base/metrics.ts';
import type { SourceProblem } from './base/source.ts';
import { silentTracer, type Tracer } from './base/tracer.ts';
import { brainTools } from './brain/brain.tools.ts';
import type { BrainStore } from './brain/brain.ts';
import { type BeyondLoopback, type Callers, createCallers } from './callers/create-callers.ts';
import type { Chats } from './chats/chats.ts';
import { configDocument } from './config/config-document.ts';
import { doorSettings } from './config/door-settings.ts';
import { type LoadedConfig, loadConfig } from './config/load-config.ts';
import { type NamedFile, scriptSections } from './config/script-sections.ts';
import type { ReadyCheck } from './db/readiness.ts';
import { actRecorder, type RecordsActs } from './decisions/record-act.ts';
import type { Run } from './engine/run-ticks.ts';
import { a2aTools } from './hub/a2a-tools.ts';
import { agentCallTools } from './hub/agent-call-tools.ts';
import type { createToolsMode, ServedAgent } from './hub/agent-tools-mode.ts';
import { type Calls, escalateFailures, openCalls } from './hub/calls.ts';
import { hubChanges } from './hub/hub-changes.ts';
import { hubMetrics } from './hub/hub-metrics.ts';
import { type LazyServers, lazyServers } from './hub/lazy-servers.ts';
import { lazyTeam } from './hub/lazy-team.ts';
import { learningVault } from './hub/learning-vault.ts';
import { openAgents } from './hub/open-agents.ts';
import type { openChats } from './hub/open-chats.ts';
import { openKnowledge } from './hub/open-knowledge.ts';
import type { openModels } from './hub/open-models.ts';
import { sendAnchors } from './hub/send-anchors.ts';
import type { RunAgentRequest, SessionParts, Sessions } from './hub/sessions.ts';
import type { openAppSettings } from './hub/settings/app-settings.ts';
import { liveConfig } from './hub/settings/live-config.ts';
import { agentSuggestions, type DefaultAgent } from './hub/suggest-agent.ts';
import { type UserCalls, userCalls } from './hub/user-calls.ts';
import type { Connector } from './knowledge/connector.ts';
import { knowledgeTools } from './knowledge/knowledge.tools.ts';
import type { Knowledge } from './knowledge/knowledge.ts';
import { knowledgeResources } from './knowledge/knowledge-resources.ts';
import { luaTools } from './lua/lua-tools.ts';
import { metadataCache } from './lua/metadata-cache.ts';
import { lazySandbox } from './lua/sandbox/lazy-sandbox.ts';
import type { ChosenEmbeddings } from './models/embeddings/chosen-embeddings.ts';
import type { LanguageModels } from './models/language-models.ts';
import type { ResourceProvider } from './resources/resource.ts';
import { ResourceRegistry } from './resources/resource-registry.ts';
import type { AppSettings } from './settings/app-settings.ts';
import { openStore, type StoreAddress } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import type { Team } from './team/team.ts';
import type { Caller } from './tools/caller.ts';
import type { DecisionHistory } from './tools/decision-log.ts';
import { learningRedact, type Redact } from './tools/redact/redact.ts';
import type { Tool } from './tools/tool.ts';
import { ToolRegistry } from './tools/tool-registry.ts';
import { UsageMeter } from './usage/meter-calls.ts';
import { version } from './version.ts';

export interface HubOptions {
  /** The loaded config. Default: the one that the command `zoo` would find in this folder. */
  config?: LoadedConfig;
  /** Overrides the database of the config. */
  db?:
    | { path: string }
    | (Pick<StoreAddress, 'listen_url' | 'bus_url' | 'max_connections' | 'prepare'> & { url: string });
  /** Agents defined in code. */
  agents?: readonly AgentEntry[];
  /** Agent files in addition to those in the config. */
  agentFiles?: readonly NamedFile[];
  tools?: readonly Tool[];
  /** Document sources defined in code. */
  connectors?: readonly Connector[];
  resources?: readonly ResourceProvider[];
  clock?: Clock;
  logger?: Logger;
  /** False for commands that do one thing and exit. */
  watch?: boolean;
}

/** Everything that the surfaces (MCP, HTTP, command line, library) need, already wired. */
export interface Hub extends Calls, UserCalls, RecordsActs {
  readonly version: string;
  readonly config: LoadedConfig;
  readonly store: Store;
  readonly agents: AgentRegistry;
  readonly agentStore: AgentStore;
  readonly brain: BrainStore;
  readonly knowledge: Knowledge;
  readonly tools: ToolRegistry;
  readonly resources: ResourceRegistry;
  /** Reports changes made by this or another process. */
  readonly changes: Changes;
  readonly decisions: DecisionHistory;
  readonly team: Team;
  /** Who may call: the owner, clients, members and callers without a credential. */
  readonly callers: Callers;
  /** The same callers for a server that others can reach over the network: no rights without a credential. */
  callersBeyondLoopback(options: BeyondLoopback): Callers;
  /** How the config wants the hub to be reached. */
  readonly door: DoorSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Removes known secrets from text. */
  readonly redact: Redact;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** Time limits for requests that the hub answers itself. */
  readonly deadlines: Deadlines;
  /** The external MCP servers. They are opened on first use, or at once if the config or the store names one. */
  readonly servers: Pick<LazyServers, 'open' | 'opened' | 'discover' | 'changes'>;
  /** The language models of the providers in config, environment and vault. */
  readonly models: LanguageModels;
  /** The embeddings for search by meaning. */
  readonly embeddings: Pick<ChosenEmbeddings, 'choice' | 'preview' | 'choose'>;
  /** Runs an agent with its model and the tools in its scope. Every tool call goes through `execute`. */
  runAgent(request: RunAgentRequest): Promise<Run>;
  /** Open conversations with agents. */
  readonly sessions: Lazy<Sessions>;
  /** The settings as the app and the command line show and change them. */
  readonly settings: AppSettings;
  /** Counts model calls and enforces budgets. */
  readonly usage: Pick<UsageMeter, 'budgets' | 'flush'>;
  /** Stored conversations. */
  readonly chats: Chats;
  /** Returns a Tools-mode agent with the tools it exposes. Throws AGENT_NOT_FOUND, INVALID_AGENT_STATE. */
  serveAgent(agentId: string): Promise<ServedAgent>;
  /** Checks database, migrations and disk. Never throws, and takes at most two seconds. */
  ready(): Promise<ReadyCheck[]>;
  /** Returns the agent that clients in a folder are offered first. */
  defaultAgent(folder: string): Promise<DefaultAgent | undefined>;
  /** Returns `[workspace] agent`, which may not exist. */
  configuredAgent(): Promise<string | undefined>;
  /** Describes the parts of the config that do not apply until the user trusts them; empty if there are none. */
  heldProblems(): SourceProblem[];
  /** Lists problems for the user to fix: in the storage, the config and files, and duplicate ids. */
  problems(): SourceProblem[];
  /** Adds the problems of a surface to the list, until they are removed. */
  addProblems(problems: () => SourceProblem[]): { changed(): void; remove(): void };
  /** Returns all visible tools, including those of the team, which `tools` lacks until a member has called. */
  allTools(): Promise<Tool[]>;
  /** Identifies a member by its token, for programs that use the library. */
  memberCaller(surface: Caller['surface'], proof: { token?: string; agentId?: string }): Promise<Caller>;
  /** Delivers events and looks for stalled members until the hub is closed. */
  startTeam(): void;
  close(): Promise<void>;
}

/** Opens the store, loads all sources and wires the parts together. This is the only file that knows all adapters. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { logger = silentLogger, watch = true } = options;

  // Config, secrets, storage and traces
  const config = options.config ?? (await loadConfig({ cwd: process.cwd(), env: process.env, home: homedir() }));
  const { redact, learn } = learningRedact(config.secrets);
  const { dataDir, lookUp } = config;
  const db = options.db ?? config.config.db;
  const secret = lookUp('AGENT_ZOO_SECRET');
  const store = await openStore({ db, clock: options.clock, logger, redact, dataDir, secret });
  const { clock } = store;
  const vault = learningVault(store.vault, learn);
  const tracer = await openTracer(config, { clock, logger });
  const document = configDocument({ loaded: config, watch, logger });
  const live = await liveConfig({ document, settings: store.settings, vault, learn, logger });
  const shared = { config, clock, logger, redact, learn, store, vault, tracer, document, live };

  // Knowledge, agents and resources
  const sections = scriptSections(document);
  const sandbox = lazySandbox();
  const metadata = metadataCache(join(dataDir, 'cache', 'scripts.json'));
  const host = { logger, clock, lookUp };
  const models = lazyModels(shared);
  const { knowledge, embeddings, ...sources } = await openKnowledge({
    ...shared,
    models,
    sandbox,
    host,
    connectors: options.connectors ?? [],
    onChange: emitProblems,
  });
  const scripts = { sandbox, host: { ...host, knowledge, metadata } };
  const { agents, fileServers } = openAgents({ ...shared, sections, scripts, knowledge, additional: options });
  const suggestions = agentSuggestions({ ...shared, agents });
  const builtInResources = [agentResources(agents, store.brain), knowledgeResources(knowledge)];
  const resources = new ResourceRegistry([...builtInResources, ...(options.resources ?? [])]);
  const tools = new ToolRegistry({ logger });

  // Parts that are loaded on first use, because most processes never use them
  const servers = lazyServers({ ...shared, fileServers, tools, isLasting: watch });
  const chats = lazyChats(() => ({ ...shared, agents, tools, knowledge, servers, sessions, models }));
  const { team, ...teamParts } = lazyTeam({ ...shared, agents, chats, tools });
  const usage = new UsageMeter(shared);
  const sessions = lazySessions(() => ({
    ...shared,
    ...calls,
    agents,
    tools,
    servers,
    models,
    hubMetrics: counters,
    usage,
  }));
  const toolsMode = lazyToolsMode(() => ({ agents, sessions, pipeline }));

  // The pipeline that every tool call goes through
  const counters = hubMetrics({ version, agents, tools, servers, store, logger });
  const deadlines = new Deadlines();
  const { decisions } = store;
  const { answers } = team;
  const listeners = { observe: counters.call, onFailure: escalateFailures(team) };
  const pipeline = { tools, decisions, clock, logger, redact, tracer, deadlines, answers, ...listeners };
  const calls = openCalls({ agents, openTeam: teamParts.withTools }, pipeline);

  // Open connections keep their rights, so a change takes effect with the next start.
  const { anonymous } = live.current.server;
  const { keys, installationKeys } = store;
  const callerParts = { store: keys, members: team.members, installationKeys, anonymous, clock, logger };
  const callers = createCallers(callerParts);

  // Tools
  const builtInTools = [
    ...agentTools(agents, suggestions.suggest),
    ...brainTools(agents, store.brain),
    ...knowledgeTools(knowledge),
  ];
  tools.register(...builtInTools, ...(options.tools ?? []));
  await Promise.all([agents.refresh(), tools.add(luaTools({ ...scripts, sections: sections.tools }))]);
  await servers.start();
  await tools.add(agentCallTools({ agents, sessions, clock }));
  await tools.add(a2aTools({ ...shared, agents, chats }));

  // Changes and problems
  const anchors = sendAnchors({ live, decisions, clock, logger });
  const changes = hubChanges({ ...shared, agents, tools, resources, knowledge, servers });
  const stops = [
    store.watchProblems(emitProblems),
    tools.problemChanges.on(emitProblems),
    document.watch(emitProblems),
  ];
  const problemSources: { problems(): readonly SourceProblem[] }[] = [
    store,
    document,
    sources,
    agents,
    suggestions,
    tools,
  ];
  const parts = [
    changes,
    chats,
    sessions,
    usage,
    servers,
    embeddings,
    knowledge,
    sandbox,
    agents,
    tools,
    metadata,
    live,
    document,
    store,
    anchors,
    tracer,
  ];

  /** Makes listeners read the problems again. No agent has changed. */
  function emitProblems(): void {
    agents.changes.emit({ changed: [], removed: [] });
  }

  return {
    ...calls,
    version,
    config,
    store,
    agents,
    agentStore: store.agents,
    brain: store.brain,
    knowledge,
    tools,
    resources,
    changes,
    decisions,
    team,
    callers,
    callersBeyondLoopback: (beyondLoopback) => createCallers({ ...callerParts, beyondLoopback }),
    door: doorSettings(config),
    clock,
    logger,
    redact,
    metrics: counters.metrics,
    deadlines,
    tracer,
    servers,
    models,
    embeddings,
    sessions,
    settings: lazySettings(shared),
    chats,
    runAgent: sessions.run,
    usage,
    serveAgent: toolsMode.serve,
    defaultAgent: suggestions.defaultAgent,
    configuredAgent: suggestions.configuredAgent,
    ready: store.readiness,
    heldProblems: document.heldProblems,
    problems: () => problemSources.flatMap((source) => [...source.problems()]),
    addProblems(problems) {
      const source = { problems };
      problemSources.push(source);
      return {
        changed: emitProblems,
        remove: () => void problemSources.splice(problemSources.indexOf(source), 1),
      };
    },
    async allTools() {
      await teamParts.loadTools();
      return tools.list().filter((tool) => !tool.isHidden);
    },
    callAsUser: userCalls(calls, teamParts),
    recordAct: actRecorder({ decisions, clock, redact }),
    memberCaller: async (surface, proof) =>
      calls.resolveCaller({ surface, member: await team.members.identify(proof) }),
    startTeam: teamParts.start,
    async close() {
      await teamParts.close();
      for (const stop of stops) stop();
      for (const part of parts) await part.close();
    },
  };
}

function lazyModels(parts: Parameters<typeof openModels>[0]): LanguageModels {
  return lazy(once(async () => (await import('./hub/open-models.ts')).openModels(parts)));
}

function lazySettings(parts: Parameters<typeof openAppSettings>[0]): AppSettings {
  return lazy(once(async () => (await import('./hub/settings/app-settings.ts')).openAppSettings(parts)));
}

function lazySessions(parts: () => SessionParts): Lazy<Sessions> {
  return lazy(once(async () => (await import('./hub/sessions.ts')).createSessions(parts())));
}

function lazyToolsMode(parts: () => Parameters<typeof createToolsMode>[0]) {
  return lazy(once(async () => (await import('./hub/agent-tools-mode.ts')).createToolsMode(parts())));
}

function lazyChats(parts: () => Parameters<typeof openChats>[0]): Chats {
  const load = once(async () => (await import('./hub/open-chats.ts')).openChats(parts()));
  return lazy(load, {
    async *events(...[id, options]: Parameters<Chats['events']>) {
      yield* (await load()).events(id, options);
    },
  });
}

/** Exports traces if an OpenTelemetry endpoint is set in the environment. Loads no tracing code otherwise. */
async function openTracer(config: LoadedConfig, parts: { clock: Clock; logger: Logger }): Promise<Tracer> {
  const names = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  if (!names.some((name) => config.lookUp(name))) return silentTracer;
  const { createTracer } = await import('./telemetry/otlp-tracer.ts');
  return createTracer(config.lookUp, { ...parts, version });
}
