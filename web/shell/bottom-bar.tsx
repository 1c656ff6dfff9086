import { Link } from '@tanstack/react-router';
import {
  BookOpen,
  BrainCircuit,
  Ellipsis,
  Footprints,
  Library,
  Mail,
  MessagesSquare,
  MoonStar,
  PawPrint,
  Plug,
  Plus,
  ScrollText,
  Search,
  ServerCog,
  UsersRound,
  Wrench,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useUnreadMail } from '../api/mail-queries.ts';
import { toggleTheme } from '../theme/theme.ts';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { HubStatus } from './hub-status.tsx';
import { UnreadCount } from './unread-count.tsx';

const itemClass =
  'relative flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-2xs text-muted outline-offset-[-4px] [&_svg]:size-5';

/** The navigation of a phone, within reach of a thumb. */
export function BottomBar({ onSearch }: { onSearch: () => void }) {
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex border-line border-t bg-surface/95 pb-[env(safe-area-inset-bottom)] backdrop-blur md:hidden"
    >
      <BarLink to="/" icon={<PawPrint aria-hidden />}>
        Agents
      </BarLink>
      <BarLink to="/chat" icon={<MessagesSquare aria-hidden />} hasBelow>
        Chat
      </BarLink>
      <BarLink to="/team" icon={<UsersRound aria-hidden />} hasBelow>
        Team
      </BarLink>
      <button type="button" className={itemClass} onClick={onSearch}>
        <Search aria-hidden />
        Search
      </button>
      <MailLink />
      <Menu
        side="top"
        trigger={
          <button type="button" className={itemClass}>
            <Ellipsis aria-hidden />
            More
          </button>
        }
      >
        <HubStatus />
        <MenuSeparator />
        <MenuItem icon={<Plus aria-hidden />} render={<Link to="/new" />}>
          New agent
        </MenuItem>
        <MenuItem icon={<Library aria-hidden />} render={<Link to="/knowledge" />}>
          Knowledge
        </MenuItem>
        <MenuItem icon={<ScrollText aria-hidden />} render={<Link to="/decisions" />}>
          Decisions
        </MenuItem>
        <MenuItem icon={<Footprints aria-hidden />} render={<Link to="/runs" />}>
          Runs
        </MenuItem>
        <MenuItem icon={<Wrench aria-hidden />} render={<Link to="/tools" />}>
          Tools
        </MenuItem>
        <MenuItem icon={<ServerCog aria-hidden />} render={<Link to="/servers" />}>
          Servers
        </MenuItem>
        <MenuItem icon={<BrainCircuit aria-hidden />} render={<Link to="/models" />}>
          Models
        </MenuItem>
        <MenuItem icon={<Plug aria-hidden />} render={<Link to="/connect" />}>
          Connect a client
        </MenuItem>
        <MenuItem icon={<MoonStar aria-hidden />} onClick={toggleTheme}>
          Light or dark
        </MenuItem>
        <MenuItem icon={<BookOpen aria-hidden />} render={<a href="/docs" />}>
          API docs
        </MenuItem>
      </Menu>
    </nav>
  );
}

function MailLink() {
  const unread = useUnreadMail();
  return (
    <BarLink
      to="/mail"
      icon={<Mail aria-hidden />}
      hasBelow
      end={<UnreadCount count={unread} className="absolute top-1 left-1/2 ml-1!" />}
    >
      Mail
    </BarLink>
  );
}

interface BarLinkProps {
  to: '/' | '/chat' | '/team' | '/mail';
  icon: ReactNode;
  /** Screens below it belong to it. */
  hasBelow?: boolean;
  children: string;
  end?: ReactNode;
}

function BarLink({ to, icon, hasBelow = false, children, end }: BarLinkProps) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: !hasBelow, includeSearch: false }}
      className={itemClass}
      activeProps={{ className: 'font-medium text-accent-text!' }}
    >
      {icon}
      {children}
      {end}
    </Link>
  );
}
