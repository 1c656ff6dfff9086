/** The public library of Agent Zoo: every name here is a promise. */
export type { Agent, AgentArgument, AgentInput, AgentMode, Skill, SkillCategory } from './agents/agent.ts';
export type { AgentPrompt, PromptArguments, PromptMessage } from './agents/agent-prompt.ts';
export { AgentRegistry } from './agents/agent-registry.ts';
export type { AgentEntry } from './agents/agent-source.ts';
export type { BrainEntry } from './agents/brain.ts';
export { type CompiledPrompt, compilePrompt, type PromptSection } from './agents/compile-prompt.ts';
export { type CodeAgentDefinition, defineAgent } from './agents/define-agent.ts';
export { HubError, type HubErrorCode } from './base/hub-error.ts';
export type { Logger } from './base/logger.ts';
export { type LoadedConfig, loadConfig } from './config/load-config.ts';
export { serveHttp } from './http/serve.ts';
export { createHub, type Hub, type HubOptions } from './hub.ts';
export { serveMcpStdio } from './mcp-server/stdio.ts';
export type { ResourceInfo, ResourceProvider, ResourceTemplateInfo } from './resources/resource.ts';
export { type ContentBlock, type ResourceContents, ToolContent } from './tools/content.ts';
export type { ToolCall, ToolOutcome } from './tools/execute-tool.ts';
export { defineTool, type Tool, type ToolAnnotations, type ToolContext, type ToolDefinition } from './tools/tool.ts';
export { version } from './version.ts';
