import { Link, useLocation } from '@tanstack/react-router';
import { BookOpen, Ellipsis, MoonStar, Search } from 'lucide-react';
import { useOpened } from '../parts/recent/opened.ts';
import { OpenedIcon, openedTarget, openedWords } from '../parts/recent/opened-look.tsx';
import { classes } from '../ui/classes.ts';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { toggleTheme } from '../ui/theme.ts';
import { HubStatus } from './hub-status.tsx';
import { InboxCount, UnreadMail } from './navigation-count.tsx';
import { type Screen, screenAt, screens } from './screens.ts';

const itemClass =
  'relative flex h-14 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-2xs text-muted outline-offset-[-4px] [&_svg]:size-5';

const currentClass = 'font-medium text-accent-text!';

function useCurrentScreen(): Screen | undefined {
  return screenAt(useLocation({ select: ({ pathname }) => pathname }));
}

const barScreens = screens.filter(({ isInBar }) => isInBar);

/** The phone's navigation, within reach of a thumb. */
export function BottomBar({ onSearch }: { onSearch: () => void }) {
  const current = useCurrentScreen();
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-30 flex border-line border-t bg-surface/95 pb-[env(safe-area-inset-bottom)] backdrop-blur md:hidden"
    >
      {barScreens.slice(0, 3).map((screen) => (
        <BarLink key={screen.to} screen={screen} />
      ))}
      <button type="button" className={itemClass} onClick={onSearch}>
        <Search aria-hidden />
        Search
      </button>
      {barScreens.slice(3).map((screen) => (
        <BarLink key={screen.to} screen={screen} />
      ))}
      <Menu
        side="top"
        trigger={
          <button type="button" className={classes(itemClass, current && !current.isInBar && currentClass)}>
            <Ellipsis aria-hidden />
            More
            <UnreadMail className="absolute top-1 left-1/2 ml-1!" />
          </button>
        }
      >
        <Recent />
        <MenuGroup label={<HubStatus />}>
          <MenuSeparator />
          {/* In two columns, the menu is not higher than a phone. */}
          <div className="columns-2 gap-1">
            {screens
              .filter(({ isInBar }) => !isInBar)
              .map(({ to, label, icon: Icon }) => (
                <MenuItem key={to} icon={<Icon aria-hidden />} isCurrent={to === current?.to} render={<Link to={to} />}>
                  {label}
                  {to === '/mail' && <UnreadMail className="float-right" />}
                </MenuItem>
              ))}
            <MenuItem icon={<MoonStar aria-hidden />} onClick={toggleTheme}>
              Toggle theme
            </MenuItem>
            <MenuItem icon={<BookOpen aria-hidden />} render={<a href="/docs" />}>
              API docs
            </MenuItem>
          </div>
        </MenuGroup>
      </Menu>
    </nav>
  );
}

/** What the user opened recently, newest first: as many as leave room for the screens. */
function Recent() {
  const recent = useOpened().slice(0, 4);
  if (recent.length === 0) return null;
  return (
    <MenuGroup label={<span className="block px-2 pt-1.5 pb-0.5 text-2xs text-faint">Recent</span>}>
      {recent.map((opened) => (
        <MenuItem
          key={`${opened.kind} ${opened.id}`}
          icon={<OpenedIcon kind={opened.kind} id={opened.id} />}
          render={<Link {...openedTarget(opened)} />}
        >
          <span className="sr-only">{`${openedWords[opened.kind]}: `}</span>
          {opened.name}
        </MenuItem>
      ))}
      <MenuSeparator />
    </MenuGroup>
  );
}

function BarLink({ screen }: { screen: Screen }) {
  const { to, label, icon: Icon, hasNested } = screen;
  const current = useCurrentScreen();
  return (
    <Link
      to={to}
      activeOptions={{ exact: !hasNested, includeSearch: false }}
      className={classes(itemClass, current?.to === to && currentClass)}
    >
      <Icon aria-hidden />
      {label}
      {to === '/inbox' && <InboxCount className="absolute top-1 left-1/2 ml-1!" />}
    </Link>
  );
}
