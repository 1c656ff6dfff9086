import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHub, type Hub, loadConfig, serveHttp } from '../../src/index.ts';
import { type DocSample, docSamples, normalise } from '../support/doc-samples.ts';
import {
  type ModelStep,
  type RecordedModelRequest,
  startModelServer,
  type TestModelServer,
} from '../support/model-server.ts';
import { zooScript } from '../support/run-zoo.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
/** As a program that installed the package gets it. */
const library = join(dirname(zooScript), '../dist/index.js');
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

describe.each(documents)('the samples of %s', (document) => {
  const samples = docSamples(join(root, document));
  let folder: string;
  let hub: Hub;
  let server: Awaited<ReturnType<typeof serveHttp>>;
  let env: Record<string, string>;
  let model: TestModelServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'agent-zoo-docs-'));
    await mkdir(join(folder, 'bin'));
    writeCommand('zoo', `exec "${process.execPath}" "${zooScript}" "$@"`);
    // `npx -y PACKAGE …` with the package that is installed here: a test asks nobody on the network.
    const packages = join(root, 'node_modules');
    writeCommand('npx', `shift; name="$1"; shift; exec "${process.execPath}" "${packages}/$name/dist/index.js" "$@"`);
    symlinkSync(packages, join(folder, 'node_modules'));
    model = await startModelServer({ script: answerWithTool });
    env = {
      ...(process.env as Record<string, string>),
      AGENT_ZOO_HOME: join(folder, 'data'),
      OPENAI_COMPATIBLE_BASE_URL: model.url,
      PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
    };
    hub = await createHub({ config: await loadConfig({ cwd: join(folder, 'bin'), env, home: folder }) });
    server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  });

  afterAll(async () => {
    await server.close();
    await hub.close();
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are marked where there are any', () => {
    expect(samples.every((sample) => ['sh', 'ts', 'toml', 'lua'].includes(sample.language))).toBe(true);
  });

  it.each(samples.map((sample) => [`${relative(root, sample.file)}:${sample.line}`, sample] as const))(
    '%s does what it says',
    async (_place, sample) => {
      const printed = await runSample(sample);
      if (sample.prints !== null) expect(normalise(printed)).toContain(normalise(sample.prints));
    },
  );

  function writeCommand(name: string, line: string): void {
    const file = join(folder, 'bin', name);
    writeFileSync(file, `#!/bin/sh\n${line}\n`);
    chmodSync(file, 0o755);
  }

  async function runSample(sample: DocSample): Promise<string> {
    const options = { cwd: folder, env };
    if (sample.language === 'sh') {
      const code = sample.code.replaceAll('http://127.0.0.1:7331', server.url);
      return (
        await run(
          'bash',
          ['-euo', 'pipefail', '-c', code.replaceAll('curl -s ', 'curl -sS --fail-with-body ')],
          options,
        )
      ).stdout;
    }
    if (sample.language === 'lua') {
      const name = /^-- (\S+\.lua)$/.exec(sample.code.split('\n')[0] ?? '')?.[1] ?? '';
      await mkdir(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), sample.code);
      return '';
    }
    if (sample.language === 'toml') {
      writeFileSync(join(folder, 'zoo.toml'), sample.code);
      const { stderr, stdout } = await run('zoo', ['agent', 'list', '--json'], options);
      expect(stderr).toBe('');
      return stdout;
    }
    const file = join(folder, 'sample.ts');
    writeFileSync(file, sample.code.replaceAll("'agent-zoo'", `'${library}'`));
    return (await run(process.execPath, [file], options)).stdout;
  }
});

/** Uses the first tool it is given, if any, and then tells what the tool said. */
function answerWithTool({ body }: RecordedModelRequest): ModelStep {
  const last = body.messages.at(-1);
  const [tool] = body.tools ?? [];
  if (last?.role === 'tool') return { text: `It is ${/\d+(?=\D*$)/.exec(JSON.stringify(last.content))?.[0]}.` };
  if (!tool) return { text: 'Hello.' };
  return { toolCalls: [{ name: tool.function.name, arguments: { a: 2, b: 40 } }] };
}
