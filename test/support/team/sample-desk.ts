import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { root } from '../../../scripts/run-step.ts';
import { createHub, loadConfig, serveHttp } from '../../../src/index.ts';
import { namedConfig, zooScript } from '../command/run-zoo.ts';
import { fillHome } from '../databases/test-database.ts';
import type { DocSample } from '../docs/doc-samples.ts';
import { type ModelServerOptions, startModelServer, type TestModelServer } from '../models/model-server.ts';

const run = promisify(execFile);
const packages = join(root, 'node_modules');
/** The built library, as installed programs import it. */
const library = join(dirname(zooScript), '../dist/index.js');

export interface SampleDesk extends AsyncDisposable {
  folder: string;
  model: TestModelServer;
  /** Runs a sample in the folder and returns what it printed. Throws if it fails. */
  run(sample: DocSample): Promise<string>;
}

/**
 * Opens a temporary folder in which documentation samples run one after the other, with the published command, a served hub
 * and a scripted model. `example` names a folder to copy first; the hub then uses the config in it.
 */
export async function openSampleDesk(options: {
  script: NonNullable<ModelServerOptions['script']>;
  example?: string;
}): Promise<SampleDesk> {
  const { example } = options;
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-docs-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeCommand('node', `exec "${process.execPath}" "$@"`);
  writeCommand('zoo', `exec "${process.execPath}" "${zooScript}" "$@"`);
  // `npx -y PACKAGE …` starts the installed package, so that tests need no network.
  writeCommand('npx', `shift; name="$1"; shift; exec "${process.execPath}" "${packages}/$name/dist/index.js" "$@"`);
  if (example === undefined) symlinkSync(packages, join(folder, 'node_modules'));
  else {
    cpSync(example, folder, { recursive: true, filter: (path) => path !== join(example, 'data') });
    installLibrary();
  }
  const model = await startModelServer({ script: options.script });
  const home = join(folder, 'home');
  await fillHome(home);
  const env: Record<string, string> = {
    ...(process.env as Record<string, string>),
    AGENT_ZOO_HOME: home,
    OPENAI_COMPATIBLE_BASE_URL: model.url,
    ZOO_MODEL: 'openai-compatible/scripted',
    PATH: `${bin}${delimiter}${process.env.PATH}`,
  };
  const cwd = example === undefined ? bin : folder;
  const explicitFile = example === undefined ? undefined : 'zoo.toml';
  const hub = await createHub({ config: await loadConfig({ explicitFile, cwd, env, home: folder }) });
  const server = await serveHttp(hub, { host: '127.0.0.1', port: 0 });
  return {
    folder,
    model,
    run: runSample,
    async [Symbol.asyncDispose]() {
      await server.close();
      await hub.close();
      await model.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  function writeCommand(name: string, line: string): void {
    const file = join(bin, name);
    writeFileSync(file, `#!/bin/sh\n${line}\n`);
    chmodSync(file, 0o755);
  }

  /** Installs the built library, as `npm install agent-zoo` would. */
  function installLibrary(): void {
    const installed = join(folder, 'node_modules', 'agent-zoo');
    mkdirSync(installed, { recursive: true });
    writeFileSync(
      join(installed, 'package.json'),
      '{ "name": "agent-zoo", "type": "module", "exports": "./index.js" }',
    );
    writeFileSync(join(installed, 'index.js'), `export * from '${library}';\n`);
    symlinkSync(join(packages, 'zod'), join(folder, 'node_modules', 'zod'));
  }

  async function runSample(sample: DocSample): Promise<string> {
    if (sample.language === 'toml') writeFileSync(join(folder, 'zoo.toml'), sample.code);
    // The READMEs of the examples say how to trust them. Elsewhere, readers write their own config.
    const options = { cwd: folder, env: example === undefined ? { ...namedConfig(folder), ...env } : env };
    if (sample.language === 'sh') {
      const code = sample.code
        .replaceAll('http://127.0.0.1:7331', server.url)
        .replaceAll('curl -s ', 'curl -sS --fail-with-body ');
      return (await run('bash', ['-euo', 'pipefail', '-c', code], options)).stdout;
    }
    if (sample.language === 'lua') {
      const name = /^-- (\S+\.lua)$/.exec(sample.code.split('\n')[0] ?? '')?.[1] ?? '';
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), sample.code);
      return '';
    }
    if (sample.language === 'toml') {
      const { stderr, stdout } = await run('zoo', ['agent', 'list', '--json'], options);
      expect(stderr).toBe('');
      return stdout;
    }
    const file = join(folder, 'sample.ts');
    writeFileSync(file, sample.code.replaceAll("'agent-zoo'", `'${library}'`));
    return (await run(process.execPath, [file], options)).stdout;
  }
}
