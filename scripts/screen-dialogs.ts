import { updateAgent } from '../src/agents/edit-agents.ts';
import type { InboxItem } from '../src/inbox/inbox.ts';
import type { Hub } from '../src/index.ts';
import type { ProviderConnection } from '../src/models/language-models.ts';
import type { FolderBody, SettingsBody } from '../src/settings/app-settings.ts';
import type { TaskListBody } from '../src/team/work/work.contract.ts';
import type { BudgetState } from '../src/usage/budgets.ts';
import { answering, changing, creatingKey, demoNow, failing, openPastChats, type Screen } from './screen.ts';

const described = [
  'Reviews code and configuration for weaknesses that an attacker could use.',
  'Finds what an attacker could use in code and configuration that you own.',
] as const;

async function changeDescription(hub: Hub): Promise<void> {
  const { agent } = await hub.agents.get('security-auditor');
  const { id: _, source: __, ...fields } = agent;
  await updateAgent(hub, agent.id, {
    input: { ...fields, description: agent.description === described[0] ? described[1] : described[0] },
    expectedRevision: null,
  });
}

const cloned: FolderBody = {
  folder: '/home/you/code/shop',
  file: '/home/you/code/shop/zoo.toml',
  isHub: true,
  trustedAt: null,
  problem: null,
  isDeclined: false,
  seen: '1',
  gone: [],
  parts: [
    {
      key: 'mcp_servers.files',
      state: 'new',
      description: 'Starts "node server.js" on this machine, with all your rights, as the server "files".',
      text: '[mcp_servers.files]\ncommand = "node"\nargs = ["server.js"]\n',
      changes: [],
      files: [{ name: 'server.js', text: 'console.log("ready");\n', problem: null }],
    },
  ],
};
const trusted: FolderBody = {
  ...cloned,
  trustedAt: demoNow,
  parts: cloned.parts.map((part) => ({ ...part, state: 'trusted' })),
};
const notConnected: ProviderConnection = {
  isSaved: false,
  provider: null,
  listed: null,
  latencyMs: 3,
  answeredBy: null,
  failure: {
    step: 'list',
    code: 'MODEL_ERROR',
    reason: 'unreachable',
    message: 'The model list of openai cannot be reached: nothing is listening at 127.0.0.1:9 (ECONNREFUSED).',
  },
};
const question: InboxItem = {
  id: 'trust:1',
  kind: 'trust',
  title: 'zoo.toml is not trusted yet',
  why: '1 part is inactive until you trust it.',
  since: 0,
  urgency: 'normal',
  link: '/settings/folders',
  settle: { folder: cloned.folder },
};
const budget: BudgetState = {
  id: 'month',
  version: 1,
  scope: { kind: 'hub' },
  period: 'month',
  unit: 'cost',
  limit: 20,
  action: 'warn',
  used: 17,
  unpriced: 0,
  since: '2026-11-01T00:00:00.000Z',
  resetsAt: '2026-12-01T00:00:00.000Z',
};
const budgetItem: InboxItem = {
  ...question,
  id: 'budget:month',
  kind: 'failure',
  title: 'The budget of the hub for this month is nearly used up',
  why: '$17.00 of $20.00 used. It resets on 2026-12-01 at 00:00 UTC.',
  link: '/usage',
  settle: { what: 'budget', budget: budget.id },
};
const credentialsItem: InboxItem = {
  ...question,
  id: 'server:files',
  kind: 'failure',
  title: 'The server files rejects its credentials',
  why: 'The server replied with HTTP 401.',
  link: '/servers/files',
  settle: { what: 'server', server: 'files', hasBadCredentials: true },
};
function reviewOf({ id, title, assigneeId, stateSince }: TaskListBody['tasks'][number]): InboxItem {
  return {
    id: `review:${id}`,
    kind: 'review',
    title,
    why: `${assigneeId} asks for your review.`,
    since: Date.parse(stateSince),
    urgency: 'normal',
    link: `/team/tasks/${id}`,
    settle: { taskId: id, assigneeId },
  };
}
const peer: SettingsBody['peers'][number] = {
  name: 'office',
  url: 'https://zoo.example/a2a',
  version: 1,
  hasToken: true,
  headers: [],
  origin: { kind: 'hub' },
};

const noLines = { where: 'hub', lines: [], deletes: [], creates: null, needsRestart: false, hash: null };
const keepThirtyDays = [
  'role=button[name="Change Decision log"]',
  ['role=dialog >> role=textbox', '30'],
  'role=button[name="Save"]',
] as const;
const restarting = new Map<string, string>([
  ['server.bind', '0.0.0.0:7332'],
  ['server.public_url', 'https://zoo.example'],
]);

/** Dialogs, menus and what a click on a screen opens. */
export const dialogs: readonly Screen[] = [
  { name: 'gallery-import-menu', path: '/', click: 'role=button[name="More actions"]', ready: 'role=menuitem' },
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
  { name: 'chat-compare-new', path: '/chat/compare', ready: 'role=heading[level=1]' },
  {
    name: 'chat-menu',
    path: '/chat',
    narrowClick: openPastChats,
    click: ['text=Is this retry safe?', 'role=region[name="Chat"] >> role=button[name=/^Actions for /]'],
    ready: 'role=menuitem[name="Rename"]',
  },
  {
    name: 'chat-rename',
    path: '/chat',
    narrowClick: openPastChats,
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
    name: 'team-task-menu',
    path: '/team',
    click: 'role=button[name="Move The approval page shows who asked and why"]',
    ready: 'role=menuitem',
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
  {
    name: 'import-confirm',
    path: '/',
    file: [
      {
        id: 'helper',
        name: 'Helper',
        systemPrompt: 'You help.',
        tools: ['*'],
        toolPermission: 'never',
      },
    ],
    ready: 'role=dialog[name="Import agents with broad powers?"]',
  },
  {
    name: 'import-offer',
    path: '/',
    route: answering('**/api/import/offer', {
      json: {
        offer: {
          file: '/home/you/.agent-zoo/agents.json',
          agents: [
            { id: 'sage', name: 'Sage' },
            { id: 'ember', name: 'Ember' },
          ],
          brainEntries: 3,
        },
      },
    }),
    ready: 'role=button[name="Import 2 agents"]',
  },
  {
    name: 'gallery-problems',
    path: '/',
    route: changing<{ problems: object[] }>('**/api/agents', (reply) => ({
      ...reply,
      problems: ['writer.md', 'reviewer.md'].map((file) => ({
        place: `agents/${file}`,
        message: 'Line 3: "tools" must be a list of names.',
        isCritical: false,
      })),
    })),
    click: 'text=1 more problem',
    ready: 'role=region[name="Problems"] >> text=agents/reviewer.md',
  },
  {
    name: 'editor-leave',
    path: '/a/code-reviewer?tab=skills',
    click: ['role=switch[name="Enable Failure paths"]', 'role=link[name=/^Inbox/]'],
    isUnsaved: true,
    ready: 'role=dialog[name="Save your changes?"]',
  },
  {
    name: 'editor-discard',
    path: '/a/code-reviewer?tab=skills',
    click: [
      'role=switch[name="Enable Failure paths"]',
      'role=button[name="More actions"]',
      'role=menuitem[name="Discard changes"]',
    ],
    isUnsaved: true,
    ready: 'role=dialog[name="Discard unsaved changes?"]',
  },
  {
    name: 'editor-restore',
    path: '/a/code-reviewer?tab=skills',
    click: [
      'role=switch[name="Enable Failure paths"]',
      'role=tab[name=/^History/]',
      'role=button[name=/v1/]',
      'text=Restore this version',
    ],
    isUnsaved: true,
    ready: 'role=dialog[name="Restore version 1?"]',
  },
  {
    name: 'editor-newer',
    path: '/a/security-auditor?tab=skills',
    click: 'role=switch[name=/^Enable /]',
    meanwhile: changeDescription,
    isUnsaved: true,
    ready: 'role=button[name="Compare"]',
  },
  {
    name: 'editor-gone',
    path: '/a/security-auditor?tab=skills',
    route: (page) => {
      let reads = 0;
      return page.route('**/api/agents/security-auditor', (route) => {
        reads += 1;
        if (reads === 1) return route.continue();
        const error = { code: 'not_found', message: 'There is no agent "security-auditor".' };
        return route.fulfill({ status: 404, json: { error } });
      });
    },
    click: 'role=switch[name=/^Enable /]',
    meanwhile: changeDescription,
    isUnsaved: true,
    ready: 'role=button[name="Save as new agent"]',
  },
  {
    name: 'editor-undo',
    path: '/a/code-reviewer?tab=skills',
    click: ['role=button[name="Failure paths"]', 'role=button[name="Delete skill"]'],
    isUnsaved: true,
    ready: '[data-sonner-toast] >> role=button[name="Undo"]',
  },
  {
    name: 'editor-parameter-menu',
    path: '/a/travel-desk?tab=offered-tools&tool=book_flight',
    click: 'role=button[name="Actions for departure_date"]',
    ready: 'role=menuitem[name="Remove"]',
  },
  {
    name: 'editor-tool-more',
    path: '/a/travel-desk?tab=offered-tools&tool=book_flight',
    click: 'text=Output, cache and version',
    ready: 'role=group[name="Cache"]',
  },
  {
    name: 'editor-brain-new',
    path: '/a/code-reviewer?tab=brain',
    click: 'role=button[name="Add entry"]',
    ready: 'role=button[name="Cancel"]',
  },
  {
    name: 'chat-model',
    path: '/chat',
    narrowClick: openPastChats,
    click: ['text=Is this retry safe?', 'role=button[name=/^Model: /]'],
    ready: 'role=dialog >> role=button[name="Use model"]',
  },
  {
    name: 'chat-agent-switch',
    path: '/chat',
    narrowClick: openPastChats,
    click: ['text=Is this retry safe?', 'role=button[name=/^Agent: /]'],
    ready: 'role=dialog >> text=Answers your next message',
  },
  {
    name: 'chat-file',
    path: '/chat?with=writer',
    file: { note: 'A file.' },
    ready: 'role=button[name="Remove agents.json"]',
  },
  {
    name: 'chat-first-model',
    path: '/chat?with=writer',
    // After its models were listed, the provider of the demo is offered.
    ready: 'role=heading[name=/^(Connect|Choose) a model first$/]',
  },
  {
    name: 'chat-not-sent',
    path: '/chat?with=writer',
    route: async (page) => {
      const json = { model: 'office/zebra-large', from: 'app', version: 1 };
      await answering('**/api/models/default', { json })(page);
      await failing('**/api/chats')(page);
    },
    fill: ['role=textbox[name="Message"]', 'Good morning'],
    click: 'role=button[name="Send"]',
    ready: 'text=Not sent',
  },
  {
    name: 'team-epic-edit',
    path: '/team/epics',
    click: ['role=button[name="Actions for Roll back with one command"]', 'role=menuitem[name="Edit"]'],
    ready: 'role=dialog[name="Edit epic"]',
  },
  {
    name: 'team-token-replace',
    path: '/team/members?member=tester-1',
    click: 'role=button[name="Replace token"]',
    ready: 'role=dialog[name=/^Replace tester-1/]',
  },
  {
    name: 'team-token-revoke',
    path: '/team/members?member=tester-1',
    click: 'role=button[name="Revoke"]',
    ready: 'role=dialog[name=/^Revoke tester-1/]',
  },
  {
    name: 'team-unverified',
    path: '/team/members',
    route: changing('**/api/team/members', (reply) => ({ ...reply, believesCallers: true })),
    click: 'role=combobox[name="Create a token for"]',
    ready: 'role=option[name="tester-1"]',
  },
  {
    name: 'team-review-changes',
    path: '/team',
    click: ['text=The approval page shows who asked and why', 'role=button[name="Request changes"]'],
    ready: 'role=dialog >> role=alert',
  },
  {
    name: 'mail-recipients',
    path: '/mail?to=',
    click: 'role=combobox[name="To"]',
    ready: 'role=option[name=/tester-1/]',
  },
  {
    name: 'knowledge-accept-empty',
    path: '/knowledge',
    route: changing<{ sources: { name: string }[] }>('**/api/knowledge', (reply) => ({
      ...reply,
      sources: reply.sources.map((each) =>
        each.name === 'services' ? { ...each, state: 'failed', message: 'The folder is empty.' } : each,
      ),
    })),
    click: ['role=button[name="Actions for services"]', 'role=menuitem[name=/^Sync and accept as empty/]'],
    ready: 'role=dialog[name=/^Accept “services” as empty/]',
  },
  {
    name: 'knowledge-queued',
    path: '/knowledge',
    route: changing<{ sources: { name: string }[] }>('**/api/knowledge', (reply) => ({
      ...reply,
      sources: reply.sources.map((each) =>
        each.name === 'services' ? { ...each, requestedAt: '2026-11-17T09:00:00.000Z' } : each,
      ),
    })),
    ready: 'role=button[name="Cancel sync of services"]',
  },
  {
    name: 'servers-leave',
    path: '/servers/memory?tab=settings',
    fill: ['role=textbox[name="Command"]', 'node other.js'],
    click: 'role=link[name=/^Inbox/]',
    isUnsaved: true,
    ready: 'role=dialog[name="Save your changes?"]',
  },
  {
    name: 'tools-confirm',
    path: '/tools/mcp__memory__delete_entities',
    click: 'role=button[name="Run"]',
    ready: 'role=dialog[name=/^Run /]',
  },
  {
    name: 'tools-earlier',
    path: '/tools/search',
    fill: ['role=textbox[name="query"]', 'roll back'],
    click: ['role=button[name="Run"]', 'role=button[name="Earlier inputs"]'],
    ready: 'role=menuitem >> text=roll back',
  },
  {
    name: 'models-remove-file',
    path: '/models',
    click: ['role=button[name="Remove office"]', 'role=button[name="Show the change"]'],
    ready: 'role=button[name="Remove from zoo.toml"]',
  },
  {
    name: 'models-remove-price',
    path: '/models',
    click: ['role=button[name="Show prices of office"]', 'role=button[name="Remove the price of zebra-large"]'],
    ready: 'role=dialog[name="Remove the price of zebra-large?"]',
  },
  {
    name: 'models-remove-key',
    path: '/models',
    route: changing<{ providers: { name: string }[] }>('**/api/providers', ({ providers }) => ({
      providers: providers.map((each) => (each.name === 'openai' ? { ...each, key: 'vault', isReady: true } : each)),
    })),
    click: 'role=button[name=/^Remove openai.s key/]',
    ready: 'role=dialog[name=/^Remove openai.s key/]',
  },
  {
    name: 'models-discard-key',
    path: '/models?add=true',
    fill: ['role=dialog >> input[type="password"]', 'a-key'],
    click: 'role=dialog >> role=button[name="Close"]',
    ready: 'role=dialog[name="Discard the key?"]',
  },
  {
    name: 'models-not-connected',
    path: '/models?add=true',
    route: answering('**/api/providers/*/connect', { json: notConnected }),
    fill: ['role=dialog >> input[type="password"]', 'a-key'],
    click: 'role=button[name="Connect and test"]',
    ready: 'role=dialog >> role=button[name="Save anyway"]',
  },
  {
    name: 'models-not-listed',
    path: '/models',
    route: answering('**/api/providers/ollama/models', { json: { models: [], facts: {} } }),
    fill: ['role=combobox[name="Default model"]', 'office/zebra-huge'],
    // The first click closes the list.
    click: ['h1', 'role=region[name="Default model"] >> role=button[name="Save"]'],
    ready: 'role=dialog[name="Use office/zebra-huge anyway?"]',
  },
  {
    name: 'usage-budget-edit',
    path: '/usage',
    click: 'role=button[name="Edit Member writer-1, per month"]',
    ready: 'role=dialog',
  },
  {
    name: 'settings-delete-history',
    path: '/settings/retention',
    route: answering('**/api/settings/preview', {
      json: { ...noLines, deletes: [{ what: 'log', count: 1_204 }] },
    }),
    click: keepThirtyDays,
    ready: 'role=dialog[name="Delete older history?"]',
  },
  {
    name: 'settings-create-file',
    path: '/settings/retention',
    route: answering('**/api/settings/preview', {
      json: {
        ...noLines,
        lines: [
          { kind: 'added', line: 1, text: '[log]' },
          { kind: 'added', line: 2, text: 'keep_days = 30' },
        ],
        creates: '/home/you/.agent-zoo/zoo.toml',
        needsRestart: true,
      },
    }),
    click: keepThirtyDays,
    ready: 'role=button[name="Create the file"]',
  },
  {
    name: 'settings-webhook-edit',
    path: '/settings/webhooks',
    click: 'role=button[name=/^Edit /]',
    ready: 'role=dialog',
  },
  {
    name: 'settings-webhook-remove',
    path: '/settings/webhooks',
    click: 'role=button[name=/^Remove /]',
    ready: 'role=dialog[name=/^Remove the webhook /]',
  },
  {
    name: 'settings-peer-remove',
    path: '/settings/peers',
    route: changing<SettingsBody>('**/api/settings', (reply) => ({
      ...reply,
      peers: [{ ...peer, origin: { kind: 'file', line: 3 } }],
    })),
    click: 'role=button[name="Remove office"]',
    ready: 'role=dialog[name=/^Remove /]',
  },
  {
    name: 'settings-untrust',
    path: '/settings/folders',
    route: answering('**/api/trust', { json: { folders: [trusted] } }),
    click: 'role=button[name=/^Stop trusting /]',
    ready: 'role=dialog >> role=button[name="Cancel"]',
  },
  {
    name: 'settings-folder-states',
    path: '/settings/folders',
    route: answering('**/api/trust', {
      json: {
        folders: [
          { ...cloned, isDeclined: true },
          { ...cloned, folder: '/home/you/code/blog', parts: [] },
          { ...trusted, folder: '/home/you/code/gone', file: null, parts: [] },
        ],
      },
    }),
    ready: 'text=You chose not to trust it',
  },
  {
    name: 'settings-notices',
    path: '/settings',
    route: changing<SettingsBody>('**/api/settings', (reply) => ({
      ...reply,
      file: reply.file && {
        ...reply.file,
        problem: 'zoo.toml, line 12: "keep_days" must be a number.',
        held: ['[mcp_servers.files]'],
      },
      settings: reply.settings.map((each) => {
        const value = restarting.get(each.key);
        return value === undefined ? each : { ...each, value, origin: { kind: 'file', line: null }, isPending: true };
      }),
    })),
    ready: 'text=Restart the hub to apply',
  },
  {
    name: 'access-key-created',
    path: '/access?add=true',
    route: creatingKey('CI'),
    fill: ['role=dialog >> role=textbox[name="Name"]', 'CI'],
    click: 'role=dialog >> role=button[name="Create key"]',
    ready: 'role=dialog[name="The key of CI"]',
  },
  {
    name: 'access-first-browser',
    path: '/access',
    route: changing<{ sessions: object[] }>('**/api/sessions', ({ sessions }) => ({
      sessions: sessions.map((each) => ({ ...each, isFirst: true, createdAt: new Date().toISOString() })),
    })),
    ready: 'text=was the first to open this installation',
  },
  {
    name: 'inbox-review',
    path: '/inbox',
    route: (page) =>
      page.route('**/api/inbox', async (route) => {
        const response = await route.fetch();
        const tasks = await page.request.get(new URL('/api/tasks?state=REVIEW&limit=1', response.url()).href);
        const [task] = ((await tasks.json()) as TaskListBody).tasks;
        const items = task && [reviewOf(task)];
        await route.fulfill({ response, json: { ...(await response.json()), items } });
      }),
    click: 'role=list[name="Waiting for you"] >> role=button',
    ready: 'role=button[name="Approve"]',
  },
  {
    name: 'inbox-mail',
    path: '/inbox',
    click: 'role=button[name=/Two things only you can do/]',
    // Once read, it leaves the inbox.
    route: answering('**/api/mail/threads/*/read', { json: { threadId: 'mail_1', readAt: demoNow } }),
    ready: 'role=list[name="Mails"]',
  },
  {
    name: 'inbox-trust',
    path: '/inbox',
    route: async (page) => {
      await answering('**/api/trust/folder*', { json: cloned })(page);
      await changing('**/api/inbox', (reply) => ({ ...reply, items: [question] }))(page);
    },
    click: 'role=button[name=/is not trusted yet/]',
    ready: 'role=button[name="Trust"]',
  },
  {
    name: 'inbox-budget',
    path: '/inbox',
    route: async (page) => {
      await answering('**/api/budgets', { json: { budgets: [budget] } })(page);
      await changing('**/api/inbox', (reply) => ({ ...reply, items: [budgetItem] }))(page);
    },
    click: ['role=button[name=/is nearly used up/]', 'role=button[name="Change the budget"]'],
    ready: 'role=dialog[name="Edit budget"]',
  },
  {
    name: 'inbox-credentials',
    path: '/inbox',
    route: changing('**/api/inbox', (reply) => ({ ...reply, items: [credentialsItem] })),
    click: 'role=button[name=/rejects its credentials/]',
    ready: 'role=link[name="Change credentials"]',
  },
  {
    name: 'draft-restored',
    path: '/team/epics?add=true',
    fill: ['role=dialog >> role=textbox[name="Title"]', 'Roll back'],
    click: ['role=dialog >> role=button[name="Close"]', 'role=button[name="New epic"]'],
    ready: 'role=dialog >> text=Restored what you typed',
  },
  {
    name: 'chat-filter',
    path: '/chat',
    narrowClick: openPastChats,
    route: changing<{ agents: { id: string }[] }>('**/api/agents', (reply) => ({
      ...reply,
      agents: Array.from({ length: 100 }, (_, index) => ({
        ...reply.agents[0],
        id: `agent-${index}`,
        name: `Agent ${index}`,
      })),
    })),
    click: 'role=combobox[name="Filter by agent"]',
    ready: 'role=option',
  },
  ...(
    [
      ['team-new-task', '/team?add=true', 'Create task'],
      ['team-new-epic', '/team/epics?add=true', 'Create epic'],
      ['mail-compose', '/mail?to=', 'Send'],
      ['access-key', '/access?add=true', 'Create key'],
      ['servers-add', '/servers?add=command', 'Add server'],
    ] as const
  ).map(([name, path, submit]) => ({
    name: `${name}-empty`,
    path,
    click: `role=dialog >> role=button[name="${submit}"]`,
    ready: 'role=dialog >> [aria-invalid="true"]',
  })),
  {
    name: 'settings-webhook-empty',
    path: '/settings/webhooks',
    click: ['role=button[name="Add webhook"]', 'role=dialog >> role=button[name="Add webhook"]'],
    ready: 'role=dialog >> [aria-invalid="true"]',
  },
  {
    name: 'settings-peer-edit',
    path: '/settings/peers',
    route: changing<SettingsBody>('**/api/settings', (reply) => ({ ...reply, peers: [peer] })),
    click: 'role=button[name="Edit office"]',
    ready: 'role=dialog[name="Edit office"]',
  },
  {
    name: 'settings-trust',
    path: '/settings/folders',
    route: answering('**/api/trust', { json: { folders: [cloned] } }),
    click: 'role=button[name=/^Review /]',
    ready: 'role=dialog[name="Trust this folder?"]',
  },
  {
    name: 'settings-trust-again',
    path: '/settings/folders',
    route: answering('**/api/trust', {
      json: {
        folders: [
          {
            ...cloned,
            trustedAt: demoNow,
            gone: ['providers.office'],
            parts: cloned.parts.map((part) => ({
              ...part,
              state: 'changed',
              changes: [
                { kind: 'removed', text: 'args = ["old.js"]' },
                { kind: 'added', text: 'args = ["server.js"]' },
              ],
            })),
          },
        ],
      },
    }),
    click: 'role=button[name=/^Review /]',
    ready: 'role=dialog[name="This folder has changed"]',
  },
  {
    name: 'decisions-changed-log',
    path: '/decisions',
    route: answering('**/api/decisions/verify', {
      json: {
        rows: 1_204,
        chains: 2,
        problems: [{ chain: 'a', chainNo: 3, seq: 17, message: 'Entry 17 of chain "a" was changed.' }],
        proven: ['Chain "b" is whole up to 2026-11-18T11:00:00.000Z.'],
        unproven: ['Whether entries after the last anchor are missing.'],
      },
    }),
    click: 'role=button[name="Verify"]',
    ready: 'role=dialog >> role=region[name="Problems"]',
  },
  {
    name: 'servers-test-failed',
    path: '/servers?add=command',
    route: answering('**/api/servers/test', {
      status: 503,
      json: { error: { code: 'UNAVAILABLE', message: 'The command "npx nothing" was not found.' } },
    }),
    fill: ['role=textbox[name="Command"]', 'npx nothing'],
    click: 'role=button[name="Test connection"]',
    ready: 'role=dialog >> text=was not found',
  },
  {
    name: 'crash',
    path: '/team/members',
    isBroken: true,
    route: answering('**/api/team/members', { json: {} }),
    ready: 'text=This screen could not be displayed',
  },
  {
    name: 'more-narrow',
    path: '/',
    narrow: true,
    click: 'role=navigation[name="Main"] >> role=button[name=/^More/]',
    ready: 'role=menuitem[name="Toggle theme"]',
  },
];
