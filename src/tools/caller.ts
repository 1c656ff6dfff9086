/** Who makes a call, and the view it came through. Built by a surface, judged by `decide`. */
export interface Caller {
  surface: 'mcp' | 'http' | 'web' | 'cli' | 'engine' | 'a2a';
  /** Set where the address names one agent: only the tools in its scope exist there. */
  scope?: AgentScope | undefined;
}

interface AgentScope {
  agentId: string;
  /** Tool names or `*` globs. */
  tools: readonly string[];
}
