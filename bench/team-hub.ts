import { z } from 'zod';
import { createHub, defineAgent, defineTool, loadConfig, serveHttp } from '../src/index.ts';
import { NewMember } from '../src/team/members/member.ts';

/** A served hub with a tool that does nothing and a member that may call it: prints its port and the member's token. */
const [folder = '', url] = process.argv.slice(2);
const hub = await createHub({
  config: await loadConfig({ cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder }),
  ...(url && { db: { url } }),
  watch: false,
  agents: [defineAgent({ name: 'idle', tools: ['noop'] })],
  tools: [
    defineTool({
      name: 'noop',
      description: 'Does nothing.',
      input: z.strictObject({ text: z.string().max(1_000) }),
      run: ({ text }) => ({ text }),
    }),
  ],
});
const { token } = await hub.team.members.add(NewMember.parse({ id: 'worker', agent: 'idle' }));
const server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
process.stdout.write(`${token}\n${server.port}\n`);
process.on('SIGTERM', async () => {
  await server.close();
  await hub.close();
});
