import { z } from 'zod';
import type { ToolClient } from '../tools/tool-client.ts';
import { AgentId } from './agent.ts';
import { filledLine } from './text-fields.ts';

/** The default agent of a folder. Clients that work in it, or below it, get the agent as a suggestion. */
export const Workspace = z.strictObject({
  /** An absolute path on the hub's machine, without symbolic links. */
  folder: filledLine(4_096),
  agentId: AgentId,
});
export type Workspace = z.infer<typeof Workspace>;

export interface WorkspaceStore {
  /** Sorted by folder. */
  list(): Promise<Workspace[]>;
  set(workspace: Workspace): Promise<void>;
  /** Returns false if the folder has no default agent. */
  remove(folder: string): Promise<boolean>;
}

/** Returns the id of the agent that a client should be offered first. Never throws. */
export type SuggestAgent = (client: ToolClient, signal: AbortSignal) => Promise<string | undefined>;
