import { join } from 'node:path';
import { createHub } from '../src/index.ts';

export const injectParams = { name: 'agent_zoo_inject', arguments: { agentId: 'bench' } };

/** Adds the agent that the benchmarks inject to a data folder. */
export async function makeBenchAgent(home: string): Promise<void> {
  const hub = await createHub({ db: { path: join(home, 'zoo.sqlite') }, watch: false });
  const skills = ['Naming', 'Tests', 'Errors'].map((name, index) => ({
    id: `s${index}`,
    name,
    description: 'Say it once. '.repeat(6),
    categoryId: null,
    enabled: true,
  }));
  await hub.agentStore.create({
    id: 'bench',
    name: 'Bench',
    description: '',
    version: '1.0.0',
    mode: 'interactive',
    systemPrompt: 'You review code against the conventions of the project. '.repeat(4),
    skillCategories: [],
    skills,
    rules: [],
    references: [],
    tools: [],
    arguments: [],
    exposes: [],
    shareContext: false,
    knowledge: [],
    contextRefs: [],
    contextBudget: 4_000,
    model: null,
    modelSettings: {},
    toolPermission: 'tool',
    appearanceSeed: null,
    provider: null,
    iconUrl: null,
    documentationUrl: null,
    tags: [],
    source: 'store',
  });
  await hub.close();
}
