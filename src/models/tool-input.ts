import { parseJson } from '../base/json.ts';

/** The arguments of a call as the model wrote them. */
export function toInput(text: string): { input: unknown; invalidInput?: string } {
  // A call without arguments comes as nothing at all from some models.
  if (text.trim() === '') return { input: {} };
  try {
    return { input: parseJson(text) };
  } catch {
    return { input: undefined, invalidInput: text };
  }
}
