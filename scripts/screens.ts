import type { Page } from '@playwright/test';
import { updateAgent } from '../src/agents/edit-agents.ts';
import type { Hub } from '../src/index.ts';

/**
 * All screens of the web app and their main states on the demo hub, for screenshots and for the test of every screen. Add a row for
 * each new screen, dialog and menu.
 */
export interface Screen {
  name: string;
  path: string;
  /** A key to press, or elements to click in order, before the screen is ready. */
  press?: string;
  click?: string | readonly string[];
  /** A field to fill before the clicks, and its text. */
  fill?: readonly [field: string, text: string];
  narrow?: boolean;
  /** What to type after the key. */
  type?: string;
  /** Whether the screen has changes that would be asked about when it is left. */
  isUnsaved?: boolean;
  /** Whether the page is not part of the app. */
  isOutside?: boolean;
  /** Whether the browser is not signed in. */
  isSignedOut?: boolean;
  /** What happens on the hub after the first click. */
  meanwhile?: (hub: Hub) => Promise<unknown>;
  /** Changes what the hub answers. */
  route?: (page: Page) => Promise<unknown>;
  /** An element that exists once the screen is ready. */
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

const demoNow = '2026-11-18T12:00:00.000Z';

async function changeDescription(hub: Hub): Promise<void> {
  const { agent } = await hub.agents.get('security-auditor');
  const { id: _, source: __, ...fields } = agent;
  await updateAgent(hub, agent.id, {
    input: { ...fields, description: `Changed at ${Date.now()}.` },
    expectedRevision: null,
  });
}

function failing(address: string): (page: Page) => Promise<unknown> {
  const json = { error: { code: 'FAILED_PRECONDITION', message: 'The disk is full. Free some space and try again.' } };
  return (page) => page.route(address, (route) => route.fulfill({ status: 400, json }));
}

/** Dialogs, menus and states of these screens. */
const small: readonly Screen[] = [
  { name: 'gallery-import-menu', path: '/', click: 'role=button[name="Import and export"]', ready: 'role=menuitem' },
  { name: 'editor-rules', path: '/a/code-reviewer?tab=rules', ready: 'role=button[name="Add rule"]' },
  {
    name: 'editor-rules-new',
    path: '/a/code-reviewer?tab=rules',
    click: 'role=button[name="Add rule"]',
    isUnsaved: true,
    ready: 'role=textbox[name="Description"]',
  },
  {
    name: 'editor-category-menu',
    path: '/a/code-reviewer?tab=skills',
    click: 'role=button[name=/^Actions for /]',
    ready: 'role=menuitem[name="Delete category"]',
  },
  {
    name: 'editor-category-color',
    path: '/a/code-reviewer?tab=skills',
    click: 'role=button[name=/^Color of /]',
    ready: 'role=group[name="Palette"]',
  },
  {
    name: 'editor-default-folders',
    path: '/a/code-reviewer',
    click: ['role=button[name="More actions"]', 'role=menuitem[name="Default for folders…"]'],
    ready: 'role=textbox[name="Folder on the hub’s machine"]',
  },
  {
    name: 'editor-conflict',
    path: '/a/security-auditor?tab=skills',
    click: ['role=switch[name=/^Enable /]', 'role=button[name=/^Save/]'],
    meanwhile: changeDescription,
    isUnsaved: true,
    ready: 'role=dialog[name="This agent was changed elsewhere"]',
  },
  {
    name: 'editor-tool-menu',
    path: '/a/travel-desk?tab=offered-tools',
    click: 'role=button[name="Actions for book_flight"]',
    ready: 'role=menuitem[name="Duplicate"]',
  },
  { name: 'chat-compare', path: '/chat/compare', ready: 'role=heading[level=1]' },
  {
    name: 'chat-menu',
    path: '/chat',
    click: ['text=Is this retry safe?', 'role=region[name="Chat"] >> role=button[name=/^Actions for /]'],
    ready: 'role=menuitem[name="Rename"]',
  },
  {
    name: 'chat-rename',
    path: '/chat',
    click: [
      'text=Is this retry safe?',
      'role=region[name="Chat"] >> role=button[name=/^Actions for /]',
      'role=menuitem[name="Rename"]',
    ],
    ready: 'role=dialog[name="Rename chat"]',
  },
  {
    name: 'knowledge-source-menu',
    path: '/knowledge',
    click: 'role=button[name="Actions for services"]',
    ready: 'role=menuitem[name="Browse documents"]',
  },
  {
    name: 'knowledge-prime',
    path: '/knowledge/documents',
    click: ['text=runbooks/payments.md', 'role=button[name="Create agent from this"]'],
    ready: 'role=dialog[name="Create agent from this"]',
  },
  {
    name: 'team-task-menu-narrow',
    path: '/team',
    narrow: true,
    click: 'role=button[name="Move Find names with umlauts"]',
    ready: 'role=menuitem',
  },
  {
    name: 'team-assign',
    path: '/team',
    click: ['role=button[name="Move Find names with umlauts"]', 'role=menuitem[name=/Assigned/]'],
    ready: 'role=dialog[name="Assign to"] >> role=list[name="Members"]',
  },
  { name: 'team-new-epic', path: '/team/epics?add=true', ready: 'role=dialog[name="New epic"]' },
  {
    name: 'team-epic-menu',
    path: '/team/epics',
    click: 'role=button[name="Actions for Roll back with one command"]',
    ready: 'role=menuitem[name="Edit"]',
  },
  {
    name: 'team-member-menu',
    path: '/team/members',
    click: 'role=button[name="Actions for writer-1"]',
    ready: 'role=menuitem[name="Write mail"]',
  },
  {
    name: 'team-rules',
    path: '/team/permissions',
    click: 'role=button[name=/^Edit the rules of /]',
    ready: 'role=dialog',
  },
  {
    name: 'decisions-verify',
    path: '/decisions',
    click: 'role=button[name="Verify"]',
    ready: 'role=region[name="Proven"]',
  },
  {
    name: 'servers-menu',
    path: '/servers',
    click: 'role=button[name="Actions for memory"]',
    ready: 'role=menuitem[name="Log"]',
  },
  { name: 'tools-copy-menu', path: '/tools/search', click: 'role=button[name="Copy call"]', ready: 'role=menuitem' },
  {
    name: 'tools-toast',
    path: '/tools/search',
    click: ['role=button[name="Copy call"]', 'role=menuitem[name="Copy as curl"]'],
    ready: '[data-sonner-toast]',
  },
  { name: 'runs-start', path: '/runs?start=true', ready: 'role=dialog[name="Start a run"]' },
  {
    name: 'runs-prompt',
    path: '/runs',
    click: ['text=Which runbook explains', 'role=button[name="Show the prompt of step 1"]'],
    ready: 'role=dialog >> role=region[name="Messages"]',
  },
  {
    name: 'runs-fork',
    path: '/runs',
    click: ['text=Which runbook explains', 'role=button[name=/^Fork from step /]'],
    ready: 'role=dialog',
  },
  { name: 'settings-peer-new', path: '/settings/peers', click: 'role=button[name="Add peer"]', ready: 'role=dialog' },
  {
    name: 'settings-folder',
    path: '/settings/folders',
    fill: ['role=textbox[name="Path of a folder"]', '/'],
    click: 'role=button[name="Inspect"]',
    ready: 'role=dialog',
  },
  {
    name: 'access-sign-out',
    path: '/access',
    click: 'role=button[name="Sign out everywhere"]',
    ready: 'role=dialog[name="Sign out everywhere?"]',
  },
  { name: 'gallery-failed', path: '/', route: failing('**/api/agents'), ready: 'text=The agents could not be loaded' },
  { name: 'runs-failed', path: '/runs', route: failing('**/api/runs?*'), ready: 'text=The runs could not be loaded' },
  {
    name: 'settings-failed',
    path: '/settings',
    route: failing('**/api/settings'),
    ready: 'text=The settings could not be loaded',
  },
  {
    name: 'offline',
    path: '/',
    route: (page) => page.route('**/api/events', (route) => route.abort()),
    ready: 'text=Cannot reach the hub',
  },
  {
    name: 'read-only',
    path: '/',
    route: (page) =>
      page.route('**/api/status', async (route) => {
        const response = await route.fetch();
        const body = await response.json();
        const problem = { place: 'database', message: 'The disk is full.', isCritical: true, since: demoNow };
        await route.fulfill({ response, json: { ...body, problems: [...body.problems, problem] } });
      }),
    ready: 'text=The disk is full.',
  },
];

export const screens: readonly Screen[] = [
  { name: 'gallery', path: '/', ready: 'role=button[name="Actions for Incident responder"]' },
  { name: 'new', path: '/new', ready: 'role=button[name="Use Code reviewer"]' },
  { name: 'editor-prompt', path: '/a/code-reviewer?tab=prompt', ready: '.cm-content' },
  { name: 'editor-skills', path: '/a/code-reviewer?tab=skills', ready: 'role=switch[name="Enable Failure paths"]' },
  { name: 'editor-arguments', path: '/a/incident-responder?tab=arguments', ready: 'text=Required' },
  { name: 'editor-tools', path: '/a/code-reviewer?tab=tools', ready: 'text=agent_zoo_get_agent' },
  {
    name: 'editor-offered-tools',
    path: '/a/travel-desk?tab=offered-tools',
    ready: 'role=button[name="Test book_flight"]',
  },
  {
    name: 'editor-tool-builder',
    path: '/a/travel-desk?tab=offered-tools&tool=book_flight',
    click: 'role=button[name="Values and limits of departure_date"]',
    ready: 'role=textbox[name="Prompt template"]',
  },
  {
    name: 'editor-tool-schema',
    path: '/a/travel-desk?tab=offered-tools&tool=travel_policy',
    fill: [
      'role=textbox[name="Parameters as JSON Schema"]',
      '{\n  "type": "object",\n  "properties": {\n    "question": { "type": "text" }\n  }\n}',
    ],
    ready: 'text=The JSON is not valid yet',
  },
  {
    name: 'editor-tool-prompt',
    path: '/a/travel-desk?tab=offered-tools&tool=change_booking',
    fill: ['role=textbox[name="Prompt template"]', 'Move booking {boking} to {day}, and keep {{seats}}.'],
    ready: 'role=alert[name="Prompt problems"]',
  },
  {
    name: 'editor-tool-test',
    path: '/a/travel-desk?tab=offered-tools',
    click: 'role=button[name="Test book_flight"]',
    ready: 'role=button[name=/^Reuse values/]',
  },
  { name: 'editor-brain', path: '/a/code-reviewer?tab=brain', ready: 'text=payments module' },
  {
    name: 'editor-history',
    path: '/a/code-reviewer?tab=history',
    click: 'role=button[name=/v1/]',
    ready: 'text=Restore this version',
  },
  {
    name: 'editor-compare',
    path: '/a/code-reviewer?tab=history',
    click: 'role=button[name="Compare two versions"]',
    ready: 'role=region[name="Compare two versions"] >> role=list',
  },
  { name: 'editor-read-only', path: '/a/release-notes', ready: '.cm-content' },
  {
    name: 'editor-knowledge',
    path: '/a/incident-responder?tab=knowledge',
    ready: 'text=Added from knowledge',
  },
  { name: 'editor-context', path: '/a/writer?tab=context', ready: 'text=Added from context' },
  { name: 'editor-script', path: '/a/runbook-reader?tab=knowledge', ready: 'role=button[name="Build prompt"]' },
  { name: 'chat-new', path: '/chat', ready: 'role=list[name="Past chats"]' },
  { name: 'chat-agent', path: '/chat?with=incident-responder', ready: 'role=textbox[name=/^service/]' },
  { name: 'chat', path: '/chat', click: 'text=Payments failing since', ready: '[data-answer="completed"] table' },
  {
    name: 'chat-context',
    path: '/chat',
    click: ['text=Payments failing since', 'role=button[name="Show context"]'],
    ready: 'role=region[name="Passages"]',
  },
  { name: 'chat-approval', path: '/chat', click: 'text=Write the timeline', ready: '[data-approval]' },
  { name: 'chat-failed', path: '/chat', click: 'text=Where should retries live', ready: '[data-answer="failed"]' },
  {
    name: 'chat-compare',
    path: '/chat/compare?with=incident-responder',
    ready: 'role=region[name="Second"] >> role=textbox[name=/^service/]',
  },
  { name: 'chat-search', path: '/chat?q=ledger', ready: 'role=list[name="Past chats"] >> mark' },
  { name: 'knowledge', path: '/knowledge', ready: 'role=button[name="Sync services"]' },
  { name: 'knowledge-add', path: '/knowledge?add=folder', ready: 'role=button[name="Add and sync"]' },
  {
    name: 'knowledge-browse',
    path: '/knowledge?add=folder',
    click: ['role=button[name="Browse"]', 'role=list[name="Folders"] >> text=team'],
    ready: 'role=list[name="Folders"] >> text=runbooks',
  },
  { name: 'knowledge-search', path: '/knowledge/search?q=roll+back+a+release', ready: 'text=Payments runbook' },
  {
    name: 'knowledge-score',
    path: '/knowledge/search?q=roll+back+a+release',
    click: 'role=button[name=/^Score 1.00/]',
    ready: 'text=Score per word',
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
    click: ['role=button[name="Replace token"]', 'role=button[name="Replace"]'],
    ready: 'role=textbox[name="Token"]',
  },
  { name: 'team-epics', path: '/team/epics', ready: 'text=Roll back with one command' },
  { name: 'team-permissions', path: '/team/permissions', ready: 'tbody th' },
  { name: 'team-events', path: '/team/events', ready: 'role=button[name="Try again"]' },
  { name: 'inbox', path: '/inbox', ready: 'role=list[name="Waiting for you"]' },
  {
    name: 'inbox-approval',
    path: '/inbox',
    click: 'role=button[name=/wants to call/]',
    ready: 'role=button[name="Allow once"]',
  },
  {
    name: 'inbox-tools',
    path: '/inbox',
    click: 'role=button[name=/tools from tickets/]',
    ready: 'role=region[name="Tools to review"]',
  },
  {
    name: 'inbox-failure',
    path: '/inbox',
    click: 'role=button[name=/Architect: answer failed/]',
    ready: 'role=button[name="Try again"]',
  },
  {
    name: 'inbox-sign-in',
    path: '/inbox',
    click: 'role=button[name=/Sign in to calendar again/]',
    ready: 'role=button[name="Sign in again"]',
  },
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
    path: '/decisions?tool=run_checks',
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
  { name: 'servers', path: '/servers', ready: 'text=2 tools to review' },
  {
    name: 'servers-catalogue',
    path: '/servers?add=catalogue',
    ready: 'role=button[name="Choose Playwright"]',
  },
  {
    name: 'servers-catalogue-none',
    path: '/servers?add=catalogue',
    fill: ['role=searchbox[name="Search the catalogue"]', 'zzz'],
    ready: 'text=No servers found',
  },
  {
    name: 'servers-catalogue-chosen',
    path: '/servers?add=catalogue',
    click: 'role=button[name="Choose Filesystem"]',
    ready: 'role=textbox[name="folder"]',
  },
  {
    name: 'servers-catalogue-update',
    path: '/servers?add=catalogue',
    click: 'role=button[name="Update catalogue"]',
    ready: 'role=textbox[name="Address of the list"]',
  },
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
    ready: 'text=3 servers found',
  },
  { name: 'server-changed', path: '/servers/tickets', ready: 'role=button[name="Accept find_tickets"]' },
  {
    name: 'server-tools',
    path: '/servers/files',
    click: 'role=button[name="read_note"]',
    ready: 'text=Your settings',
  },
  { name: 'server-log', path: '/servers/files?tab=log', ready: 'role=region[name="Log"]' },
  { name: 'server-settings', path: '/servers/memory?tab=settings', ready: 'role=button[name="Save"]' },
  { name: 'server-read-only', path: '/servers/files?tab=settings', ready: 'text=Defined in' },
  { name: 'server-missing', path: '/servers/nobody', ready: 'text=Server not found' },
  { name: 'tools', path: '/tools', ready: 'text=Choose a tool' },
  {
    name: 'tools-try',
    path: '/tools/search',
    fill: ['role=textbox[name="query"]', 'roll back a release'],
    click: 'role=button[name="Run"]',
    ready: '[data-outcome="good"]',
  },
  {
    name: 'tools-refused',
    path: '/tools/search',
    fill: ['role=textbox[name="limit"]', '2000'],
    click: 'role=button[name="Run"]',
    ready: '[data-outcome="error"]',
  },
  {
    name: 'tools-nested',
    path: '/tools/mcp__memory__create_entities',
    click: ['role=button[name="Add to entities"]', 'role=button[name="Add to observations"]'],
    ready: 'role=textbox[name="observations 1"]',
  },
  {
    name: 'tools-image',
    path: '/tools/mcp__everything__get-tiny-image',
    click: 'role=button[name="Run"]',
    ready: 'role=img[name="Image 2"]',
  },
  { name: 'tools-schema', path: '/tools/mcp__memory__create_entities?tab=schema', ready: 'text=entityType' },
  { name: 'tools-access', path: '/tools/search?tab=access', ready: 'text=Annotations' },
  {
    name: 'models',
    path: '/models',
    click: 'role=button[name="List models from office"]',
    ready: 'text=office/zebra-large',
  },
  { name: 'models-add', path: '/models', click: 'role=button[name="Add provider"]', ready: 'role=dialog' },
  { name: 'models-file', path: '/models', click: 'role=button[name="Change office"]', ready: 'role=dialog' },
  { name: 'models-key', path: '/models', click: 'role=button[name="Set key for openai"]', ready: 'role=dialog' },
  { name: 'runs', path: '/runs', ready: '[data-run]' },
  { name: 'runs-run', path: '/runs', click: 'text=Which runbook explains', ready: '[data-call]' },
  { name: 'runs-interrupted', path: '/runs', click: 'text=Move the old tickets', ready: '[data-call]' },
  { name: 'usage', path: '/usage', ready: '[data-chart] canvas' },
  { name: 'usage-model', path: '/usage?by=model&last=month&agent=code-reviewer', ready: '[data-chart] canvas' },
  { name: 'usage-empty', path: '/usage?agent=nobody', ready: 'text=No model calls' },
  { name: 'usage-budget', path: '/usage', click: 'role=button[name="Add a budget"]', ready: 'role=dialog' },
  { name: 'connect', path: '/connect', ready: 'text=Cursor' },
  { name: 'connect-agent', path: '/connect?agent=code-reviewer', ready: 'text=Cursor' },
  {
    name: 'connect-key',
    path: '/connect?client=cursor',
    click: 'role=button[name="Create a key for Cursor"]',
    ready: 'text=Add to Cursor',
  },
  { name: 'access', path: '/access', ready: 'text=Nightly report' },
  { name: 'access-key', path: '/access', click: 'role=button[name="Create key"]', ready: 'role=dialog' },
  { name: 'settings', path: '/settings', ready: 'text=Clients without a key' },
  { name: 'settings-team', path: '/settings/team', ready: 'text=A member is stalled after' },
  { name: 'settings-retention', path: '/settings/retention', ready: 'text=Decision log' },
  {
    name: 'settings-change',
    path: '/settings/retention',
    click: 'role=button[name="Change Decision log"]',
    ready: 'role=dialog',
  },
  {
    name: 'settings-address',
    path: '/settings',
    click: 'role=button[name="Change Listens on"]',
    ready: 'role=dialog',
  },
  { name: 'settings-webhooks', path: '/settings/webhooks', ready: 'role=button[name="Add webhook"]' },
  {
    name: 'settings-webhook-new',
    path: '/settings/webhooks',
    click: 'role=button[name="Add webhook"]',
    ready: 'role=dialog',
  },
  { name: 'settings-peers', path: '/settings/peers', ready: 'role=button[name="Add peer"]' },
  { name: 'settings-folders', path: '/settings/folders', ready: 'role=button[name="Inspect"]' },
  {
    name: 'settings-folders-browse',
    path: '/settings/folders',
    click: 'role=button[name="Browse"]',
    ready: 'role=list[name="Folders"] >> text=team',
  },
  { name: 'sign-in', path: '/', isSignedOut: true, ready: 'text=zoo open' },
  {
    name: 'sign-in-used-link',
    path: '/sign-in#zoo_code_used',
    isSignedOut: true,
    ready: 'text=This link has been used',
  },
  { name: 'palette', path: '/', press: 'Control+k', ready: 'role=dialog' },
  { name: 'palette-found', path: '/', press: 'Control+k', type: 'rev', ready: 'role=option[name=/Code reviewer/]' },
  { name: 'shortcuts', path: '/', press: '?', ready: 'role=dialog' },
  { name: 'gallery-none', path: '/?q=nothing+like+this', ready: 'text=No agents match' },
  {
    name: 'gallery-menu',
    path: '/',
    click: 'role=button[name="Actions for Incident responder"]',
    ready: 'role=menuitem[name="Clone"]',
  },
  {
    name: 'gallery-selection',
    path: '/?tag=operations',
    click: ['role=checkbox[name="Select Incident responder"]', 'role=checkbox[name="Select runbook-reader"]'],
    ready: 'role=region[name="Selected agents"]',
  },
  {
    name: 'gallery-tagging',
    path: '/',
    click: ['role=checkbox[name="Select Incident responder"]', 'role=button[name="Tag…"]'],
    ready: 'role=dialog[name="Tag 1 agent"]',
  },
  { name: 'gallery-folders', path: '/?group=source', ready: 'role=button[name=/Made in the app/]' },
  {
    name: 'gallery-favourites',
    path: '/',
    click: ['role=button[name="Add Writer to favourites"]', 'role=button[name="Favourites"]'],
    ready: 'role=button[name="Remove Writer from favourites"]',
  },
  { name: 'gallery-tags', path: '/', click: 'role=combobox[name="Tag"]', ready: 'role=option[name="review (2)"]' },
  { name: 'gallery-sort', path: '/', click: 'role=combobox[name="Sort by"]', ready: 'role=option[name="Skills"]' },
  { name: 'new-create', path: '/new', click: 'role=button[name="Use Code reviewer"]', ready: 'role=dialog' },
  {
    name: 'editor-menu',
    path: '/a/code-reviewer?tab=skills',
    click: 'role=button[name="More actions"]',
    ready: 'role=menuitem',
  },
  {
    name: 'editor-unsaved',
    path: '/a/code-reviewer?tab=skills',
    click: 'role=switch[name="Enable Failure paths"]',
    isUnsaved: true,
    ready: 'role=button[name=/^Save/]',
  },
  {
    name: 'access-revoke',
    path: '/access',
    click: 'role=button[name="Revoke the key of Codex"]',
    ready: 'role=dialog',
  },
  { name: 'api-docs', path: '/docs', isOutside: true, ready: 'text="/agents/list"' },
  { name: 'not-found', path: '/a/nobody', ready: 'text=nobody' },
  { name: 'gallery-narrow', path: '/', narrow: true, ready: 'role=button[name="Actions for Incident responder"]' },
  {
    name: 'gallery-selection-narrow',
    path: '/?group=source',
    narrow: true,
    click: ['role=button[name="Actions for Incident responder"]', 'role=menuitem[name="Select"]'],
    ready: 'role=region[name="Selected agents"]',
  },
  { name: 'settings-narrow', path: '/settings', narrow: true, ready: 'text=Clients without a key' },
  {
    name: 'settings-webhooks-narrow',
    path: '/settings/webhooks',
    narrow: true,
    ready: 'role=button[name="Add webhook"]',
  },
  { name: 'access-narrow', path: '/access', narrow: true, ready: 'text=Nightly report' },
  { name: 'sign-in-narrow', path: '/', narrow: true, isSignedOut: true, ready: 'text=zoo open' },
  { name: 'new-narrow', path: '/new', narrow: true, ready: 'role=button[name="Use Code reviewer"]' },
  {
    name: 'editor-narrow',
    path: '/a/code-reviewer?tab=skills',
    narrow: true,
    ready: 'role=switch[name="Enable Failure paths"]',
  },
  {
    name: 'editor-tool-builder-narrow',
    path: '/a/travel-desk?tab=offered-tools&tool=book_flight',
    narrow: true,
    click: 'role=button[name="Values and limits of age"]',
    ready: 'role=textbox[name="Prompt template"]',
  },
  {
    name: 'editor-tool-test-narrow',
    path: '/a/travel-desk?tab=offered-tools',
    narrow: true,
    click: 'role=button[name="Test book_flight"]',
    ready: 'role=button[name=/^Reuse values/]',
  },
  {
    name: 'editor-knowledge-narrow',
    path: '/a/incident-responder?tab=knowledge',
    narrow: true,
    ready: 'text=Passages for',
  },
  { name: 'chat-new-narrow', path: '/chat', narrow: true, ready: 'role=heading[name="New chat"]' },
  {
    name: 'chat-compare-narrow',
    path: '/chat/compare?with=incident-responder',
    narrow: true,
    ready: 'role=region[name="Second"] >> role=textbox[name=/^service/]',
  },
  {
    name: 'chat-list-narrow',
    path: '/chat',
    narrow: true,
    click: 'role=button[name="Past chats"]',
    ready: 'role=list[name="Past chats"]',
  },
  {
    name: 'chat-narrow',
    path: '/chat',
    narrow: true,
    click: ['role=button[name="Past chats"]', 'text=Payments failing since'],
    ready: '[data-answer="completed"] table',
  },
  {
    name: 'chat-approval-narrow',
    path: '/chat',
    narrow: true,
    click: ['role=button[name="Past chats"]', 'text=Write the timeline'],
    ready: '[data-approval]',
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
  { name: 'inbox-narrow', path: '/inbox', narrow: true, ready: 'role=list[name="Waiting for you"]' },
  {
    name: 'inbox-tools-narrow',
    path: '/inbox',
    narrow: true,
    click: 'role=button[name=/tools from tickets/]',
    ready: 'role=region[name="Tools to review"]',
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
  { name: 'servers-narrow', path: '/servers', narrow: true, ready: 'text=2 tools to review' },
  {
    name: 'servers-catalogue-narrow',
    path: '/servers?add=catalogue',
    narrow: true,
    ready: 'role=button[name="Choose Playwright"]',
  },
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
  { name: 'tools-narrow', path: '/tools', narrow: true, ready: 'text=agent_zoo_inject' },
  {
    name: 'tools-try-narrow',
    path: '/tools/search',
    narrow: true,
    fill: ['role=textbox[name="query"]', 'roll back a release'],
    click: 'role=button[name="Run"]',
    ready: '[data-outcome="good"]',
  },
  { name: 'models-narrow', path: '/models', narrow: true, ready: 'role=button[name="Set key for openai"]' },
  { name: 'runs-narrow', path: '/runs', narrow: true, ready: '[data-run]' },
  { name: 'runs-run-narrow', path: '/runs', narrow: true, click: 'text=Move the old tickets', ready: '[data-call]' },
  { name: 'usage-narrow', path: '/usage', narrow: true, ready: '[data-chart] canvas' },
  {
    name: 'usage-budget-narrow',
    path: '/usage',
    narrow: true,
    click: 'role=button[name="Add a budget"]',
    ready: 'role=dialog',
  },
  { name: 'connect-narrow', path: '/connect', narrow: true, ready: 'text=Cursor' },
  ...small,
];

/** What the screens show on a hub that nobody has used yet. */
export const emptyScreens: readonly Screen[] = [
  { name: 'gallery', path: '/', ready: 'text=Create your first agent' },
  { name: 'first-steps', path: '/', ready: 'role=region[name="First steps"]' },
  { name: 'inbox', path: '/inbox', ready: 'text=Nothing is waiting for you' },
  { name: 'chat', path: '/chat', ready: 'role=heading[level=1]' },
  { name: 'knowledge', path: '/knowledge', ready: 'role=heading[level=1]' },
  { name: 'knowledge-search', path: '/knowledge/search?q=anything', ready: 'role=heading[level=1]' },
  { name: 'knowledge-documents', path: '/knowledge/documents', ready: 'role=heading[level=1]' },
  { name: 'team-board', path: '/team', ready: 'role=heading[level=1]' },
  { name: 'team-members', path: '/team/members', ready: 'role=heading[level=1]' },
  { name: 'team-epics', path: '/team/epics', ready: 'role=heading[level=1]' },
  { name: 'team-events', path: '/team/events', ready: 'role=heading[level=1]' },
  { name: 'mail', path: '/mail', ready: 'role=heading[level=1]' },
  { name: 'decisions', path: '/decisions', ready: 'role=heading[level=1]' },
  { name: 'runs', path: '/runs', ready: 'role=heading[level=1]' },
  { name: 'usage', path: '/usage', ready: 'text=No budgets yet' },
  { name: 'tools', path: '/tools', ready: 'text=Choose a tool' },
  { name: 'new', path: '/new', ready: 'role=button[name="Use Code reviewer"]' },
  { name: 'team-permissions', path: '/team/permissions', ready: 'tbody th' },
  { name: 'servers', path: '/servers', ready: 'role=heading[level=1]' },
  { name: 'models', path: '/models', ready: 'role=heading[level=1]' },
  { name: 'settings', path: '/settings', ready: 'role=heading[level=1]' },
  { name: 'connect', path: '/connect', ready: 'role=heading[level=1]' },
  { name: 'access', path: '/access', ready: 'role=heading[level=1]' },
];
