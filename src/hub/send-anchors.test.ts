import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { decision } from '../../test/support/databases/test-decision.ts';
import { silentLogger } from '../base/logger.ts';
import { loadConfig } from '../config/load-config.ts';
import { createHub } from '../hub.ts';
import { openDatabase } from '../store/open-store.ts';

let folder: string;
let server: Server;
let received: { path: string | undefined; headers: Record<string, unknown>; body: string }[];
let status: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'zoo-anchors-'));
  received = [];
  status = 204;
  server = createServer(async (request, response) => {
    received.push({ path: request.url, headers: request.headers, body: await text(request) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(anchors = 'vault') {
  const { port } = server.address() as AddressInfo;
  const hook = `[events.webhooks.vault]\nurl = "http://127.0.0.1:${port}/anchors"\nsecret = "a long secret"\nevents = []\n`;
  const explicitFile = join(folder, 'zoo.toml');
  await writeFile(explicitFile, `[log]\nanchor_webhook = "${anchors}"\n${hook}`);
  const config = await loadConfig({ explicitFile, cwd: folder, env: { AGENT_ZOO_HOME: folder }, home: folder });
  return createHub({ config, watch: false });
}

it('a webhook gets the ends of the chains, signed, and an emptied log is found with what it received', async () => {
  const hub = await open();
  const { db } = hub.config.config;
  await hub.decisions.append(decision('one'));
  await hub.decisions.append(decision('two'));
  await hub.close();
  expect(received).toHaveLength(1);
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  expect(headers).toMatchObject({
    'webhook-id': expect.any(String),
    'webhook-signature': expect.stringMatching(/^v1,/),
  });
  expect(JSON.parse(body)).toMatchObject({ type: 'log.anchored', data: { heads: [expect.arrayContaining([2])] } });

  const kept = join(folder, 'received.jsonl');
  await writeFile(kept, received.map((each) => `${each.body}\n`).join(''));
  const database = await openDatabase(db, silentLogger);
  await database.write(async ({ db: tables }) => {
    await tables.deleteFrom('decision_groups').execute();
    await tables.deleteFrom('decision_chains').execute();
  });
  await database.close();
  // Whoever has the home, too, cannot change what the webhook has received.
  await rm(join(folder, 'decision-log'), { recursive: true });
  const again = await open();
  expect((await again.decisions.verify()).problems).toEqual([]);
  const { problems } = await again.decisions.verify({ anchors: [kept] });
  expect(problems).toMatchObject([{ chainNo: 2, message: expect.stringContaining('is missing') }]);
  await again.close();
});

it('a webhook that was changed or removed in the app counts from then on', async () => {
  const hub = await open();
  await hub.settings.apply({ kind: 'values', values: [{ key: 'log.anchor_webhook', value: 'desk' }] });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/desk`;
  const webhook = { url, events: [], secret: 'another secret' };
  await hub.settings.apply({ kind: 'webhook', name: 'desk', webhook });
  await hub.decisions.append(decision('one'));
  await hub.close();
  expect(received.map(({ path }) => path)).toEqual(['/desk']);

  const next = await open('desk');
  await next.settings.apply({ kind: 'webhook', name: 'desk', webhook: null });
  await next.decisions.append(decision('two'));
  await next.close();
  expect(received).toHaveLength(1);
});

it('a receiver that fails holds up nothing, and gets the ends with the next ones', async () => {
  status = 500;
  const hub = await open();
  await hub.decisions.append(decision('one'));
  await hub.close();
  expect(received).toHaveLength(1);
  status = 204;
  const next = await open();
  await next.decisions.append(decision('two'));
  await next.close();
  expect(received).toHaveLength(2);
});
