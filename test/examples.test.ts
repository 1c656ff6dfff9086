import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compilePrompt } from '../src/agents/compile-prompt.ts';
import { configDocument } from '../src/config/config-document.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { tomlAgentSource } from '../src/config/toml-agents.ts';

it('the example configuration loads without a remark and gives both of its agents', async () => {
  const folder = fileURLToPath(new URL('../examples/', import.meta.url));
  const loaded = await loadConfig({ explicitFile: 'zoo.toml', cwd: folder, env: {}, home: folder });
  expect(loaded.problems).toEqual([]);

  const source = tomlAgentSource(configDocument({ loaded, watch: false }));
  const { entries, problems } = await source.snapshot();

  expect(problems).toEqual([]);
  const agents = entries.map((entry) => entry.agent);
  expect(agents.map((agent) => agent.id)).toEqual(['commit-writer', 'api-designer']);
  for (const agent of agents) {
    const { text, warnings } = compilePrompt(agent);
    expect(warnings).toEqual([]);
    for (const skill of agent.skills) expect(text.includes(`### ${skill.name}\n`), skill.name).toBe(skill.enabled);
    for (const argument of agent.arguments) expect(agent.systemPrompt).toContain(`{${argument.name}}`);
  }
});
