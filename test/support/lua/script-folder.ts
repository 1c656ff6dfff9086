import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentEntry, AgentSource } from '../../../src/agents/agent-source.ts';
import type { SourceSnapshot } from '../../../src/base/source.ts';
import { type ConfigDocument, configDocument } from '../../../src/config/config-document.ts';
import { loadConfig } from '../../../src/config/load-config.ts';

/** A folder with a config and the scripts it names. */
export interface ScriptFolder extends AsyncDisposable {
  dir: string;
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Opens the current config. It is closed with the folder. */
  open(options?: { watch?: boolean; env?: Record<string, string> }): Promise<ConfigDocument>;
}

export async function scriptFolder(files: Record<string, string>): Promise<ScriptFolder> {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'zoo-scripts-')));
  const open: ConfigDocument[] = [];
  const write = async (name: string, text: string) => {
    const file = join(dir, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  return {
    dir,
    write,
    remove: (name) => rm(join(dir, name)),
    async open({ watch = false, env = {} } = {}) {
      const loaded = await loadConfig({ explicitFile: join(dir, 'zoo.toml'), cwd: dir, env, home: dir });
      const document = configDocument({ loaded, watch });
      open.push(document);
      return document;
    },
    async [Symbol.asyncDispose]() {
      for (const document of open) await document.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Waits for a matching snapshot, reading it again after each change, as the registry does. */
export function untilSnapshot(
  source: AgentSource,
  fits: (snapshot: SourceSnapshot<AgentEntry>) => boolean,
): Promise<SourceSnapshot<AgentEntry>> {
  return new Promise((resolve, reject) => {
    const look = async () => {
      const snapshot = await source.snapshot();
      if (!fits(snapshot)) return;
      stop?.();
      resolve(snapshot);
    };
    const stop = source.watch?.(() => void look().catch(reject));
    look().catch(reject);
  });
}
