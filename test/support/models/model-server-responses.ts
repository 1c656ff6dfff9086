import type { ScriptedAnswer } from './model-server.ts';
import { argumentPieces, callId, listOf } from './model-server-chat.ts';

/** The SSE events of a streamed response of OpenAI's Responses API, one chunk each. */
export function responsesEvents(answer: ScriptedAnswer, request: { model: string }): string[] {
  const events: object[] = [];
  const response = { id: 'resp_1', created_at: 1_700_000_000, model: request.model };
  events.push({ type: 'response.created', response });
  let output_index = 0;
  const reasoning = listOf(answer.reasoning);
  if (reasoning.length > 0) {
    const item = { type: 'reasoning', id: 'rs_1', encrypted_content: 'sealed-reasoning' };
    events.push({ type: 'response.output_item.added', output_index, item });
    events.push({ type: 'response.reasoning_summary_part.added', item_id: 'rs_1', summary_index: 0 });
    for (const delta of reasoning) {
      events.push({ type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', summary_index: 0, delta });
    }
    events.push({ type: 'response.reasoning_summary_part.done', item_id: 'rs_1', summary_index: 0 });
    events.push({ type: 'response.output_item.done', output_index, item });
    output_index += 1;
  }
  const text = listOf(answer.text);
  if (text.length > 0) {
    const item = { type: 'message', id: 'msg_1' };
    events.push({ type: 'response.output_item.added', output_index, item });
    for (const delta of text) {
      events.push({ type: 'response.output_text.delta', item_id: 'msg_1', output_index, delta });
    }
    events.push({ type: 'response.output_item.done', output_index, item });
    output_index += 1;
  }
  for (const [index, call] of (answer.toolCalls ?? []).entries()) {
    const item = { type: 'function_call', id: `fc_${index + 1}`, call_id: callId(call, index), name: call.name };
    const pieces = argumentPieces(call);
    events.push({ type: 'response.output_item.added', output_index, item: { ...item, arguments: '' } });
    for (const delta of pieces) {
      events.push({ type: 'response.function_call_arguments.delta', item_id: item.id, output_index, delta });
    }
    const done = { ...item, arguments: pieces.join(''), status: 'completed' };
    events.push({ type: 'response.output_item.done', output_index, item: done });
    output_index += 1;
  }
  const { input, output, cached = 0, reasoning: thought = 0 } = answer.usage ?? { input: 10, output: 5 };
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: thought },
  };
  events.push({ type: 'response.completed', response: { ...response, usage } });
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
}
