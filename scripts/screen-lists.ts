import { answering, changing, failing, type Screen, waiting } from './screen.ts';

const option = 'role=option >> nth=0';
const modelRequest = '**/api/providers/*/models';
const models = answering(modelRequest, { json: { models: ['large', 'small'], facts: {} } });

/** Fields with an open list: on a page, in a dialog, while it loads, and when nothing matches. */
export const openLists: readonly Screen[] = [
  { name: 'list-agents', path: '/chat', click: 'role=combobox[name="Agent"]', ready: option },
  {
    name: 'list-agents-none',
    path: '/chat',
    fill: ['role=combobox[name="Agent"]', 'zzz'],
    ready: 'text=No agents match.',
  },
  {
    name: 'list-agents-loading',
    path: '/runs',
    route: waiting('**/api/agents'),
    click: 'role=combobox[name="Agent"]',
    ready: 'role=combobox[expanded][name="Agent"]',
  },
  {
    name: 'list-agents-dialog',
    path: '/runs?start=true',
    click: 'role=dialog >> role=combobox[name="Agent"]',
    ready: option,
  },
  {
    name: 'list-agents-dialog-none',
    path: '/runs?start=true',
    fill: ['role=dialog >> role=combobox[name="Agent"]', 'zzz'],
    ready: 'text=No agents match.',
  },
  {
    name: 'list-models',
    path: '/models',
    route: models,
    click: 'role=combobox[name="Default model"]',
    ready: option,
  },
  {
    name: 'list-models-none',
    path: '/models',
    route: models,
    fill: ['role=combobox[name="Default model"]', 'zzz'],
    ready: 'text=No models match. You can still use this name.',
  },
  {
    name: 'list-models-loading',
    path: '/models',
    route: waiting(modelRequest),
    click: 'role=combobox[name="Default model"]',
    ready: 'text=Loading the providers’ models…',
  },
  {
    name: 'list-models-failed',
    path: '/models',
    route: failing(modelRequest),
    click: 'role=combobox[name="Default model"]',
    ready: 'text=/did not list (its|their) models/',
  },
  {
    name: 'list-models-dialog',
    path: '/runs?start=true',
    route: models,
    click: 'role=dialog >> role=combobox[name="Model"]',
    ready: option,
  },
  {
    name: 'list-long',
    path: '/team/members',
    route: changing<{ members: { id: string }[] }>('**/api/team/members', ({ members }) => ({
      members: Array.from({ length: 100 }, (_, index) => ({ ...members[0], id: `member-${index}` })),
      believesCallers: true,
    })),
    click: 'role=combobox[name="Create a token for"]',
    ready: option,
  },
];
