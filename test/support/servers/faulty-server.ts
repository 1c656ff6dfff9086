import { z } from 'zod';
import { HubError } from '../../../src/base/hub-error.ts';
import { createLogger } from '../../../src/cli/logger.ts';
import { openHub } from '../../../src/cli/open-hub.ts';
import { processContext } from '../../../src/cli/terminal/context.ts';
import { serveHttp } from '../../../src/http/server/serve.ts';
import { defineTool } from '../../../src/tools/tool.ts';

/** `zoo serve` with tools that fail with their input; prints its URL. */
const said = z.looseObject({ text: z.string() });
const logger = createLogger(processContext(), { level: 'debug', json: true });
const hub = await openHub(processContext(), { watch: false, logger });
hub.tools.register(
  ...[
    tool('fails_unexpectedly', ({ text }) => {
      throw new Error(`It broke at ${text}`, { cause: new Error(`because of ${text}`) });
    }),
    tool('fails_as_expected', ({ text }) => {
      throw new HubError('TOOL_ERROR', `There is no ${text}.`, { details: { text, list: [text] } });
    }),
    tool('fails_for_a_while', ({ text }) => {
      throw new Error(`The connection to ${text} was closed`);
    }),
    tool('refuses', ({ text }) => {
      throw new HubError('INVALID_ARGUMENTS', `text: ${text} is wrong`, {
        details: { issues: [{ path: 'text', message: text }] },
      });
    }),
    tool('answers', (input) => ({ echo: input })),
  ],
);
const server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
process.stdout.write(`serving ${server.url}\n`);
process.on('SIGTERM', async () => {
  await server.close();
  await hub.close();
});

function tool(name: string, run: (input: z.infer<typeof said>) => object) {
  return defineTool({ name, description: 'Fails, for a test.', input: said, run });
}
