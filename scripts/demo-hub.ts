import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAgent, deleteAgent, updateAgent } from '../src/agents/edit-agents.ts';
import { agentTemplates } from '../src/agents/templates.ts';
import { dayMs } from '../src/base/clock.ts';
import { ownerCaller } from '../src/callers/callers.ts';
import { createHub, type Hub, loadConfig, serveHttp } from '../src/index.ts';
import { addWaitingChat, stepsOfChats } from './demo-chats.ts';
import { demoClock } from './demo-clock.ts';
import { demoDocuments, demoScript } from './demo-knowledge.ts';
import { addOfferedTools } from './demo-offered-tools.ts';
import { startDemoModel, stepsOfRuns } from './demo-runs.ts';
import { demoServers } from './demo-servers.ts';
import { addTeam, demoTools, keepWorking, startReceiver, untilDelivered } from './demo-team.ts';
import { addUsage } from './demo-usage.ts';

export interface DemoHub {
  url: string;
  hub: Hub;
  /** The folder of its database. */
  dataDir: string;
  close(): Promise<void>;
}

/** Starts a hub with agents, a history, a brain, a knowledge base and, on request, a team, external servers and runs, for screenshots. */
export async function startDemoHub({ withTeam = false } = {}): Promise<DemoHub> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-demo-'));
  const receiver = withTeam ? await startReceiver() : undefined;
  const model = withTeam ? await startDemoModel() : undefined;
  const servers = withTeam ? await demoServers(folder) : undefined;
  writeFiles(folder, {
    'zoo.toml': [demoConfig, receiver?.toml, model?.toml, servers?.toml].join('\n'),
    'agents/runbook-reader.lua': demoScript,
  });
  writeFiles(join(folder, 'team'), demoDocuments);
  const env = { AGENT_ZOO_HOME: join(folder, 'data'), ...servers?.env };
  const clock = demoClock();
  if (withTeam) clock.goBack(1_560);
  const config = await loadConfig({ explicitFile: 'zoo.toml', cwd: folder, env, home: folder });
  const hub = await createHub({ config, clock, tools: withTeam ? demoTools : [] });
  for (const [id, ...tags] of [
    ['code-reviewer', 'code', 'review'],
    ['architect', 'code'],
    ['incident-responder', 'operations'],
    ['writer', 'words'],
    ['test-engineer', 'code'],
    ['security-auditor', 'code', 'review', 'security'],
  ] as const) {
    const template = agentTemplates.find((each) => each.id === id);
    const context = id === 'writer' && { contextRefs: demoContext, contextBudget: 300 };
    if (template) await createAgent(hub, { ...template.agent, id, tags, ...context });
  }
  await createAgent(hub, { id: 'retired', name: 'Retired', systemPrompt: 'You rest.' });
  await deleteAgent(hub, 'retired', null);
  await addHistory(hub);
  await addBrain(hub);
  await addKnowledge(hub, folder);
  await addKeys(hub);
  let rest = () => {};
  if (model) {
    await servers?.add(hub);
    await allowServers(hub);
    // One sequence of steps, so that everything that the hub records is in the order of time.
    await addTeam(hub, clock, [...stepsOfRuns(hub, model, clock), ...stepsOfChats(hub, model)]);
    await hub.knowledge.sync({ target: 'all' });
    hub.startTeam();
    await untilDelivered(hub);
    await addUsage(hub);
    await addOfferedTools(hub, model);
    await addWaitingChat(hub, model);
    rest = keepWorking(hub);
  }
  const server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  return {
    url: server.url,
    hub,
    dataDir: env.AGENT_ZOO_HOME,
    async close() {
      rest();
      await server.close();
      await hub.close();
      await receiver?.close();
      await model?.server.close();
      await servers?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function addKeys({ callers }: Hub): Promise<void> {
  const use = async (secret: string) => callers.identify({ headers: { authorization: `Bearer ${secret}` } });
  await use((await callers.createKey({ name: 'Claude Code' })).secret);
  await use((await callers.createKey({ name: 'Nightly report', agent: 'code-reviewer' })).secret);
  await callers.createKey({ name: 'Codex' });
}

async function addHistory(hub: Hub): Promise<void> {
  const { agent, revision } = await hub.agents
    .get('code-reviewer')
    .then((entry) => ({ agent: entry.agent, revision: entry.revision ?? null }));
  const { source: _, ...fields } = agent;
  await updateAgent(hub, agent.id, {
    input: {
      ...fields,
      systemPrompt: `${fields.systemPrompt}\n\nWhen two conventions conflict, say so and ask which one applies.`,
      skills: fields.skills.map((skill, index) => (index === 1 ? { ...skill, enabled: !skill.enabled } : skill)),
    },
    expectedRevision: revision,
  });
}

async function addBrain(hub: Hub): Promise<void> {
  const entries = [
    {
      type: 'decision',
      content: 'Errors have a code from one table; each surface translates them.',
      tags: ['errors'],
      pinned: true,
    },
    {
      type: 'note',
      content: 'The payments module has no tests for refunds above the limit.',
      tags: ['payments', 'tests'],
    },
    { type: 'milestone', content: 'All handlers validate input before the first write.', tags: ['validation'] },
    {
      type: 'summary',
      content: 'Reviewed 14 changes this week. Most comments were about names; two were real bugs in retry code.',
      tags: ['weekly'],
    },
  ];
  for (const entry of entries) {
    await hub.execute({
      caller: ownerCaller('cli'),
      tool: 'agent_zoo_create_brain_entry',
      input: { agentId: 'code-reviewer', ...entry },
    });
  }
}

/** Adds a source from the config, a source from the web app, and an agent primed with both. */
async function addKnowledge(hub: Hub, folder: string): Promise<void> {
  await hub.knowledge.addSource({
    type: 'filesystem',
    name: 'services',
    settings: { root: join(folder, 'team/services') },
  });
  await hub.knowledge.sync({ target: 'all' });
  const { agent } = await hub.agents.get('incident-responder');
  const { source: _, ...fields } = agent;
  const knowledge = [
    { query: '{service} runbook roll back', source: 'filesystem:handbook', limit: 2 },
    { query: 'during an incident', tags: ['people'], limit: 1 },
  ];
  await updateAgent(hub, agent.id, { input: { ...fields, knowledge }, expectedRevision: null });
}

/** Lets an agent use the tools of the external servers. */
async function allowServers(hub: Hub): Promise<void> {
  const { agent } = await hub.agents.get('incident-responder');
  const { source: _, ...fields } = agent;
  const tools = [...fields.tools, 'mcp__memory__*', 'mcp__everything__*', 'mcp__files__write_file'];
  await updateAgent(hub, agent.id, {
    input: { ...fields, model: 'office/zebra-large', tools },
    expectedRevision: null,
  });
}

/** The files are older than everything that the hub knows of them. */
function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  const writtenAt = new Date(Date.now() - 3 * dayMs);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), writtenAt, writtenAt);
  }
}

/** One that is embedded, one that is too long, and one that is gone. */
const demoContext = ['team/handbook/releases.md', 'team/runbooks/payments.md', 'team/handbook/style.md'];

const demoConfig = `
[context]
folders = ["team"]

[agents.release-notes]
description = "Turns merged changes into release notes for users"
tags = ["words"]
tools = ["agent_zoo_*"]
system_prompt = """
You write release notes. Lead with what users can do now, then list changes and fixes.
"""

[[agents.release-notes.skills]]
name = "One line each"
description = "One sentence per change."

[agents.script.runbook-reader]
path = "agents/runbook-reader.lua"

[chunking]
max_tokens = 90
overlap_tokens = 0

[connectors.filesystem.handbook]
root = "team"
exclude_globs = ["services/**"]
`;
