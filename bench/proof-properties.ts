import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, runStep } from '../scripts/run-step.ts';

const defaultRounds = 20;

/**
 * Runs every property test in many rounds, each with a different seed. ZOO_TEST_SEED sets the first seed, and
 * ZOO_PROOF_ROUNDS the number of rounds.
 */
export async function proveProperties(env: NodeJS.ProcessEnv = process.env): Promise<boolean> {
  const first = wholeNumber('ZOO_TEST_SEED', env.ZOO_TEST_SEED) ?? randomInt(2 ** 31 - 1);
  const rounds = wholeNumber('ZOO_PROOF_ROUNDS', env.ZOO_PROOF_ROUNDS) ?? defaultRounds;
  const files = globSync(['src/**/*.test.ts', 'web/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).filter((file) =>
    /from 'fast-check'|\/arbitrary-/.test(readFileSync(join(root, file), 'utf8')),
  );
  print(`${files.length} files with properties, ${rounds} rounds, seeds ${first} to ${first + rounds - 1}`);
  const failed: number[] = [];
  for (let seed = first; seed < first + rounds; seed += 1) {
    const code = await runStep('npx', ['vitest', 'run', '--reporter=dot', ...files], { ZOO_TEST_SEED: `${seed}` });
    if (code !== 0) failed.push(seed);
    print(`seed ${seed}: ${code === 0 ? 'holds' : 'FAILED'}`);
  }
  for (const seed of failed) print(`to repeat: ZOO_TEST_SEED=${seed} npx vitest run FILE`);
  return failed.length === 0;
}

function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`${name} is "${text}"; it must be a whole number.`);
  return number;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

if (import.meta.main && !(await proveProperties())) process.exitCode = 1;
