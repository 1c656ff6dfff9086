import { createHub, defineTool } from 'agent-zoo';
import { z } from 'zod';
import releaseNotes from './release-notes.ts';

const listChanges = defineTool({
  name: 'list_changes',
  description: 'Lists the changes since the last release.',
  annotations: { readOnlyHint: true },
  input: z.strictObject({}),
  output: z.object({ changes: z.array(z.string()) }),
  // A real tool would ask git.
  run: () => ({ changes: ['feat: export agents as YAML', 'fix: refuse expired tokens'] }),
});

const model = process.env.ZOO_MODEL;
if (!model) throw new Error('Set ZOO_MODEL to a model, such as openai/gpt-5.');

const hub = await createHub({ db: { path: ':memory:' }, agents: [releaseNotes], tools: [listChanges] });
try {
  const run = await hub.runAgent({
    agentId: 'release-notes',
    arguments: { audience: 'system administrators' },
    model,
    input: 'Write the notes for today.',
  });
  for await (const event of run.events) {
    if (event.type === 'tool.called') console.log(event.tool);
    if (event.type === 'text') process.stdout.write(event.delta);
  }
  process.stdout.write('\n');
} finally {
  await hub.close();
}
