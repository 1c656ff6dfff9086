import { createRootRoute } from '@tanstack/react-router';
import { AppShell } from './app-shell.tsx';
import { CrashScreen, NotFoundScreen } from './fallback-screens.tsx';

export const rootRoute = createRootRoute({
  component: AppShell,
  notFoundComponent: NotFoundScreen,
  errorComponent: CrashScreen,
});
