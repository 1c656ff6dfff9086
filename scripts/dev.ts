import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

/** Runs the hub, restarted when its code changes, behind the web app with hot reload. */
const root = fileURLToPath(new URL('..', import.meta.url));
const hubAddress = process.env.ZOO_DEV_HUB ?? '127.0.0.1:7331';
const target = `http://${hubAddress}`;

const hub = spawn(
  process.execPath,
  ['--watch-path=src', '--watch-preserve-output', 'bin/zoo.js', 'serve', '--bind', hubAddress],
  { cwd: root, stdio: 'inherit' },
);
const web = await createServer({
  configFile: `${root}/vite.config.ts`,
  server: {
    host: '127.0.0.1',
    // The hub checks Host and Origin, so both have to name the hub.
    proxy: Object.fromEntries(
      ['/api', '/agents', '/tools', '/mcp', '/health', '/openapi.json', '/docs'].map((path) => [
        // Modules of the app share these paths: /api/client.ts, /agents-look/….
        `^${path.replace('.', '\\.')}(?!/[\\w-]+\\.ts)(?:[/?]|$)`,
        { target, changeOrigin: true, headers: { origin: target } },
      ]),
    ),
  },
});
await web.listen();
web.printUrls();

let isEnding = false;
async function end(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  hub.kill('SIGTERM');
  await web.close();
  process.exitCode = code;
}
hub.on('exit', (code) => void end(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0));
