import type { CallAs } from './use-tool-run.ts';

/** The unsent input of a call. */
export interface CallDraft {
  value: unknown;
  as: CallAs;
}

const maxInputs = 10;
const drafts = new Map<string, CallDraft>();
const inputs = new Map<string, string[]>();

/** Returns the draft, which is kept while the page is open. */
export function draftOf(tool: string): CallDraft | undefined {
  return drafts.get(tool);
}

export function keepDraft(tool: string, draft: CallDraft): void {
  drafts.set(tool, draft);
}

/** Returns earlier inputs as JSON, newest first, without duplicates. */
export function inputsOf(tool: string): readonly string[] {
  return inputs.get(tool) ?? [];
}

export function rememberInput(tool: string, input: unknown): void {
  const json = JSON.stringify(input) ?? '{}';
  inputs.set(tool, [json, ...inputsOf(tool).filter((each) => each !== json)].slice(0, maxInputs));
}
