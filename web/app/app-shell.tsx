import { Outlet, useNavigate } from '@tanstack/react-router';
import { Fragment, useEffect, useMemo, useState } from 'react';
import { fromHub } from '../api/from-hub.ts';
import { useLiveUpdates } from '../api/live.ts';
import { useAgents, useStatus } from '../api/queries.ts';
import { useSignedOut } from '../api/signed-out.ts';
import { AppearanceSeeds, seedsOf } from '../parts/agents/appearance.ts';
import { openDraftsOf } from '../parts/drafts/drafts.ts';
import { ConfirmHost } from '../ui/confirm.tsx';
import { useTheme } from '../ui/theme.ts';
import { Toaster } from '../ui/toast.tsx';
import { aboutAgent } from './about-agent.ts';
import { BottomBar } from './bottom-bar.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { useInboxNews } from './inbox-bell.tsx';
import { useKeptFocus } from './keep-focus.ts';
import { Notices } from './notices.tsx';
import type { Screen } from './screens.ts';
import { useShortcuts } from './shortcuts.ts';
import { Sidebar } from './sidebar.tsx';
import { SignInScreen, signInCode } from './sign-in-screen.tsx';

/** The app, or the way to sign in. */
export function AppShell() {
  const reason = useSignedOut();
  return reason !== undefined || signInCode !== undefined ? <SignInScreen reason={reason} /> : <Frame />;
}

/** The frame around every screen: navigation, notices, dialogs and toasts. */
function Frame() {
  useLiveUpdates();
  useInboxNews();
  const theme = useTheme();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'palette' | 'help' | null>(null);
  const actions = useMemo(
    () => ({
      openPalette: () => setOpen((now) => (now === 'palette' ? null : 'palette')),
      focusSearch: () => {
        const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (search) search.select();
        else setOpen('palette');
      },
      open: ({ to }: Screen) => void navigate(aboutAgent({ to }, window.location.pathname)),
      openHelp: () => setOpen('help'),
    }),
    [navigate],
  );
  useShortcuts(actions);
  const CommandPalette = usePalette();
  useKeptFocus();
  const hubCount = useHubCount();
  const { data: list } = useAgents();
  const seeds = useMemo(() => seedsOf(list?.agents ?? []), [list]);

  return (
    <AppearanceSeeds value={seeds}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-lg bg-accent px-3 py-2 font-medium text-on-accent text-sm focus:translate-y-0"
      >
        Skip to content
      </a>
      <div className="flex min-h-dvh">
        <Sidebar onSearch={() => setOpen('palette')} onHelp={actions.openHelp} />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 outline-none max-md:pb-16">
          <Notices />
          <Fragment key={hubCount}>
            <Outlet />
          </Fragment>
        </main>
      </div>
      <BottomBar onSearch={() => setOpen('palette')} />
      {open === 'palette' && CommandPalette && (
        <CommandPalette onClose={() => setOpen(null)} onHelp={actions.openHelp} />
      )}
      <HelpDialog open={open === 'help'} onClose={() => setOpen((now) => (now === 'help' ? null : now))} />
      <ConfirmHost />
      <Toaster theme={theme} />
    </AppearanceSeeds>
  );
}

/** Counts the hubs that this page has talked to. Another one at the same address has its own drafts, so its screen starts afresh. */
function useHubCount(): number {
  const { data } = useStatus();
  const [count, setCount] = useState(0);
  const hub = data && encodeURIComponent(`${data.database.kind}:${data.database.place}`);
  useEffect(() => {
    if (hub !== undefined && openDraftsOf(hub)) setCount((before) => before + 1);
  }, [hub]);
  return count;
}

type Palette = typeof import('./palette/command-palette.tsx').CommandPalette;

const loadPalette = fromHub(() => import('./palette/command-palette.tsx'));

/** Loads the palette after the first screen. `React.lazy` would open it late and lose the first letters typed after the shortcut. */
function usePalette(): Palette | null {
  const [palette, setPalette] = useState<Palette | null>(null);
  useEffect(() => {
    const load = async () => {
      const { CommandPalette } = await loadPalette();
      setPalette(() => CommandPalette);
    };
    load().catch(() => {});
  }, []);
  return palette;
}
