import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Opens a database in several processes and kills each a little later than the one before. Returns how many were killed before they were done. */
export async function openAndKill(db: object): Promise<number> {
  const script = fileURLToPath(new URL('./open-database.ts', import.meta.url));
  let killed = 0;
  for (let round = 0; round < 4; round += 1) {
    const child = spawn(process.execPath, [script, JSON.stringify(db)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    let said = '';
    for await (const chunk of child.stdout) {
      said += chunk;
      if (said === 'opening\n') setTimeout(() => child.kill('SIGKILL'), round * 100);
    }
    await exited;
    if (!said.includes('open\n')) killed += 1;
  }
  return killed;
}
