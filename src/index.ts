/** The public library of Agent Zoo: every name here is a promise. */
export type { Agent, AgentArgument, AgentInput, AgentMode, Skill, SkillCategory } from './agents/agent.ts';
export type { AgentPrompt, PromptArguments, PromptMessage } from './agents/agent-prompt.ts';
export { AgentRegistry } from './agents/agent-registry.ts';
export type { AgentEntry, ResolveContext, SearchOptions } from './agents/agent-source.ts';
export { type CompiledPrompt, compilePrompt, type PromptSection } from './agents/compile-prompt.ts';
export { type CodeAgentDefinition, defineAgent } from './agents/define-agent.ts';
export type {
  ArraySchema,
  BooleanSchema,
  JsonSchemaDefinition,
  NumericSchema,
  ObjectSchema,
  StringSchema,
  ToolInputSchema,
} from './agents/exposes/tool-parameters.ts';
export type { HubErrorCode } from './base/error-codes.ts';
export { HubError } from './base/hub-error.ts';
export type { Logger } from './base/logger.ts';
export type { BrainEntry } from './brain/brain.ts';
export { ownerCaller } from './callers/callers.ts';
export { type LoadedConfig, loadConfig } from './config/load-config.ts';
export type { Budget } from './engine/budget.ts';
export { Component, type RecoveryAction, type TickState } from './engine/component.ts';
export {
  type COMInput,
  ContextObjectModel,
  ContextObjectModel as COM,
  type ExecutionMessage,
} from './engine/context-object-model.ts';
export type { ExecutableTool, MCPToolConfig, ToolMetadata, ToolRunContext } from './engine/executable-tool.ts';
export type { EntryOptions, Message, MessageBlock, ProviderOptions, TimelineEntry } from './engine/message.ts';
export type { Model, ModelEvent, ModelRequest, ModelSettings, Usage } from './engine/model.ts';
export type { ApprovalAnswer, ApprovalRequest, RunEvent, RunResult, RunStatus } from './engine/run-events.ts';
export type { Approve, StopCondition, StopState } from './engine/run-options.ts';
export type { RunStore } from './engine/run-store.ts';
export type { AnyTool } from './engine/to-executable-tool.ts';
export type { MessageInput, RunInput, TimelineEntryInput } from './engine/to-messages.ts';
export { serveHttp } from './http/server/serve.ts';
export { createHub, type Hub, type HubOptions } from './hub.ts';
export type { Connector, ScanContext, ScannedItem } from './knowledge/connector.ts';
export { type ConnectorDefinition, type ConnectorItem, defineConnector } from './knowledge/define-connector.ts';
export type { KnowledgeDocument } from './knowledge/document.ts';
export type { Knowledge, KnowledgeReader, SourceInfo } from './knowledge/knowledge.ts';
export type { SearchFilters, SearchMode, SearchRequest, SearchResult } from './knowledge/search/search-request.ts';
export type { SyncReport } from './knowledge/sync/sync-report.ts';
export type { AgentComponent } from './library/agent-component.ts';
export { type CreateToolOptions, createTool } from './library/create-tool.ts';
export {
  createEngine,
  Engine,
  type EngineEvent,
  type EngineResult,
  type MessageToRun,
  type RunStream,
} from './library/engine.ts';
export type { EngineConfig, ExecuteOptions } from './library/engine-config.ts';
export type { EngineInput } from './library/engine-input.ts';
export {
  type CreateMCPToolFromDefinitionOptions,
  createMCPToolFromDefinition,
  type DiscoverMCPToolsOptions,
  discoverMCPTools,
} from './mcp-client/library/discover-mcp-tools.ts';
export { MCPClient, type MCPClientEvent, type MCPClientOptions } from './mcp-client/library/mcp-client.ts';
export { MCPConfig, type MCPServerEntry, normalizeMCPConfig } from './mcp-client/library/mcp-config.ts';
export type { MCPConnection } from './mcp-client/library/mcp-connection.ts';
export { MCPService, type MCPServiceOptions } from './mcp-client/library/mcp-service.ts';
export { MCPTool } from './mcp-client/library/mcp-tool.ts';
export type { MCPToolDefinition, ToolTransformer } from './mcp-client/library/mcp-tool-definition.ts';
export { mergeMCPConfig } from './mcp-client/library/merge-mcp-config.ts';
export { serveMcpStdio } from './mcp-server/stdio/stdio.ts';
export type { ResourceInfo, ResourceProvider, ResourceTemplateInfo } from './resources/resource.ts';
export type {
  CredentialStore,
  RemoteCallOptions,
  RemoteResult,
  RemoteTool,
} from './servers/supervise/server-connection.ts';
export type { TeamEvent } from './team/events/deliver-target.ts';
export type { Mail } from './team/mail/mail.ts';
export type { Actor } from './team/members/member.ts';
export { type Member, type MemberType, NewMember } from './team/members/member.ts';
export type { Team } from './team/team.ts';
export { type Epic, NewEpic, NewTask, type Task, type TaskComment } from './team/work/work.ts';
export type { Caller } from './tools/caller.ts';
export { type ContentBlock, type ResourceContents, ToolContent } from './tools/content.ts';
export type { DecisionHistory, StoredDecision } from './tools/decision-log.ts';
export type { ToolOutcome } from './tools/execute-tool.ts';
export type { ToolCall } from './tools/run-tool.ts';
export { defineTool, type Tool, type ToolAnnotations, type ToolContext, type ToolDefinition } from './tools/tool.ts';
export { version } from './version.ts';
