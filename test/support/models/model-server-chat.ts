import type { ScriptedAnswer, ScriptedToolCall } from './model-server.ts';

interface ChatRequest {
  model: string;
  stream_options?: { include_usage?: boolean } | undefined;
}

/** The SSE events of a streamed chat completion, one chunk each. */
export function chatChunks(answer: ScriptedAnswer, request: ChatRequest): string[] {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: request.model };
  const chunk = (delta: unknown, finish: string | null = null) =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...listOf(answer.reasoning).map((reasoning_content) => chunk({ reasoning_content })),
    ...listOf(answer.text).map((content) => chunk({ content })),
    ...(answer.toolCalls ?? []).flatMap((call, index) => {
      const [first = '', ...rest] = argumentPieces(call);
      const start = {
        index,
        id: callId(call, index),
        type: 'function',
        function: { name: call.name, arguments: first },
      };
      return [
        chunk({ tool_calls: [start] }),
        ...rest.map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ];
    }),
    chunk({}, finishOf(answer)),
    ...(request.stream_options?.include_usage ? [event({ ...head, choices: [], usage: usageOf(answer) })] : []),
    'data: [DONE]\n\n',
  ];
}

/** The chat completion in one body. */
export function chatAnswer(answer: ScriptedAnswer, model: string): object {
  const calls = (answer.toolCalls ?? []).map((call, index) => ({
    id: callId(call, index),
    type: 'function',
    function: { name: call.name, arguments: argumentPieces(call).join('') },
  }));
  const message = {
    role: 'assistant',
    content: listOf(answer.text).join('') || null,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
    usage: usageOf(answer),
  };
}

export function listOf(text: string | readonly string[] | undefined): readonly string[] {
  return text === undefined ? [] : typeof text === 'string' ? [text] : text;
}

export function callId(call: ScriptedToolCall, index: number): string {
  return call.id ?? `call_${index + 1}`;
}

export function argumentPieces({ arguments: given, pieces = 1 }: ScriptedToolCall): string[] {
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return text.length === 0
    ? ['']
    : Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

function finishOf(answer: ScriptedAnswer): string {
  return answer.finishReason ?? (answer.toolCalls?.length ? 'tool_calls' : 'stop');
}

function usageOf({ usage = { input: 10, output: 5 } }: ScriptedAnswer): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
  };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
