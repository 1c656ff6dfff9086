import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { userId } from '../base/user-id.ts';
import type { Caller } from '../tools/caller.ts';
import { type DecisionLog, toLogContext } from '../tools/decision-log.ts';
import type { Redact } from '../tools/redact/redact.ts';

/** An administrative action: who did what to what, and the state before and after. */
export interface Act {
  surface: Caller['surface'];
  /** Who did it; the user of this installation by default. `name` is that of a member or a client. */
  by?: { kind: string; name?: string | null | undefined } | undefined;
  /** A fixed name by which acts of one kind are found: an address (`DELETE /api/agents/{id}`) or a command (`zoo agent delete`). */
  act: string;
  /** For people: "Delete an agent". */
  summary: string;
  target?: string | undefined;
  /** Whether the action was attempted, and refused. */
  isRefusal?: true;
  /** A short form without secrets; anything that looks like one is removed. */
  before?: unknown;
  after?: unknown;
}

export interface RecordsActs {
  /** Writes an act to the decision log. Resolves when it is on the disk. Rejects as `append` does. */
  recordAct(act: Act): Promise<void>;
}

const maxWord = 200;
/** The length of a text, the number of fields and items, and the depth of what an entry shows. */
const short = { text: 300, fields: 30, depth: 3 };

export function actRecorder(parts: { decisions: DecisionLog; clock: Clock; redact: Redact }): RecordsActs['recordAct'] {
  const { decisions, clock, redact } = parts;
  // A secret that was cut would no longer be recognized.
  const word = (text: string) => redact(text).slice(0, maxWord);
  return ({ surface, by = { kind: 'owner' }, act, summary, target, before, after }) => {
    const at = clock.now();
    const shown = { by, act, target, before: shorten(before, redact), after: shorten(after, redact) };
    return decisions.append({
      callId: newId('act', at),
      kind: 'act',
      at,
      surface,
      agentId: by.kind === 'owner' ? userId : by.kind === 'member' ? (by.name ?? null) : null,
      persona: null,
      taskId: null,
      tool: word(act),
      // After "token:" or "key:", the log would take the name for a secret.
      decision: target === undefined ? summary : `${summary} (${word(target)})`,
      reasoning: `By ${byWords(by)}`,
      context: toLogContext(JSON.stringify(shown), redact),
    });
  };
}

function byWords({ kind, name }: NonNullable<Act['by']>): string {
  if (kind === 'owner') return 'you';
  return name ? `the ${kind} ${name.slice(0, maxWord)}` : `a caller of the kind "${kind}"`;
}

/** Returns the value with long texts, long lists and deep objects cut. */
function shorten(value: unknown, redact: Redact, depth = short.depth): unknown {
  if (typeof value === 'string') {
    const text = redact(value.slice(0, short.text * 10));
    return text.length <= short.text ? text : `${text.slice(0, short.text)}… (${value.length} characters)`;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  const next = (each: unknown) => shorten(each, redact, depth - 1);
  if (Array.isArray(value)) {
    const more = value.length - short.fields;
    return [...value.slice(0, short.fields).map(next), ...(more > 0 ? [`… (${more} more)`] : [])];
  }
  const fields = Object.entries(value);
  const more = fields.length - short.fields;
  const shown = fields.slice(0, short.fields).map(([name, each]): [string, unknown] => [name, next(each)]);
  return Object.fromEntries(more > 0 ? [...shown, ['…', `${more} more`]] : shown);
}
