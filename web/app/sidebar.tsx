import { Link, useLocation } from '@tanstack/react-router';
import { BookOpen, CircleHelp, Monitor, Moon, Search, Sun } from 'lucide-react';
import { Fragment } from 'react';
import { useOpened } from '../parts/recent/opened.ts';
import { OpenedIcon, openedTarget, openedWords } from '../parts/recent/opened-look.tsx';
import { BrandMark } from '../ui/brand-mark.tsx';
import { classes } from '../ui/classes.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { setTheme, type Theme, useTheme } from '../ui/theme.ts';
import { FirstBrowserNote } from './first-browser-note.tsx';
import { HubStatus } from './hub-status.tsx';
import { InboxCount, UnreadMail } from './navigation-count.tsx';
import { type Screen, screenAt, screens } from './screens.ts';
import { paletteKeys } from './shortcuts.ts';

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
      <Link to="/" className="m-2 flex shrink-0 items-center gap-2.5 rounded-lg px-2 py-2">
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
      {/* On a low screen, the navigation scrolls and the footer stays. */}
      <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-2">
        <nav aria-label="Main" className="flex flex-col gap-0.5">
          {screens.map((screen) => (
            <Fragment key={screen.to}>
              {screen === firstSetting && (
                <p className="px-2.5 pt-3 pb-1 font-medium text-2xs text-faint uppercase tracking-wider">Settings</p>
              )}
              <SidebarLink screen={screen} />
            </Fragment>
          ))}
        </nav>
        <Recent />
      </div>
      <div className="border-line border-t p-2">
        <FirstBrowserNote />
        <HubStatus isAnnounced />
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
  const isCurrent = useLocation({ select: ({ pathname }) => screenAt(pathname)?.to === to });
  return (
    <Link
      to={to}
      activeOptions={{ exact: !hasNested, includeSearch: false }}
      className={classes(itemClass, isCurrent && 'bg-pressed font-medium text-text!')}
    >
      <Icon aria-hidden />
      {label}
      {to === '/mail' && <UnreadMail />}
      {to === '/inbox' && <InboxCount />}
    </Link>
  );
}

/** What the user opened recently, newest first. */
function Recent() {
  const recent = useOpened().slice(0, recentCount);
  if (recent.length === 0) return null;
  return (
    <nav aria-labelledby="recent" className="mt-5">
      <h2 id="recent" className="px-2.5 pb-1 font-medium font-sans text-2xs text-faint uppercase tracking-wider">
        Recent
      </h2>
      <ul>
        {recent.map((opened) => (
          <li key={`${opened.kind} ${opened.id}`}>
            <Link
              {...openedTarget(opened)}
              activeOptions={{ includeSearch: false }}
              className={itemClass}
              activeProps={{ className: 'bg-pressed text-text!' }}
            >
              <OpenedIcon kind={opened.kind} id={opened.id} />
              <span className="sr-only">{`${openedWords[opened.kind]}: `}</span>
              <span className="truncate">{opened.name}</span>
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
