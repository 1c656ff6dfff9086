import type { Control } from './control.ts';

export const scopeControls: readonly Control[] = [
  {
    control: 'A misspelt key in the address of /mcp is refused',
    file: 'src/mcp-server/http/http-request.ts',
    off: { find: '  if (unknown !== undefined) {\n', replace: "  if (unknown === '') {\n" },
    test: {
      file: 'src/mcp-server/http/http.test.ts',
      title: 'an address with a misspelt key never opens the whole hub: %s',
    },
  },
  {
    control: 'A key for one agent has the view of that agent',
    file: 'src/callers/callers.ts',
    off: { find: '  if (agent === undefined || agent === bound) return bound;\n', replace: '  return agent;\n' },
    test: { file: 'test/journeys/rights.test.ts', title: 'a key for one agent sees only this agent' },
  },
  {
    control: 'A session belongs to the address that began it',
    file: 'src/mcp-server/http/http-sessions.ts',
    off: {
      find: '    if (session?.view !== view) return undefined;\n',
      replace: '    if (!session) return undefined;\n',
    },
    test: { file: 'src/mcp-server/http/http.test.ts', title: 'speaks for one address only' },
  },
  {
    control: 'A session id is worthless to another caller, in every process',
    file: 'src/mcp-server/sessions/session-token.ts',
    off: { find: '.update(viewKey)', replace: '' },
    test: { file: 'src/mcp-server/sessions/session-token.test.ts', title: '%s is worthless' },
  },
  {
    control: 'A session id is signed',
    file: 'src/mcp-server/sessions/session-token.ts',
    off: {
      find: 'return one.length === other.length && nodeCrypto',
      replace: 'return one.length !== other.length || nodeCrypto',
    },
    test: { file: 'src/mcp-server/sessions/session-token.test.ts', title: '%s is worthless' },
  },
  {
    control: 'A session that has ended is not continued by another process',
    file: 'src/mcp-server/http/http-sessions.ts',
    off: { find: '      if (state.isEnded) throw ended();\n', replace: '' },
    test: {
      file: 'test/journeys/mcp-replicas.test.ts',
      title: 'continue a session of the other, and end it for both',
    },
  },
  {
    control: 'The state of a call in 2026-07-28 belongs to its caller',
    file: 'src/mcp-server/protocol/ask-by-retry.ts',
    off: { find: '[method, view.key, name,', replace: '[method, name,' },
    test: {
      file: 'test/journeys/mcp-replicas.test.ts',
      title: 'read the answers so far of a call in 2026-07-28, for the same caller only',
    },
  },
  {
    control: 'The state of a call in 2026-07-28 is signed',
    file: 'src/mcp-server/protocol/ask-by-retry.ts',
    off: {
      find: 'return expected.length === actual.length && nodeCrypto',
      replace: 'return expected.length !== actual.length || nodeCrypto',
    },
    test: { file: 'src/mcp-server/protocol/ask-by-retry.test.ts', title: 'a state %s is refused' },
  },
  {
    control: 'The state of a call in 2026-07-28 belongs to this call',
    file: 'src/mcp-server/protocol/ask-by-retry.ts',
    off: { find: "  if (state.call !== call) throw refusal('belongs to another call');\n", replace: '' },
    test: { file: 'src/mcp-server/protocol/ask-by-retry.test.ts', title: 'a state %s is refused' },
  },
  {
    control: "A view has only the tools of its agent's scope",
    file: 'src/tools/permissions.ts',
    off: {
      find: 'if (firstMatch(scope.tools, tool.permissionName ?? tool.name) !== undefined) return',
      replace: 'return',
    },
    test: { file: 'src/tools/permissions.test.ts', title: "sees only the agent's scope at the address of an agent" },
  },
  {
    control: "What a member's type denies stays denied",
    file: 'src/tools/permissions.ts',
    off: { find: 'const denied = firstMatch(rules.deny, name);', replace: 'const denied = firstMatch([], name);' },
    test: { file: 'src/tools/permissions.test.ts', title: 'may not call a denied tool, even if it is allowed by name' },
  },
  {
    control: 'What no rule allows is denied',
    file: 'src/tools/permissions.ts',
    off: {
      find: 'const allowed = firstMatch(rules.allow, name);',
      replace: "const allowed = firstMatch(['*'], name);",
    },
    test: {
      file: 'src/tools/permissions.test.ts',
      title: 'may not call a tool that no rule allows, and the error names the tool and the type',
    },
  },
  {
    control: 'Callers learn nothing about tools that they may not call',
    file: 'src/tools/execute-tool.ts',
    off: { find: '(tool || caller.member || caller.scope)', replace: '(tool)' },
    test: {
      file: 'src/tools/execute-tool.test.ts',
      title: 'a member gets the same error for a tool that is %s, whether or not it exists',
    },
  },
  {
    control: 'Brain tools stay in the scope of their caller',
    file: 'src/brain/brain.tools.ts',
    off: { find: '    refuseOthers(id, caller);\n', replace: '' },
    test: { file: 'src/brain/brain.tools.test.ts', title: 'a caller %s reaches only the memory of that agent' },
  },
  {
    control: 'A scoped view hears of no tool outside',
    file: 'src/mcp-server/change-feed.ts',
    off: { find: 'return !isSameList(await before, await now);', replace: 'return true;' },
    test: { file: 'test/journeys/scope.test.ts', title: 'is notified of changes within its scope only' },
  },
  {
    control: 'A scoped view hears of no agent outside',
    file: 'src/mcp-server/change-feed.ts',
    off: { find: '      prompts: isAgentChanged,\n', replace: '      prompts: changes.agents.size > 0,\n' },
    test: { file: 'test/journeys/scope.test.ts', title: 'is notified of changes within its scope only' },
  },
  {
    control: 'A scoped view hears of no resource outside',
    file: 'src/mcp-server/change-feed.ts',
    off: { find: 'new Set([...changes.uris].filter((uri) => view.hasResource(uri)))', replace: 'changes.uris' },
    test: { file: 'test/journeys/scope.test.ts', title: 'is notified of changes within its scope only' },
  },
  {
    control: 'An import shows agents with broad powers before it saves them',
    file: 'src/agents/transfer-agents.cli.ts',
    off: { find: 'broad.length > 0 && !options.yes', replace: 'false' },
    test: { file: 'test/journeys/cli-agents.test.ts', title: 'says what they may do, and needs a terminal to ask on' },
  },
];
