import { z } from 'zod';
import { createHub, defineAgent, defineTool, serveMcpStdio } from '../src/index.ts';

/** Our server with the given number of tools and prompts, defined in code. */
const [tools = '0', prompts = '0'] = process.argv.slice(2);
const hub = await createHub({
  db: { path: ':memory:' },
  tools: Array.from({ length: Number(tools) }, (_, index) =>
    defineTool({
      name: `echo_${index}`,
      description: 'Echoes its input.',
      input: z.object({ agentId: z.string() }),
      run: (input) => input,
    }),
  ),
  agents: Array.from({ length: Number(prompts) }, (_, index) =>
    defineAgent({ name: `prompt-${index}`, description: 'A prompt.' }),
  ),
});
await serveMcpStdio(hub, { input: process.stdin, output: process.stdout });
await hub.close();
