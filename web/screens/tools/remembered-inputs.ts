import type { CallAs } from './use-tool-run.ts';

/** What a person is about to call a tool with. */
export interface CallDraft {
  value: unknown;
  as: CallAs;
}

const maxInputs = 10;
const drafts = new Map<string, CallDraft>();
const inputs = new Map<string, string[]>();

/** For as long as the page is open: a form that is left and opened again is as it was. */
export function draftOf(tool: string): CallDraft | undefined {
  return drafts.get(tool);
}

export function keepDraft(tool: string, draft: CallDraft): void {
  drafts.set(tool, draft);
}

/** As JSON, the newest first, each once. */
export function inputsOf(tool: string): readonly string[] {
  return inputs.get(tool) ?? [];
}

export function rememberInput(tool: string, input: unknown): void {
  const json = JSON.stringify(input) ?? '{}';
  inputs.set(tool, [json, ...inputsOf(tool).filter((each) => each !== json)].slice(0, maxInputs));
}
