import { createRoute, createRouter } from '@tanstack/react-router';
import { fromHub, lazyPart } from '../api/from-hub.ts';
import { gallerySearch } from '../screens/agents/gallery/filter-agents.ts';
import { GalleryScreen } from '../screens/agents/gallery/gallery-screen.tsx';
import { chatSearch } from '../screens/chats/chat-search.ts';
import { compareSearch } from '../screens/chats/compare/compare-search.ts';
import { decisionSearch } from '../screens/decisions/decision-search.ts';
import { knowledgeSearch } from '../screens/knowledge/search-params.ts';
import { mailSearch } from '../screens/mail/mail-search.ts';
import { runSearch } from '../screens/runs/run-search.ts';
import { toolSearch } from '../screens/tools/filter-tools.ts';
import { usageSearch } from '../screens/usage/usage-search.ts';
import { CrashScreen, PageSkeleton } from './fallback-screens.tsx';
import { rootRoute } from './root-route.ts';
import { teamRoutes } from './team-routes.ts';
import { addIn, textIn } from './text-in.ts';

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
  component: lazyPart(
    fromHub(() => import('../screens/agents/new/new-agent-screen.tsx')),
    'NewAgentScreen',
  ),
});

const deletedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deleted-agents',
  component: lazyPart(
    fromHub(() => import('../screens/agents/deleted/deleted-screen.tsx')),
    'DeletedScreen',
  ),
});

const connectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/connect',
  validateSearch: (search: Record<string, unknown>): { agent?: string; client?: string } => ({
    ...textIn(search, 'agent'),
    ...textIn(search, 'client'),
  }),
  component: lazyPart(
    fromHub(() => import('../screens/connect/connect-screen.tsx')),
    'ConnectScreen',
  ),
});

const accessRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/access',
  validateSearch: addIn,
  component: lazyPart(
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
  component: lazyPart(
    fromHub(() => import('../screens/agents/editor/agent-screen.tsx')),
    'AgentScreen',
  ),
});

const chatRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat',
  validateSearch: chatSearch,
  component: lazyPart(
    fromHub(() => import('../screens/chats/chat-screen.tsx')),
    'ChatScreen',
  ),
});

const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/chat/compare',
  validateSearch: compareSearch,
  component: lazyPart(
    fromHub(() => import('../screens/chats/compare/compare-screen.tsx')),
    'CompareScreen',
  ),
});

const newChatRoute = createRoute({ getParentRoute: () => chatRoute, path: '/' });

/** The tabs and the list stay around an open chat, so its screen draws them all. */
const openChatRoute = createRoute({ getParentRoute: () => chatRoute, path: '$id' });

const knowledgeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/knowledge',
  component: lazyPart(
    fromHub(() => import('../screens/knowledge/knowledge-layout.tsx')),
    'KnowledgeLayout',
  ),
});

const sourcesRoute = createRoute({
  getParentRoute: () => knowledgeRoute,
  path: '/',
  validateSearch: ({ add }: Record<string, unknown>): { add?: 'folder' | 'repository' } =>
    add === 'folder' || add === 'repository' ? { add } : {},
  component: lazyPart(
    fromHub(() => import('../screens/knowledge/sources-screen.tsx')),
    'SourcesScreen',
  ),
});

const searchRoute = createRoute({
  getParentRoute: () => knowledgeRoute,
  path: 'search',
  validateSearch: knowledgeSearch,
  component: lazyPart(
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
  component: lazyPart(
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
  component: lazyPart(
    fromHub(() => import('../screens/knowledge/document-screen.tsx')),
    'DocumentScreen',
  ),
});

const waitingRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/inbox',
  /** `item`: the item that a notification opens. */
  validateSearch: (search: Record<string, unknown>): { item?: string } => textIn(search, 'item'),
  component: lazyPart(
    fromHub(() => import('../screens/inbox/inbox-screen.tsx')),
    'InboxScreen',
  ),
});

const mailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mail',
  validateSearch: mailSearch,
  component: lazyPart(
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
  component: lazyPart(
    fromHub(() => import('../screens/decisions/decisions-screen.tsx')),
    'DecisionsScreen',
  ),
});

const serversRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers',
  validateSearch: ({ add }: Record<string, unknown>): { add?: 'catalogue' | 'command' | 'url' | 'json' } =>
    add === 'catalogue' || add === 'command' || add === 'url' || add === 'json' ? { add } : {},
  component: lazyPart(
    fromHub(() => import('../screens/servers/servers-screen.tsx')),
    'ServersScreen',
  ),
});

const serverRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/servers/$name',
  validateSearch: ({ tab }: Record<string, unknown>): { tab?: 'log' | 'settings' } =>
    tab === 'log' || tab === 'settings' ? { tab } : {},
  component: lazyPart(
    fromHub(() => import('../screens/servers/server-screen.tsx')),
    'ServerScreen',
  ),
});

const toolsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tools',
  validateSearch: toolSearch,
  component: lazyPart(
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
  validateSearch: (search: Record<string, unknown>) => ({ ...addIn(search), ...textIn(search, 'price') }),
  component: lazyPart(
    fromHub(() => import('../screens/models/models-screen.tsx')),
    'ModelsScreen',
  ),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyPart(
    fromHub(() => import('../screens/settings/settings-screen.tsx')),
    'SettingsScreen',
  ),
});

const settingsIndexRoute = createRoute({ getParentRoute: () => settingsRoute, path: '/' });

/** The list of sections stays beside an open one, so its screen draws both. */
const settingsSectionRoute = createRoute({ getParentRoute: () => settingsRoute, path: '$section' });

const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  validateSearch: usageSearch,
  component: lazyPart(
    fromHub(() => import('../screens/usage/usage-screen.tsx')),
    'UsageScreen',
  ),
});

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs',
  validateSearch: runSearch,
  component: lazyPart(
    fromHub(() => import('../screens/runs/runs-screen.tsx')),
    'RunsScreen',
  ),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/runs/$id',
  component: lazyPart(
    fromHub(() => import('../screens/runs/run-screen.tsx')),
    'RunScreen',
  ),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    galleryRoute,
    newRoute,
    deletedRoute,
    waitingRoute,
    connectRoute,
    accessRoute,
    agentRoute,
    compareRoute,
    chatRoute.addChildren([newChatRoute, openChatRoute]),
    knowledgeRoute.addChildren([sourcesRoute, searchRoute, documentsRoute, documentRoute]),
    teamRoutes,
    mailRoute.addChildren([inboxRoute, threadRoute]),
    decisionsRoute,
    serversRoute,
    serverRoute,
    toolsRoute.addChildren([toolsIndexRoute, toolRoute]),
    modelsRoute,
    settingsRoute.addChildren([settingsIndexRoute, settingsSectionRoute]),
    usageRoute,
    runsRoute,
    runRoute,
  ]),
  defaultErrorComponent: CrashScreen,
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
