import { silentLogger } from '../src/base/logger.ts';
import type { Hub } from '../src/index.ts';
import { openStore } from '../src/store/open-store.ts';
import { endedHolder } from '../test/support/databases/holders.ts';
import { type ModelStep, startModelServer, type TestModelServer } from '../test/support/models/model-server.ts';
import type { DemoClock } from './demo-clock.ts';
import type { DemoStep } from './demo-team.ts';

export interface DemoModel {
  server: TestModelServer;
  toml: string;
}

/** A scripted model with prices for the demo runs. */
export async function startDemoModel(): Promise<DemoModel> {
  const server = await startModelServer({ models: ['zebra-large', 'zebra-small', 'zebra-code', 'owl-embed'] });
  return {
    server,
    toml: `
[providers.office]
type = "openai-compatible"
base_url = "${server.url}"
api_key = "demo-key-of-the-office"

[providers.office.prices."zebra-large"]
input = 2.5
output = 10

[runs]
keep_days = 1
`,
  };
}

interface DemoRun {
  /** Minutes ago. */
  at: number;
  agent: string;
  input: string;
  steps: readonly ModelStep[];
  maxTicks?: number;
}

/** Adds runs that completed, failed, reached a limit and crashed. */
export function stepsOfRuns(hub: Hub, { server }: DemoModel, clock: DemoClock): DemoStep[] {
  const begin = async (run: DemoRun) => {
    server.add(...run.steps);
    const begun = await hub.runAgent({
      agentId: run.agent,
      input: run.input,
      model: 'office/zebra-large',
      approve: () => 'approve',
      ...(run.maxTicks !== undefined && { maxTicks: run.maxTicks }),
    });
    await begun.result;
  };
  return [
    ...demoRuns.map((run) => ({ at: run.at, isLive: true, run: () => begin(run) })),
    { at: 9, run: () => addInterruptedRun(hub, clock) },
    { at: 6, run: () => addCalledRun(hub, clock) },
  ];
}

const usage = (input: number, output: number) => ({ usage: { input, output } });

const demoRuns: readonly DemoRun[] = [
  {
    at: 300,
    agent: 'incident-responder',
    input: 'Which runbook explains how to roll back payments? Note it in the graph for the next shift.',
    steps: [
      {
        text: 'Let me search the knowledge base and check the graph.',
        toolCalls: [
          { id: 'call_a1', name: 'search', arguments: { query: 'roll back payments', limit: 2 } },
          { id: 'call_a2', name: 'mcp__memory__search_nodes', arguments: { query: 'payments' } },
        ],
        ...usage(2_840, 96),
      },
      {
        toolCalls: [
          {
            id: 'call_a3',
            name: 'mcp__memory__create_entities',
            arguments: {
              entities: [
                { name: 'payments', entityType: 'service', observations: ['Rolled back by runbooks/payments.md'] },
              ],
            },
          },
          { id: 'call_a4', name: 'mcp__everything__get-tiny-image', arguments: {} },
        ],
        ...usage(4_410, 118),
      },
      {
        text: 'The payments runbook: roll back with one command, then check the queue. I added this to the graph as an observation on “payments”.',
        ...usage(5_020, 64),
      },
    ],
  },
  {
    at: 120,
    agent: 'incident-responder',
    input: 'Add up the error budget of the last two weeks.',
    steps: [
      {
        toolCalls: [{ id: 'call_b1', name: 'mcp__everything__get-sum', arguments: { a: 'many', b: 3 } }],
        ...usage(2_700, 40),
      },
      {
        text: 'I need the two figures as numbers before I can add them.',
        ...usage(2_950, 41),
      },
    ],
  },
  {
    at: 60,
    agent: 'incident-responder',
    input: 'Search until you find every mention of the old gateway.',
    maxTicks: 2,
    steps: [1, 2].map((step) => ({
      toolCalls: [{ id: `call_c${step}`, name: 'search', arguments: { query: `old gateway ${step}` } }],
      ...usage(2_600 * step, 30),
    })),
  },
  {
    at: 30,
    agent: 'incident-responder',
    input: 'Summarize the open incidents.',
    steps: [{ status: 401, body: { error: { message: 'This key was revoked.' } } }],
  },
];

/** Lets time pass until this many minutes ago. */
function spend(clock: DemoClock, until: number): { startedAt: number; endedAt: number } {
  const startedAt = clock.now();
  clock.goBack(until);
  return { startedAt, endedAt: clock.now() };
}

/** Stores a run that called another agent, and the run of that agent. */
async function addCalledRun({ store: { runs } }: Hub, clock: DemoClock): Promise<void> {
  const model = 'office/zebra-large';
  const used = { inputTokens: 1_920, outputTokens: 240, cachedInputTokens: 0, reasoningTokens: 0 };
  const calledBy = { runId: 'run_demo_caller', callId: 'call_e1', tick: 1 };
  const message = 'Write the report of incident 412 for the customers.';
  const title = 'Close incident 412 and tell the customers.';
  const said = (role: 'user' | 'assistant', text: string) => ({ role, content: [{ type: 'text' as const, text }] });
  const end = {
    status: 'completed' as const,
    reason: 'The model finished its answer.',
    error: null,
    ticks: 1,
    usage: used,
    cost: 0.0072,
    calls: [],
  };
  const asked = { kind: 'model', model, firstAt: null, usage: used, cost: 0.0072, error: null, messages: 1 } as const;
  const prompt = { system: 'You write.', tools: [] };
  const question = said('user', title);
  await runs.begin({ id: calledBy.runId, agentId: 'incident-responder', model, title, messages: [question] });
  const first = { ...asked, step: 1, tick: 1, ...spend(clock, 5.95), prompt };
  const calledAt = clock.now();
  const task = said('user', message);
  await runs.begin({ id: 'run_demo_called', agentId: 'writer', model, title: message, messages: [task], calledBy });
  const written = { ...asked, step: 1, tick: 1, ...spend(clock, 5.85), prompt };
  const report = said('assistant', 'On Tuesday, payments failed for 14 minutes. No money was lost.');
  await runs.finish('run_demo_called', { ...end, messages: [task, report], steps: [written] });
  const call = { kind: 'tool', id: calledBy.callId, tool: 'agent__writer', state: 'finished' } as const;
  const times = { startedAt: calledAt, endedAt: clock.now() };
  const steps = [first, { ...call, step: 2, tick: 1, ...times, used: { usage: used, cost: 0.0072 } }];
  const last = said('assistant', 'The incident is closed, and the report is written.');
  await runs.finish(calledBy.runId, { ...end, messages: [question, last], steps });
}

/** Stores a run of a process that ended between two saves. */
async function addInterruptedRun({ config }: Hub, clock: DemoClock): Promise<void> {
  const { db } = config.config;
  const ended = await openStore({ db, clock, logger: silentLogger, holder: endedHolder() });
  const id = 'run_demo_interrupted';
  const model = 'office/zebra-large';
  const title = 'Move the old tickets into the graph.';
  const question = { role: 'user' as const, content: [{ type: 'text' as const, text: title }] };
  await ended.runs.begin({ id, agentId: 'incident-responder', model, title, messages: [question] });
  const input = { entities: [{ name: 'ticket-881', entityType: 'ticket', observations: ['From the old tracker'] }] };
  const used = { inputTokens: 2_310, outputTokens: 87, cachedInputTokens: 0, reasoningTokens: 0 };
  const cost = 0.0066;
  const asked = { kind: 'model', model, firstAt: null, usage: used, cost, error: null, messages: 1 } as const;
  const prompt = { system: 'You respond to incidents.', tools: [] };
  await ended.runs.save(id, {
    ticks: 1,
    usage: used,
    cost,
    steps: [{ ...asked, step: 1, tick: 1, ...spend(clock, 8.9), prompt }],
    messages: [
      question,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I will add the oldest ticket, then read the graph to see whether it is there.' },
          { type: 'tool_use', id: 'call_d1', name: 'mcp__memory__create_entities', input },
          { type: 'tool_use', id: 'call_d2', name: 'mcp__memory__read_graph', input: {} },
        ],
      },
    ],
    calls: [
      { id: 'call_d1', tool: 'mcp__memory__create_entities', state: 'running' },
      { id: 'call_d2', tool: 'mcp__memory__read_graph', state: 'waiting' },
    ],
  });
  await ended.close();
}
