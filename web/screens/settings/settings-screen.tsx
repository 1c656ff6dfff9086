import { Link, useParams } from '@tanstack/react-router';
import {
  ArrowUpRight,
  BrainCircuit,
  FolderCheck,
  History,
  KeyRound,
  RotateCw,
  ShieldAlert,
  ShieldCheck,
  SlidersHorizontal,
  TriangleAlert,
  UsersRound,
  Waypoints,
  Webhook,
} from 'lucide-react';
import { useRef } from 'react';
import { useSettings } from '../../api/settings-queries.ts';
import { Banner } from '../../ui/banner.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useActiveInView } from '../../ui/use-active-in-view.ts';
import { FoldersSection } from './folders-section.tsx';
import { PeersSection } from './peers-section.tsx';
import { GeneralSection, RetentionSection, TeamSection } from './value-sections.tsx';
import { WebhooksSection } from './webhooks-section.tsx';

/** The sections of this screen, by the last part of their address. */
const own = {
  general: { label: 'General', icon: SlidersHorizontal, Content: GeneralSection },
  team: { label: 'Team', icon: UsersRound, Content: TeamSection },
  retention: { label: 'Retention', icon: History, Content: RetentionSection },
  webhooks: { label: 'Webhooks', icon: Webhook, Content: WebhooksSection },
  folders: { label: 'Trusted folders', icon: FolderCheck, Content: FoldersSection },
  peers: { label: 'Peers', icon: Waypoints, Content: PeersSection },
} as const;

/** Settings that have their own screens. */
const elsewhere = [
  { to: '/models', label: 'Models', icon: BrainCircuit },
  { to: '/team/permissions', label: 'Role permissions', icon: ShieldCheck },
  { to: '/access', label: 'Keys', icon: KeyRound },
] as const;

/** How the hub works: a list of sections, and the open one. */
export function SettingsScreen() {
  const { data, error, refetch } = useSettings();
  const { section = 'general' } = useParams({ strict: false });
  const { Content } = isSection(section) ? own[section] : own.general;
  return (
    <Page>
      <PageHeader title="Settings" description="How this hub works. Each value says where it comes from." />
      <div className="flex flex-col gap-5 lg:flex-row lg:gap-8">
        <Sections open={section} />
        <div className="flex min-w-0 flex-1 flex-col gap-5">
          {data ? (
            <>
              <Notices />
              <Content />
            </>
          ) : error ? (
            <ErrorState title="The settings could not be loaded" error={error} onRetry={() => void refetch()} />
          ) : (
            <div role="status" aria-busy="true" aria-label="Loading settings" className="flex flex-col gap-3">
              <Skeleton className="h-24 rounded-card" />
              <Skeleton className="h-24 rounded-card" />
              <Skeleton className="h-24 rounded-card" />
            </div>
          )}
        </div>
      </div>
    </Page>
  );
}

function isSection(name: string): name is keyof typeof own {
  return Object.hasOwn(own, name);
}

const itemClass =
  'flex h-8 shrink-0 items-center gap-2 rounded-lg px-2.5 text-muted text-sm transition-colors hover:bg-hover hover:text-text data-[status=active]:bg-pressed data-[status=active]:font-medium data-[status=active]:text-text max-md:h-10';

function Sections({ open }: { open: string }) {
  const nav = useRef<HTMLElement>(null);
  useActiveInView(nav, open);
  return (
    <nav
      ref={nav}
      aria-label="Settings"
      className="-mx-4 flex shrink-0 gap-0.5 overflow-x-auto px-4 sm:-mx-6 sm:px-6 [scrollbar-width:none] lg:mx-0 lg:w-48 lg:flex-col lg:px-0"
    >
      {Object.entries(own).map(([section, { label, icon: Icon }]) => {
        const content = (
          <>
            <Icon aria-hidden className="size-4 shrink-0" />
            {label}
          </>
        );
        return section === 'general' ? (
          <Link key={section} to="/settings" activeOptions={{ exact: true }} className={itemClass}>
            {content}
          </Link>
        ) : (
          <Link key={section} to="/settings/$section" params={{ section }} className={itemClass}>
            {content}
          </Link>
        );
      })}
      {elsewhere.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} className={itemClass}>
          <Icon aria-hidden className="size-4 shrink-0" />
          {label}
          <ArrowUpRight aria-hidden className="ml-auto size-3.5 text-faint" />
        </Link>
      ))}
    </nav>
  );
}

/** What concerns all settings: a broken or untrusted file, and changes that wait for a restart. */
function Notices() {
  const { data } = useSettings();
  const pending = data?.settings.filter(({ isPending }) => isPending) ?? [];
  return (
    <>
      {data?.file?.problem && (
        <Banner tone="danger" icon={<TriangleAlert aria-hidden />}>
          {data.file.problem} The last valid version applies until you correct it.
        </Banner>
      )}
      {data?.file && data.file.held.length > 0 && (
        <Banner
          tone="warn"
          icon={<ShieldAlert aria-hidden />}
          actions={
            <Link to="/settings/$section" params={{ section: 'folders' }} className={buttonClass({ size: 'sm' })}>
              Review
            </Link>
          }
        >
          {data.file.name} has untrusted parts that are inactive: {data.file.held.join(', ')}. Changes that you save
          there await trust, too.
        </Banner>
      )}
      {pending.length > 0 && (
        <Banner tone="info" icon={<RotateCw aria-hidden />}>
          Restart the hub to apply: {pending.map(({ key }) => key).join(', ')}.
        </Banner>
      )}
    </>
  );
}
