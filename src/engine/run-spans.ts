import type { Span, Tracer } from '../base/tracer.ts';
import type { ExecutableTool } from './executable-tool.ts';
import type { ToolUseBlock } from './message.ts';
import type { FinishReason, Model, Usage } from './model.ts';

type NamedModel = Pick<Model, 'provider' | 'modelId'>;

interface SpannedRun {
  runId: string;
  agent: { id: string; name: string } | undefined;
  model: NamedModel;
  parent: string | undefined;
}

/** The spans of one run, following the OpenTelemetry conventions for generative AI. They never contain message content. */
export class RunSpans {
  readonly #tracer: Tracer;
  readonly #run: Span;

  constructor(tracer: Tracer, { runId, agent, model, parent }: SpannedRun) {
    this.#tracer = tracer;
    this.#run = tracer.start(agent ? `invoke_agent ${agent.name}` : 'invoke_agent', {
      parent,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agent?.id,
        'gen_ai.agent.name': agent?.name,
        'gen_ai.conversation.id': runId,
        ...modelAttributes(model),
      },
    });
  }

  endRun(usage: Usage, failure: string | undefined): void {
    this.#run.set(usageAttributes(usage));
    end(this.#run, failure);
  }

  startChat(model: NamedModel): Span {
    return this.#tracer.start(`chat ${model.modelId}`, {
      kind: 'client',
      parent: this.#run.traceparent,
      attributes: { 'gen_ai.operation.name': 'chat', ...modelAttributes(model) },
    });
  }

  endChat(span: Span, finish: { reason: FinishReason; usage: Usage } | undefined, failure: string | undefined): void {
    if (finish) span.set({ ...usageAttributes(finish.usage), 'gen_ai.response.finish_reasons': [finish.reason] });
    end(span, failure);
  }

  startTool(use: ToolUseBlock, tool: ExecutableTool | undefined): Span {
    // The name of an unknown tool is text of the model, which must not appear in traces.
    return this.#tracer.start(tool ? `execute_tool ${use.name}` : 'execute_tool', {
      parent: this.#run.traceparent,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool && use.name,
        'gen_ai.tool.call.id': use.id,
        'gen_ai.tool.type': tool?.metadata.type === 'mcp' ? 'extension' : 'function',
      },
    });
  }

  endTool(span: Span, failure: string | undefined): void {
    end(span, failure);
  }
}

function modelAttributes({ provider, modelId }: NamedModel) {
  return { 'gen_ai.provider.name': provider, 'gen_ai.request.model': modelId };
}

function end(span: Span, failure: string | undefined): void {
  if (failure !== undefined) span.fail(failure);
  span.end();
}

function usageAttributes(usage: Usage) {
  return { 'gen_ai.usage.input_tokens': usage.inputTokens, 'gen_ai.usage.output_tokens': usage.outputTokens };
}
