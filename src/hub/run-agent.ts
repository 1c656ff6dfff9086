import type { Agent } from '../agents/agent.ts';
import type { PromptArguments, PromptMessage } from '../agents/agent-prompt.ts';
import { HubError } from '../base/hub-error.ts';
import type { Budget } from '../engine/budget.ts';
import { ContextObjectModel } from '../engine/context-object-model.ts';
import type { ExecutableTool } from '../engine/executable-tool.ts';
import type { RunResult } from '../engine/run-events.ts';
import type { Approve } from '../engine/run-options.ts';
import { type Run, runTicks } from '../engine/run-ticks.ts';
import type { RunInput } from '../engine/to-messages.ts';
import type { Hub } from '../hub.ts';
import type { Caller } from '../tools/caller.ts';
import { asContent, ToolContent } from '../tools/content.ts';
import { decide } from '../tools/permissions.ts';
import type { Tool } from '../tools/tool.ts';
import { modelSettings } from './model-settings.ts';

export interface RunAgentRequest {
  agentId: string;
  input: RunInput;
  /** For the agent's own prompt. */
  arguments?: PromptArguments | undefined;
  /** `provider/model` instead of the agent's own. */
  model?: string | undefined;
  maxTicks?: number | undefined;
  budget?: Budget | undefined;
  /** Asks a person before a call that needs approval. Without it such calls are denied. */
  approve?: Approve | undefined;
  signal?: AbortSignal | undefined;
}

/** An agent with its prompt, its model and the tools of its scope. Throws AGENT_NOT_FOUND, NOT_CONFIGURED, INVALID_ARGUMENTS. */
export async function runAgent(
  hub: Hub,
  request: RunAgentRequest,
  count: (model: string, result: RunResult) => void,
): Promise<Run> {
  const { agent } = await hub.agents.get(request.agentId);
  const modelName = request.model ?? agent.model ?? hub.config.config.engine.model;
  if (modelName === undefined) throw noModel(agent);
  const model = await (await hub.models()).resolve(modelName);
  const signal = request.signal ?? new AbortController().signal;
  const prompt = await hub.agents.resolve(agent.id, request.arguments ?? {}, { signal });
  const com = new ContextObjectModel({ system: prompt.system });
  for (const message of prompt.messages) com.addMessage(toMessageInput(message));
  const caller: Caller = { surface: 'engine', scope: { agentId: agent.id, tools: prompt.tools } };
  for (const tool of hub.tools.list()) {
    if (!tool.isHidden && decide(caller, tool).allowed) com.addTool(toExecutable(hub, { agent, caller, tool }));
  }
  const { engine } = hub.config.config;
  const run = runTicks(
    { model, com, store: hub.store.runs, tracer: hub.tracer, logger: hub.logger, clock: hub.clock },
    {
      input: request.input,
      agent: { id: agent.id, name: agent.name },
      settings: modelSettings(agent.modelSettings),
      maxTicks: request.maxTicks ?? engine.max_ticks,
      budget: { maxTokens: engine.max_tokens, maxCost: engine.max_cost, ...request.budget },
      approve: request.approve,
      signal: request.signal,
    },
  );
  void run.result.then((result) => count(modelName, result));
  return run;
}

function noModel({ id }: Agent): HubError {
  return new HubError(
    'NOT_CONFIGURED',
    `Agent "${id}" names no model. Give it one (provider/model, such as openai/gpt-5 or ollama/llama3.2), set [engine] model in zoo.toml, or use --model.`,
  );
}

/** MCP has one block for a message; the engine has a list. */
function toMessageInput({ role, content }: PromptMessage) {
  return { role, content: typeof content === 'string' ? content : [content] };
}

/** Every call of the model walks the pipeline, with the agent's scope as its rights. */
function toExecutable(hub: Hub, { agent, caller, tool }: { agent: Agent; caller: Caller; tool: Tool }): ExecutableTool {
  const { name, description, inputSchema, server } = tool;
  async function execute(
    input: unknown,
    context: { signal: AbortSignal; traceparent?: string | undefined },
  ): Promise<ToolContent> {
    const { signal, traceparent } = context;
    const outcome = await hub.execute({ caller, tool: name, input, signal, traceparent });
    if (outcome.ok) return asContent(outcome.data);
    const { code, message } = outcome.error;
    return new ToolContent([{ type: 'text', text: `${code}: ${message}` }], { isError: true });
  }
  return {
    metadata: {
      name,
      description,
      inputSchema,
      type: server ? 'mcp' : 'function',
      serverName: server?.name,
      requiresConfirmation: asksFor(agent, tool),
    },
    execute,
    run: async (input, context) => {
      const signal = context?.signal ?? new AbortController().signal;
      return [...(await execute(input, { signal })).content];
    },
  };
}

/** Seed 001: `always` asks about every call, `never` about none, `tool` about those that say so. */
function asksFor({ toolPermission }: Agent, tool: Tool): boolean {
  return toolPermission === 'always' || (toolPermission === 'tool' && tool.requiresApproval);
}
