import { createRoute } from '@tanstack/react-router';
import { fromHub, lazyPart } from '../api/from-hub.ts';
import { boardSearch } from '../screens/team/board/board-search.ts';
import { rootRoute } from './root-route.ts';
import { textIn } from './text-in.ts';

const teamRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/team',
  component: lazyPart(
    fromHub(() => import('../screens/team/team-layout.tsx')),
    'TeamLayout',
  ),
});

/** The board stays visible behind an open task, with the same filters. */
const boardRoute = createRoute({
  getParentRoute: () => teamRoute,
  id: 'board',
  validateSearch: boardSearch,
  component: lazyPart(
    fromHub(() => import('../screens/team/board/board-screen.tsx')),
    'BoardScreen',
  ),
});

const boardIndexRoute = createRoute({ getParentRoute: () => boardRoute, path: '/' });

const taskRoute = createRoute({
  getParentRoute: () => boardRoute,
  path: 'tasks/$id',
  component: lazyPart(
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
  component: lazyPart(
    fromHub(() => import('../screens/team/members/members-screen.tsx')),
    'MembersScreen',
  ),
});

const permissionsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: 'permissions',
  component: lazyPart(
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
  component: lazyPart(
    fromHub(() => import('../screens/team/epics/epics-screen.tsx')),
    'EpicsScreen',
  ),
});

const eventsRoute = createRoute({
  getParentRoute: () => teamRoute,
  path: 'events',
  component: lazyPart(
    fromHub(() => import('../screens/team/events-screen.tsx')),
    'EventsScreen',
  ),
});

/** Everything below `/team`. */
export const teamRoutes = teamRoute.addChildren([
  boardRoute.addChildren([boardIndexRoute, taskRoute]),
  membersRoute,
  permissionsRoute,
  epicsRoute,
  eventsRoute,
]);
