import { parseJson } from '../base/json.ts';

/** Parses the arguments of a call. */
export function toInput(text: string): { input: unknown; invalidInput?: string } {
  // Some models send an empty text for a call without arguments.
  if (text.trim() === '') return { input: {} };
  try {
    return { input: parseJson(text) };
  } catch {
    return { input: undefined, invalidInput: text };
  }
}
