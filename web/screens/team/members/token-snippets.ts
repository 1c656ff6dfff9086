export interface TokenSnippet {
  title: string;
  /** The file for the text, or null for a command to run. */
  file: string | null;
  text: string;
}

/** Returns ready-to-copy snippets for a member's first call. The server's name contains the member's id, because several members may share a machine. */
export function tokenSnippets({
  url,
  memberId,
  token,
}: {
  url: string;
  memberId: string;
  token: string;
}): TokenSnippet[] {
  const authorization = `Bearer ${token}`;
  const body = JSON.stringify({ agentId: memberId, toolName: 'mcp__mail__list_inbox', input: {} });
  const name = `agent-zoo-${memberId}`;
  const servers = { [name]: { type: 'http', url: `${url}/mcp`, headers: { Authorization: authorization } } };
  return [
    {
      title: 'HTTP call',
      file: null,
      text: [
        `curl -X POST ${url}/mcp/execute \\`,
        '  -H "Content-Type: application/json" \\',
        `  -H "Authorization: ${authorization}" \\`,
        `  -d '${body}'`,
      ].join('\n'),
    },
    { title: 'MCP config', file: '.mcp.json', text: JSON.stringify({ mcpServers: servers }, null, 2) },
    {
      title: 'Claude Code',
      file: null,
      text: `claude mcp add --transport http ${name} ${url}/mcp --header "Authorization: ${authorization}"`,
    },
  ];
}
