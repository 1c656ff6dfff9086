const maxInputs = 10;
const inputs = new Map<string, string[]>();

/** Returns earlier inputs as JSON, newest first, without duplicates. */
export function inputsOf(tool: string): readonly string[] {
  return inputs.get(tool) ?? [];
}

export function rememberInput(tool: string, input: unknown): void {
  const json = JSON.stringify(input) ?? '{}';
  inputs.set(tool, [json, ...inputsOf(tool).filter((each) => each !== json)].slice(0, maxInputs));
}
