import { spawn } from 'node:child_process';
import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..');

/** Runs one step of a script in the project folder, and shows its output as it arrives. */
export function runStep(command: string, args: readonly string[], env: Record<string, string> = {}): Promise<number> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    child.on('error', fail);
    child.on('exit', (code, signal) => done(signal ? 1 : (code ?? 1)));
  });
}
