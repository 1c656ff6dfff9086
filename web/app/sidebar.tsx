import { Link } from '@tanstack/react-router';
import { BookOpen, CircleHelp, Monitor, Moon, Search, Sun } from 'lucide-react';
import { Fragment } from 'react';
import { useAgents } from '../api/queries.ts';
import { AgentAvatar } from '../parts/agents/agent-avatar.tsx';
import { BrandMark } from '../ui/brand-mark.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { setTheme, type Theme, useTheme } from '../ui/theme.ts';
import { FirstBrowserNote } from './first-browser-note.tsx';
import { HubStatus } from './hub-status.tsx';
import { type Screen, screens } from './screens.ts';
import { paletteKeys } from './shortcuts.ts';
import { UnreadMail } from './unread-mail.tsx';

export interface SidebarProps {
  onSearch: () => void;
  onHelp: () => void;
}

const recentCount = 8;
const firstSetting = screens.find(({ section }) => section === 'settings');
const itemClass =
  'flex h-8 items-center gap-2.5 rounded-lg px-2.5 text-muted text-sm transition-colors hover:bg-hover hover:text-text [&>.lucide]:size-4 [&>.lucide]:shrink-0';

export function Sidebar({ onSearch, onHelp }: SidebarProps) {
  return (
    <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-line border-r bg-sidebar md:flex">
      <Link to="/" className="m-2 flex items-center gap-2.5 rounded-lg px-2 py-2">
        <BrandMark />
        <span className="font-display font-semibold text-base tracking-tight">Agent Zoo</span>
      </Link>
      <div className="px-3 pb-3">
        <button
          type="button"
          onClick={onSearch}
          className="flex h-8 w-full items-center gap-2 rounded-lg border border-control bg-raised px-2.5 text-faint text-sm shadow-card transition-colors hover:text-text"
        >
          <Search aria-hidden className="size-3.5" />
          <span className="flex-1 truncate text-left">Search…</span>
          <Kbd>{paletteKeys}</Kbd>
        </button>
      </div>
      <nav aria-label="Main" className="flex flex-col gap-0.5 px-3">
        {screens.map((screen) => (
          <Fragment key={screen.to}>
            {screen === firstSetting && (
              <p className="px-2.5 pt-3 pb-1 font-medium text-2xs text-faint uppercase tracking-wider">Settings</p>
            )}
            <SidebarLink screen={screen} />
          </Fragment>
        ))}
      </nav>
      <RecentAgents />
      <div className="border-line border-t p-2">
        <FirstBrowserNote />
        <HubStatus />
        <div className="flex items-center gap-0.5 px-0.5">
          <ThemeButton />
          <IconButton label="Keyboard shortcuts" shortcut="?" icon={<CircleHelp aria-hidden />} onClick={onHelp} />
          <a
            href="/docs"
            className="ml-auto inline-flex h-8 items-center gap-1.5 rounded-lg px-2 text-muted text-xs hover:bg-hover hover:text-text"
          >
            <BookOpen aria-hidden className="size-3.5" />
            API docs
          </a>
        </div>
      </div>
    </aside>
  );
}

function SidebarLink({ screen }: { screen: Screen }) {
  const { to, label, icon: Icon, hasNested } = screen;
  return (
    <Link
      to={to}
      activeOptions={{ exact: !hasNested, includeSearch: false }}
      className={itemClass}
      activeProps={{ className: 'bg-pressed font-medium text-text!' }}
    >
      <Icon aria-hidden />
      {label}
      {to === '/mail' && <UnreadMail />}
    </Link>
  );
}

function RecentAgents() {
  const { data } = useAgents();
  const recent = (data?.agents ?? [])
    .toSorted((a, b) => (b.updatedAt ?? '').localeCompare(a.updatedAt ?? '') || a.name.localeCompare(b.name))
    .slice(0, recentCount);
  if (recent.length === 0) return <div className="flex-1" />;
  return (
    <nav aria-labelledby="recent-agents" className="mt-5 flex min-h-0 flex-1 flex-col px-3">
      <h2 id="recent-agents" className="px-2.5 pb-1 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
        Recent
      </h2>
      <ul className="min-h-0 flex-1 overflow-y-auto pb-2">
        {recent.map((agent) => (
          <li key={agent.id}>
            <Link
              to="/a/$id"
              params={{ id: agent.id }}
              className={itemClass}
              activeProps={{ className: 'bg-pressed text-text!' }}
            >
              <AgentAvatar id={agent.id} size={20} />
              <span className="truncate">{agent.name}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const icons = { system: <Monitor aria-hidden />, light: <Sun aria-hidden />, dark: <Moon aria-hidden /> };

/** Cycles through system, light and dark. */
function ThemeButton() {
  const theme = useTheme();
  return <IconButton label={`Theme: ${theme}`} icon={icons[theme]} onClick={() => setTheme(next[theme])} />;
}
