import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { fromHub } from '../api/from-hub.ts';
import { gallerySearch } from '../screens/agents/gallery/filter-agents.ts';
import { GalleryScreen } from '../screens/agents/gallery/gallery-screen.tsx';
import { chatSearch } from '../screens/chats/chat-search.ts';
import { decisionSearch } from '../screens/decisions/decision-search.ts';
import { knowledgeSearch } from '../screens/knowledge/search-params.ts';
import { mailSearch } from '../screens/mail/mail-search.ts';
import { boardSearch } from '../screens/team/board/board-search.ts';
import { toolSearch } from '../screens/tools/filter-tools.ts';
import { AppShell } from './app-shell.tsx';
import { CrashScreen, NotFoundScreen, PageSkeleton } from './fallback-screens.tsx';

const rootRoute = createRootRoute({
  component: AppShell,
  notFoundComponent: NotFoundScreen,
  errorComponent: CrashScreen,
});

const galleryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: gallerySearch,
  component: GalleryScreen,
});

const newRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/new',
  validateSearch: (search: Record<string, unknown>): { template?: string } => textIn(search, 'template'),
  component: lazyRouteComponent(
    fromHub(() => import('../screens/agents/new/new-agent-screen.tsx')),
    'NewAgentScreen',
  ),
});

const connectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connect',
  validateSearch: (search: Record<string, unknown>): { agent?: string; client?: string } => ({
    ...textIn(search, 'agent'),
    ...textIn(search, 'client'),
  }),
  component: lazyRouteComponent(
    fromHub(() => import('../screens/connect/connect-screen.tsx')),
    'ConnectScreen',
  ),
});

const accessRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/access',
  component: lazyRouteComponent(
    fromHub(() => import('../screens/access/access-screen.tsx')),
    'AccessScreen',
  ),
});

const agentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/a/$id',
  /** `tool`: the offered tool that is open. */
  validateSearch: (search: Record<string, unknown>): { tab?: string; tool?: string } => ({
    ...textIn(search, 'tab'),
    ...textIn(search, 'tool'),
  }),
  component: lazyRouteComponent(
    fromHub(() => import('../screens/agents/editor/agent-screen.tsx')),
    'AgentScreen',
  ),
});

const chatRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat',
  validateSearch: chatSearch,
  component: lazyRouteComponent(
    fromHub(() => import('../screens/chats/chat-screen.tsx')),
    'ChatScreen',
  ),
});

const newChatRoute = createRoute({ getParentRoute: () => chatRoute, path: '/' });

/** The tabs and the list stay around an open chat, so its screen draws them all. */
const openChatRoute = createRoute({ getParentRoute: () => chatRoute, path: '$id' });

const knowledgeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/knowledge',
  component: lazyRouteComponent(
    fromHub(() => import('../screens/knowledge/knowledge-layout.tsx')),
    'KnowledgeLayout',
  ),
});

const sourcesRoute = createRoute({
  getParentRoute: () => knowledgeRoute,
  path: '/',
  validateSearch: ({ add }: Record<string, unknown>): { add?: 'folder' | 'repository' } =>
    add === 'folder' || add === 'repository' ? { add } : {},
  component: lazyRouteComponent(
    fromHub(() => import('../screens/knowledge/sources-screen.tsx')),
    'SourcesScreen',
  ),
});

const searchRoute = createRoute({
  getParentRoute: () => knowledgeRoute,
  path: 'search',
  validateSearch: knowledgeSearch,
  component: lazyRouteComponent(
    fromHub(() => import('../screens/knowledge/search-screen.tsx')),
    'SearchScreen',
  ),
});

const documentsRoute = createRoute({
  getParentRoute: () => knowledgeRoute,
  path: 'documents',
  validateSearch: (search: Record<string, unknown>): { source?: string; text?: string } => ({
    ...textIn(search, 'source'),
    ...textIn(search, 'text'),
  }),
  component: lazyRouteComponent(
    fromHub(() => import('../screens/knowledge/documents-screen.tsx')),
    'DocumentsScreen',
  ),
});

const documentRoute = createRoute({
  getParentRoute: () => knowledgeRoute,
  path: 'documents/$id',
  /** The words that led here. */
  validateSearch: (search: Record<string, unknown>): { q?: string } => {
    const { q } = knowledgeSearch(search);
    return q === undefined ? {} : { q };
  },
  component: lazyRouteComponent(
    fromHub(() => import('../screens/knowledge/document-screen.tsx')),
    'DocumentScreen',
  ),
});

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team',
  component: lazyRouteComponent(
    fromHub(() => import('../screens/team/team-layout.tsx')),
    'TeamLayout',
  ),
});

/** The board stays visible behind an open task, with the same filters. */
const boardRoute = createRoute({
  getParentRoute: () => teamRoute,
  id: 'board',
  validateSearch: boardSearch,
  component: lazyRouteComponent(
    fromHub(() => import('../screens/team/board/board-screen.tsx')),
    'BoardScreen',
  ),
});

const boardIndexRoute = createRoute({ getParentRoute: () => boardRoute, path: '/' });

const taskRoute = createRoute({
  getParentRoute: () => boardRoute,
  path: 'tasks/$id',
  component: lazyRouteComponent(
    fromHub(() => import('../screens/team/board/task-sheet.tsx')),
    'TaskSheet',
  ),
});

const membersRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: 'members',
  validateSearch: (search: Record<string, unknown>): { add?: true; member?: string } => ({
    ...(search.add === true && { add: true as const }),
    ...textIn(search, 'member'),
  }),
  component: lazyRouteComponent(
    fromHub(() => import('../screens/team/members/members-screen.tsx')),
    'MembersScreen',
  ),
});

const permissionsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: 'permissions',
  component: lazyRouteComponent(
    fromHub(() => import('../screens/team/members/permissions-screen.tsx')),
    'PermissionsScreen',
  ),
});

const epicsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: 'epics',
  validateSearch: (search: Record<string, unknown>): { add?: true; epic?: string } => ({
    ...(search.add === true && { add: true as const }),
    ...textIn(search, 'epic'),
  }),
  component: lazyRouteComponent(
    fromHub(() => import('../screens/team/epics/epics-screen.tsx')),
    'EpicsScreen',
  ),
});

const eventsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: 'events',
  component: lazyRouteComponent(
    fromHub(() => import('../screens/team/events-screen.tsx')),
    'EventsScreen',
  ),
});

const mailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mail',
  validateSearch: mailSearch,
  component: lazyRouteComponent(
    fromHub(() => import('../screens/mail/mail-screen.tsx')),
    'MailScreen',
  ),
});

const inboxRoute = createRoute({ getParentRoute: () => mailRoute, path: '/' });

/** The list stays beside an open thread, so its screen draws both. */
const threadRoute = createRoute({ getParentRoute: () => mailRoute, path: '$threadId' });

const decisionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/decisions',
  validateSearch: decisionSearch,
  component: lazyRouteComponent(
    fromHub(() => import('../screens/decisions/decisions-screen.tsx')),
    'DecisionsScreen',
  ),
});

const serversRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers',
  validateSearch: ({ add }: Record<string, unknown>): { add?: 'command' | 'url' | 'json' } =>
    add === 'command' || add === 'url' || add === 'json' ? { add } : {},
  component: lazyRouteComponent(
    fromHub(() => import('../screens/servers/servers-screen.tsx')),
    'ServersScreen',
  ),
});

const serverRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers/$name',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'log' | 'settings' } =>
    tab === 'log' || tab === 'settings' ? { tab } : {},
  component: lazyRouteComponent(
    fromHub(() => import('../screens/servers/server-screen.tsx')),
    'ServerScreen',
  ),
});

const toolsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tools',
  validateSearch: toolSearch,
  component: lazyRouteComponent(
    fromHub(() => import('../screens/tools/tools-screen.tsx')),
    'ToolsScreen',
  ),
});

const toolsIndexRoute = createRoute({ getParentRoute: () => toolsRoute, path: '/' });

/** The list stays beside an open tool, so its screen draws both. */
const toolRoute = createRoute({ getParentRoute: () => toolsRoute, path: '$name' });

const modelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models',
  component: lazyRouteComponent(
    fromHub(() => import('../screens/models/models-screen.tsx')),
    'ModelsScreen',
  ),
});

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: (search: Record<string, unknown>): { agent?: string } => textIn(search, 'agent'),
  component: lazyRouteComponent(
    fromHub(() => import('../screens/runs/runs-screen.tsx')),
    'RunsScreen',
  ),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  component: lazyRouteComponent(
    fromHub(() => import('../screens/runs/run-screen.tsx')),
    'RunScreen',
  ),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    galleryRoute,
    newRoute,
    connectRoute,
    accessRoute,
    agentRoute,
    chatRoute.addChildren([newChatRoute, openChatRoute]),
    knowledgeRoute.addChildren([sourcesRoute, searchRoute, documentsRoute, documentRoute]),
    teamRoute.addChildren([
      boardRoute.addChildren([boardIndexRoute, taskRoute]),
      membersRoute,
      permissionsRoute,
      epicsRoute,
      eventsRoute,
    ]),
    mailRoute.addChildren([inboxRoute, threadRoute]),
    decisionsRoute,
    serversRoute,
    serverRoute,
    toolsRoute.addChildren([toolsIndexRoute, toolRoute]),
    modelsRoute,
    runsRoute,
    runRoute,
  ]),
  defaultPendingComponent: PageSkeleton,
  defaultPendingMs: 150,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function textIn<K extends string>(search: Record<string, unknown>, key: K): { [each in K]?: string } {
  const value = search[key];
  // A computed key widens to an index signature; it is the one key asked for.
  return (typeof value === 'string' && value !== '' ? { [key]: value } : {}) as { [each in K]?: string };
}
