/**
 * What a server says went wrong: `{error: {message}}` as OpenAI does, in a list as Gemini does, `{message}` as vLLM,
 * `{detail: [{msg}]}` as FastAPI, `{message: {detail: [{msg}]}}` as Mistral.
 */
export function complaintIn(value: unknown, deepest = 6): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (typeof value !== 'object' || value === null || deepest === 0) return undefined;
  if (Array.isArray(value)) return complaintIn(value[0], deepest - 1);
  const said: { error?: unknown; message?: unknown; detail?: unknown; msg?: unknown } = value;
  for (const each of [said.error, said.message, said.detail, said.msg]) {
    const words = complaintIn(each, deepest - 1);
    if (words !== undefined) return words;
  }
  return undefined;
}
