import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Write } from '../db/database.ts';
import { cleanText, slices } from '../db/rows.ts';
import type { Tables } from '../db/tables.ts';
import type { RunStep, SentPrompt, TakenStep } from '../engine/run-store.ts';
import type { Redact } from '../tools/redact/redact.ts';

const rowsAtOnce = 100;
const maxCharacters = 1_000_000;
/** A prompt that many runs share is written once in this time. */
const freshMs = 3_600_000;
const maxKnown = 1_000;

interface StoredPrompt {
  hash: string;
  system: string;
  tools: string;
}

/** Writes the steps of runs. What they sent is stored once for all steps that sent the same. */
export class StepWriter {
  readonly #redact: Redact;
  /** When each prompt was last written. */
  #known = new Map<string, number>();
  /** The prompts of the tool lists in use. */
  readonly #prompts = new WeakMap<SentPrompt['tools'], StoredPrompt>();

  constructor(redact: Redact) {
    this.#redact = redact;
  }

  /**
   * Adds the steps in the transaction of the caller. A step that is already stored stays as it is. Returns the written prompts:
   * report them with `committed` after the transaction.
   */
  async add({ db }: Pick<Write, 'db'>, run: { id: string; steps: readonly TakenStep[]; now: number }) {
    const { id, steps, now } = run;
    const rows: RunStepRow[] = [];
    const written = new Set<string>();
    for (const taken of steps) {
      if (taken.kind === 'tool') {
        rows.push({ run_id: id, step: taken.step, prompt: null, data: this.#redact(cleanText(JSON.stringify(taken))) });
        continue;
      }
      const { prompt: sent, ...step } = taken;
      const prompt = this.#toStored(sent);
      if (!written.has(prompt.hash) && !this.#isFresh(prompt, now)) {
        await addPrompt(db, prompt, now);
        written.add(prompt.hash);
      }
      rows.push({ run_id: id, step: step.step, prompt: prompt.hash, data: cleanText(JSON.stringify(step)) });
    }
    for (const some of slices(rows, rowsAtOnce))
      await db
        .insertInto('run_steps')
        .values(some)
        .onConflict((conflict) => conflict.columns(['run_id', 'step']).doNothing())
        .execute();
    return written;
  }

  /** Remembers prompts that are stored for good. A transaction that was rolled back stored none. */
  committed(prompts: Iterable<string>, now: number): void {
    for (const id of prompts) {
      if (this.#known.size >= maxKnown) this.#known = new Map();
      this.#known.set(id, now);
    }
  }

  /** Remembers the last prompt of each list of tools: most runs send the same prompt in every step. */
  #toStored({ system, tools }: SentPrompt): StoredPrompt & { raw: string } {
    const known = this.#prompts.get(tools) as (StoredPrompt & { raw: string }) | undefined;
    if (known?.raw === system) return known;
    const texts = { system: this.#shorten(system), tools: toolsText(tools, this.#redact) };
    const stored = { ...texts, raw: system, hash: hash('sha256', JSON.stringify(texts), 'base64url') };
    this.#prompts.set(tools, stored);
    return stored;
  }

  #isFresh({ hash: id }: StoredPrompt, now: number): boolean {
    return now - (this.#known.get(id) ?? Number.NEGATIVE_INFINITY) < freshMs;
  }

  #shorten(text: string): string {
    const clean = this.#redact(cleanText(text));
    if (clean.length <= maxCharacters) return clean;
    return `${clean.slice(0, maxCharacters).toWellFormed()}\n[… ${clean.length - maxCharacters} more characters were not kept]`;
  }
}

async function addPrompt(db: Write['db'], { hash: id, system, tools }: StoredPrompt, now: number): Promise<void> {
  await db
    .insertInto('run_prompts')
    .values({ hash: id, used_at: now, system, tools })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ used_at: now }))
    .execute();
}

/** Leaves out the schemas if the definitions are very long. */
function toolsText(tools: SentPrompt['tools'], redact: Redact): string {
  const text = (list: readonly object[]) => redact(cleanText(JSON.stringify(list)));
  const whole = text(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));
  if (whole.length <= maxCharacters) return whole;
  const short = text(tools.map(({ name, description }) => ({ name, description: description.slice(0, 200) })));
  return short.length <= maxCharacters ? short : '[]';
}

export async function readSteps(db: Kysely<Tables>, runId: string): Promise<RunStep[]> {
  const rows = await db.selectFrom('run_steps').select('data').where('run_id', '=', runId).orderBy('step').execute();
  // `StepWriter` wrote them, from this type.
  return rows.map(({ data }): RunStep => JSON.parse(data));
}

/** Returns a step with what it sent, as far as that is still stored. */
export async function readStep(
  db: Kysely<Tables>,
  { runId, step }: { runId: string; step: number },
): Promise<{ step: RunStep; prompt: { system: string; tools: string } | undefined } | undefined> {
  const row = await db
    .selectFrom('run_steps')
    .leftJoin('run_prompts', 'run_prompts.hash', 'run_steps.prompt')
    .select(['data', 'system', 'tools'])
    .where('run_id', '=', runId)
    .where('step', '=', step)
    .executeTakeFirst();
  if (!row) return undefined;
  const { data, system, tools } = row;
  return { step: JSON.parse(data), prompt: system === null || tools === null ? undefined : { system, tools } };
}

export async function deleteSteps(db: Write['db'], runIds: readonly string[]): Promise<void> {
  await db.deleteFrom('run_steps').where('run_id', 'in', runIds).execute();
}

/** Deletes prompts that no step refers to any more. */
export async function deleteUnusedPrompts(db: Write['db'], before: number): Promise<void> {
  await db
    .deleteFrom('run_prompts')
    .where('used_at', '<', before - freshMs)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('run_steps').select('run_steps.run_id').whereRef('run_steps.prompt', '=', 'run_prompts.hash'),
        ),
      ),
    )
    .execute();
}

declare module '../db/tables.ts' {
  interface Tables {
    run_steps: RunStepRow;
    run_prompts: RunPromptRow;
  }
}

interface RunStepRow {
  run_id: string;
  step: number;
  /** The hash of what a model call sent; null for tool calls. */
  prompt: string | null;
  /** A `RunStep` as JSON. */
  data: string;
}

interface RunPromptRow {
  /** Covers both texts, which have no secrets. */
  hash: string;
  used_at: number;
  system: string;
  /** Tool definitions as JSON. */
  tools: string;
}
