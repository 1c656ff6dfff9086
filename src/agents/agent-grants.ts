import { z } from 'zod';

/** The user's lasting approval of one tool for one agent. */
export const ToolGrant = z.object({
  tool: z.string(),
  grantedAt: z.number().describe('Milliseconds since the epoch.'),
});
export type ToolGrant = z.infer<typeof ToolGrant>;

/** A grant holds for one definition of the tool, by its hash. A changed tool asks again. */
export interface GrantedTool {
  tool: string;
  definition: string;
}

export interface GrantStore {
  /** Sorted by tool name. */
  list(agentId: string): Promise<ToolGrant[]>;
  has(agentId: string, granted: GrantedTool): Promise<boolean>;
  /** Replaces a grant for another definition of the tool. */
  add(agentId: string, granted: GrantedTool): Promise<void>;
  /** Returns false if there is no such grant. */
  remove(agentId: string, tool: string): Promise<boolean>;
}
