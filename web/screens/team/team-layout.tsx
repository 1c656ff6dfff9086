import { Link, Outlet, useLocation, useMatchRoute, useNavigate, useSearch } from '@tanstack/react-router';
import { FolderKanban, HeartPulse, ListPlus, UserRoundPlus } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { useDeleted } from '../../api/pending-deletions.ts';
import { useDeadLetters, useHealth, useMembers } from '../../api/team-queries.ts';
import { useEpics } from '../../api/work-queries.ts';
import { TaskTitle } from '../../parts/team/task-title.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { formatCount } from '../../ui/format-count.ts';
import { Page, PageHeader } from '../../ui/page.tsx';
import { fadingRow, useActiveInView } from '../../ui/use-active-in-view.ts';
import { boardSearch } from './board/board-search.ts';

/** The frame of all team screens. */
export function TeamLayout() {
  const matches = useMatchRoute();
  const isBoard = matches({ to: '/team' }) || matches({ to: '/team/tasks/$id' });
  return (
    // The board fills the window, so that each column scrolls on its own.
    <Page
      className={classes(
        'max-w-none!',
        isBoard &&
          'flex h-[calc(100dvh-4rem-var(--notices,0px))] flex-col pb-3! md:h-[calc(100dvh-var(--notices,0px))] lg:pb-4! [&>*]:shrink-0',
      )}
    >
      <PageHeader title="Team" description="Members, their tasks and their permissions." actions={<MainAction />} />
      <Sections />
      <HealthBanner />
      <Outlet />
    </Page>
  );
}

function MainAction() {
  const navigate = useNavigate();
  const matches = useMatchRoute();
  const search = useSearch({ strict: false });
  if (matches({ to: '/team/members' })) {
    return (
      <Action
        icon={<UserRoundPlus aria-hidden />}
        label="Add member"
        onClick={() => void navigate({ to: '/team/members', search: { add: true } })}
      />
    );
  }
  if (matches({ to: '/team/epics' })) {
    return (
      <Action
        icon={<FolderKanban aria-hidden />}
        label="New epic"
        onClick={() => void navigate({ to: '/team/epics', search: { add: true } })}
      />
    );
  }
  if (matches({ to: '/team/permissions' }) || matches({ to: '/team/events' })) return null;
  return (
    <Action
      icon={<ListPlus aria-hidden />}
      label="New task"
      onClick={() => void navigate({ to: '/team', search: { ...boardSearch(search), add: true } })}
    />
  );
}

function Action({ icon, label, onClick }: { icon: ReactNode; label: string; onClick: () => void }) {
  return (
    <Button variant="primary" icon={icon} onClick={onClick}>
      {label}
    </Button>
  );
}

function Sections() {
  const deleted = useDeleted();
  const members = useMembers().data?.members.filter(({ id }) => !deleted.has(`member/${id}`)).length;
  const epics = useEpics().data?.filter(({ id }) => !deleted.has(`epic/${id}`)).length;
  const dead = useDeadLetters().data?.pages[0]?.dead ?? 0;
  const isAtEvents = Boolean(useMatchRoute()({ to: '/team/events' }));
  const nav = useRef<HTMLElement>(null);
  useActiveInView(nav, `${useLocation().pathname} ${dead > 0}`);
  return (
    <nav ref={nav} aria-label="Team" className={classes('mb-4 flex gap-0.5 border-line border-b', fadingRow)}>
      <Section to="/team" hasTasks>
        Board
      </Section>
      <Section to="/team/members" count={members}>
        Members
      </Section>
      <Section to="/team/epics" count={epics}>
        Epics
      </Section>
      <Section to="/team/permissions">Permissions</Section>
      {(dead > 0 || isAtEvents) && (
        <Section to="/team/events" count={dead}>
          Events
        </Section>
      )}
    </nav>
  );
}

interface SectionProps {
  to: '/team' | '/team/members' | '/team/epics' | '/team/permissions' | '/team/events';
  count?: number | undefined;
  /** Stays active while a task is open. */
  hasTasks?: boolean;
  children: ReactNode;
}

function Section({ to, count, hasTasks = false, children }: SectionProps) {
  const isTask = Boolean(useMatchRoute()({ to: '/team/tasks/$id' }));
  return (
    <Link
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      {...(hasTasks && isTask && { 'data-status': 'active', 'aria-current': 'page' })}
      className="-mb-px inline-flex h-9 shrink-0 items-center gap-1.5 border-transparent border-b-2 px-2.5 text-muted text-sm outline-offset-[-2px] transition-colors hover:text-text data-[status=active]:border-accent data-[status=active]:font-medium data-[status=active]:text-text max-md:h-11"
    >
      {children}
      {count !== undefined && count > 0 && (
        <span className="rounded-full bg-hover px-1.5 text-2xs text-muted tabular-nums">
          {count.toLocaleString('en')}
        </span>
      )}
    </Link>
  );
}

const maxNamed = 3;

/** Warns about stalled members and overdue tasks. */
function HealthBanner() {
  const { data } = useHealth();
  const members = data?.members.filter((member) => member.isStalled) ?? [];
  const tasks = data?.tasks ?? [];
  if (members.length === 0 && tasks.length === 0) return null;
  return (
    <div className="mb-4">
      <Banner tone="warn" icon={<HeartPulse aria-hidden />}>
        <ul className="flex flex-col gap-0.5">
          {members.slice(0, maxNamed).map((member) => (
            <li key={member.agentId}>
              <Link
                to="/team/members"
                search={{ member: member.agentId }}
                className="font-medium underline underline-offset-2"
              >
                {member.agentId}
              </Link>
              {` is stalled${member.reason ? `: ${member.reason}` : ''}`}
            </li>
          ))}
          {members.length > maxNamed && <li>{`and ${formatCount(members.length - maxNamed, 'more member')}`}</li>}
          {tasks.slice(0, maxNamed).map((task) => (
            <li key={task.taskId}>
              <Link
                to="/team/tasks/$id"
                params={{ id: task.taskId }}
                className="font-medium underline underline-offset-2"
              >
                <TaskTitle id={task.taskId} />
              </Link>
              {`: ${task.reason}`}
            </li>
          ))}
          {tasks.length > maxNamed && <li>{`and ${formatCount(tasks.length - maxNamed, 'more task')}`}</li>}
        </ul>
      </Banner>
    </div>
  );
}
