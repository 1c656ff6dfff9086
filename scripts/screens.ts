/** Every screen of the web app on the demo hub: for pictures, and for the test that no screen complains. */
export interface Screen {
  name: string;
  path: string;
  /** A key to press, or what to click one after the other, before looking. */
  press?: string;
  click?: string | readonly string[];
  /** A field, and what to type into it, before the clicks. */
  fill?: readonly [field: string, text: string];
  narrow?: boolean;
  /** Something that is there once the screen is ready. */
  ready: string;
}

const taskTitle = 'The approval page shows who asked and why';
const board = `text=${taskTitle}`;

const pastedServers = JSON.stringify(
  {
    mcpServers: {
      browser: { command: 'npx', args: ['@playwright/mcp@latest'] },
      issues: { type: 'http', url: 'https://mcp.example.com/mcp', headers: { Authorization: `Bearer \${env:TOKEN}` } },
      memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] },
    },
  },
  null,
  2,
);

export const screens: readonly Screen[] = [
  { name: 'gallery', path: '/', ready: 'role=button[name="Actions for Incident responder"]' },
  { name: 'new', path: '/new', ready: 'role=button[name="Use Code reviewer"]' },
  { name: 'editor-prompt', path: '/a/code-reviewer?tab=prompt', ready: '.cm-content' },
  { name: 'editor-skills', path: '/a/code-reviewer?tab=skills', ready: 'role=switch[name="Failure paths is on"]' },
  { name: 'editor-arguments', path: '/a/incident-responder?tab=arguments', ready: 'text=Required' },
  { name: 'editor-tools', path: '/a/code-reviewer?tab=tools', ready: 'text=agent_zoo_get_agent' },
  { name: 'editor-brain', path: '/a/code-reviewer?tab=brain', ready: 'text=payments module' },
  {
    name: 'editor-history',
    path: '/a/code-reviewer?tab=history',
    click: 'role=button[name=/v1/]',
    ready: 'text=Restore this version',
  },
  { name: 'editor-read-only', path: '/a/release-notes', ready: '.cm-content' },
  {
    name: 'editor-knowledge',
    path: '/a/incident-responder?tab=knowledge',
    ready: 'text=Added when the prompt is made',
  },
  { name: 'editor-script', path: '/a/runbook-reader?tab=knowledge', ready: 'role=button[name="Make the prompt"]' },
  { name: 'knowledge', path: '/knowledge', ready: 'role=button[name="Sync services"]' },
  { name: 'knowledge-add', path: '/knowledge?add=folder', ready: 'role=button[name="Add and sync"]' },
  { name: 'knowledge-search', path: '/knowledge/search?q=roll+back+a+release', ready: 'text=Payments runbook' },
  {
    name: 'knowledge-score',
    path: '/knowledge/search?q=roll+back+a+release',
    click: 'role=button[name=/^Score 1.00/]',
    ready: 'text=By meaning',
  },
  { name: 'knowledge-documents', path: '/knowledge/documents', ready: 'text=runbooks/payments.md' },
  {
    name: 'knowledge-document',
    path: '/knowledge/search?q=roll+back+a+release',
    click: '[data-result="0"]',
    ready: '[data-opened]',
  },
  { name: 'team-board', path: '/team', ready: board },
  { name: 'team-task', path: '/team', click: `text=${taskTitle}`, ready: 'role=button[name="Approve"]' },
  { name: 'team-new-task', path: '/team?add=true', ready: 'role=dialog' },
  { name: 'team-members', path: '/team/members', ready: 'role=button[name="Actions for writer-1"]' },
  { name: 'team-member', path: '/team/members?member=tester-1', ready: 'text=Open tasks' },
  { name: 'team-add-member', path: '/team/members?add=true', ready: 'role=dialog' },
  {
    name: 'team-token',
    path: '/team/members?member=writer-1',
    click: ['role=button[name="New token"]', 'role=button[name="Make a new token"]'],
    ready: 'role=textbox[name="Token"]',
  },
  { name: 'team-epics', path: '/team/epics', ready: 'text=Roll back with one command' },
  { name: 'team-permissions', path: '/team/permissions', ready: 'text=mcp__mail__send' },
  { name: 'team-events', path: '/team/events', ready: 'role=button[name="Try again"]' },
  { name: 'mail', path: '/mail', ready: 'text=Two things only you can do' },
  { name: 'mail-compose', path: '/mail?to=lead', ready: 'role=dialog' },
  { name: 'mail-thread', path: '/mail', click: 'text=deploy_preview', ready: 'text=A call failed' },
  {
    name: 'mail-critical',
    path: '/mail',
    click: 'text=mcp__task__update_status',
    ready: 'text=A critical call failed',
  },
  { name: 'decisions', path: '/decisions', ready: '[data-kind]' },
  {
    name: 'decisions-entry',
    path: '/decisions',
    click: '[data-kind="result"]:has-text("run_checks")',
    ready: 'text=Called by',
  },
  { name: 'decisions-errors', path: '/decisions?kind=error&last=week', ready: '[data-kind="error"]' },
  {
    name: 'decisions-error',
    path: '/decisions?kind=error&last=week',
    click: '[data-kind]',
    ready: 'text=Called by',
  },
  { name: 'decisions-manual', path: '/decisions?kind=manual', click: '[data-kind]', ready: 'text=Called by' },
  { name: 'servers', path: '/servers', ready: 'text=2 tools wait for you' },
  { name: 'servers-add', path: '/servers?add=command', ready: 'role=dialog' },
  {
    name: 'servers-test',
    path: '/servers?add=command',
    fill: ['role=textbox[name="Command"]', `node \${MCP_SERVERS}/server-everything/dist/index.js`],
    click: 'role=button[name="Test connection"]',
    ready: 'text=Connected in',
  },
  { name: 'servers-add-address', path: '/servers?add=url', ready: 'role=dialog' },
  {
    name: 'servers-add-json',
    path: '/servers?add=json',
    fill: ['role=textbox[name="JSON"]', pastedServers],
    ready: 'text=Recognised 3 servers',
  },
  { name: 'server-changed', path: '/servers/tickets', ready: 'role=button[name="Accept find_tickets"]' },
  {
    name: 'server-tools',
    path: '/servers/files',
    click: 'role=button[name="read_note"]',
    ready: 'text=What you decide',
  },
  { name: 'server-log', path: '/servers/files?tab=log', ready: 'role=region[name="Log"]' },
  { name: 'server-settings', path: '/servers/memory?tab=settings', ready: 'role=button[name="Save"]' },
  { name: 'server-read-only', path: '/servers/files?tab=settings', ready: 'text=Defined in' },
  { name: 'server-missing', path: '/servers/nobody', ready: 'text=No such server' },
  { name: 'connect', path: '/connect', ready: 'text=Cursor' },
  { name: 'connect-agent', path: '/connect?agent=code-reviewer', ready: 'text=Cursor' },
  { name: 'palette', path: '/', press: 'Control+k', ready: 'role=dialog' },
  { name: 'api-docs', path: '/docs', ready: 'text="/agents/list"' },
  { name: 'not-found', path: '/a/nobody', ready: 'text=nobody' },
  { name: 'gallery-narrow', path: '/', narrow: true, ready: 'role=button[name="Actions for Incident responder"]' },
  { name: 'new-narrow', path: '/new', narrow: true, ready: 'role=button[name="Use Code reviewer"]' },
  {
    name: 'editor-narrow',
    path: '/a/code-reviewer?tab=skills',
    narrow: true,
    ready: 'role=switch[name="Failure paths is on"]',
  },
  {
    name: 'editor-knowledge-narrow',
    path: '/a/incident-responder?tab=knowledge',
    narrow: true,
    ready: 'text=Found for',
  },
  { name: 'knowledge-narrow', path: '/knowledge', narrow: true, ready: 'role=button[name="Sync services"]' },
  {
    name: 'knowledge-search-narrow',
    path: '/knowledge/search?q=roll+back+a+release',
    narrow: true,
    ready: 'text=Payments runbook',
  },
  {
    name: 'knowledge-document-narrow',
    path: '/knowledge/search?q=roll+back+a+release',
    narrow: true,
    click: '[data-result="0"]',
    ready: '[data-opened]',
  },
  { name: 'team-board-narrow', path: '/team', narrow: true, ready: board },
  {
    name: 'team-task-narrow',
    path: '/team?q=approval+page',
    narrow: true,
    click: `text=${taskTitle}`,
    ready: 'role=button[name="Approve"]',
  },
  {
    name: 'team-members-narrow',
    path: '/team/members',
    narrow: true,
    ready: 'role=button[name="Actions for writer-1"]',
  },
  { name: 'mail-narrow', path: '/mail', narrow: true, ready: 'text=Two things only you can do' },
  {
    name: 'mail-thread-narrow',
    path: '/mail',
    narrow: true,
    click: 'text=deploy_preview',
    ready: 'text=A call failed',
  },
  { name: 'decisions-narrow', path: '/decisions', narrow: true, ready: '[data-kind]' },
  { name: 'servers-narrow', path: '/servers', narrow: true, ready: 'text=2 tools wait for you' },
  { name: 'servers-add-narrow', path: '/servers?add=url', narrow: true, ready: 'role=dialog' },
  {
    name: 'server-changed-narrow',
    path: '/servers/tickets',
    narrow: true,
    ready: 'role=button[name="Accept find_tickets"]',
  },
  {
    name: 'server-settings-narrow',
    path: '/servers/memory?tab=settings',
    narrow: true,
    ready: 'role=button[name="Save"]',
  },
  { name: 'connect-narrow', path: '/connect', narrow: true, ready: 'text=Cursor' },
];
