import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '..');

export interface InstalledPackage {
  /** The file of the command, to run with Node. */
  zoo: string;
  /** The file of the library. */
  library: string;
}

let installing: Promise<InstalledPackage> | undefined;

/** Packs the build and installs it in an empty project, as a user would. Runs once per benchmark. */
export function installedPackage(): Promise<InstalledPackage> {
  installing ??= install();
  return installing;
}

async function install(): Promise<InstalledPackage> {
  if (!existsSync(join(root, 'dist', 'cli', 'main.js')))
    throw new Error('There is no build yet: run "npm run build" first.');
  const folder = mkdtempSync(join(tmpdir(), 'agent-zoo-installed-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'bench', private: true, type: 'module' }));
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--omit=optional'];
  await run('npm', ['install', ...options, join(folder, filename)], { cwd: project });
  const installed = join(project, 'node_modules', 'agent-zoo');
  return { zoo: join(installed, 'bin', 'zoo.js'), library: join(installed, 'dist', 'index.js') };
}
