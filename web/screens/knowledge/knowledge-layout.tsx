import { Link, Outlet, useMatchRoute, useNavigate } from '@tanstack/react-router';
import { FolderPlus, GitBranchPlus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useKnowledge } from '../../api/knowledge-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Page, PageHeader } from '../../ui/page.tsx';
import { SearchBox } from './search-box.tsx';

/** What stands around every screen of the knowledge base: above all the search box, which keeps its focus between them. */
export function KnowledgeLayout() {
  const { data } = useKnowledge();
  const isDocument = Boolean(useMatchRoute()({ to: '/knowledge/documents/$id' }));
  return (
    <Page>
      {!isDocument && (
        <PageHeader
          title="Knowledge"
          description="Folders and repositories that agents are primed with and can search."
          // An empty knowledge base offers them in the middle of the screen.
          actions={data?.sources.length !== 0 && <AddButtons />}
        />
      )}
      <SearchBox />
      <Sections />
      <Outlet />
    </Page>
  );
}

function AddButtons() {
  const navigate = useNavigate();
  const add = (type: 'folder' | 'repository') => void navigate({ to: '/knowledge', search: { add: type } });
  return (
    <>
      <Button icon={<GitBranchPlus aria-hidden />} aria-label="Add repository" onClick={() => add('repository')}>
        <span className="max-sm:hidden">Add repository</span>
      </Button>
      <Button variant="primary" icon={<FolderPlus aria-hidden />} aria-label="Add folder" onClick={() => add('folder')}>
        <span className="max-sm:hidden">Add folder</span>
      </Button>
    </>
  );
}

function Sections() {
  const { data } = useKnowledge();
  return (
    <nav aria-label="Knowledge" className="mb-4 flex gap-0.5 border-line border-b">
      <Section to="/knowledge" count={data?.sources.length}>
        Sources
      </Section>
      <Section to="/knowledge/documents" count={data?.documents}>
        Documents
      </Section>
      <Section to="/knowledge/search">Search</Section>
    </nav>
  );
}

interface SectionProps {
  to: '/knowledge' | '/knowledge/documents' | '/knowledge/search';
  count?: number | undefined;
  children: ReactNode;
}

function Section({ to, count, children }: SectionProps) {
  return (
    <Link
      to={to}
      activeOptions={{ exact: true, includeSearch: false }}
      className="-mb-px inline-flex h-9 items-center gap-1.5 border-transparent border-b-2 px-2.5 text-muted text-sm outline-offset-[-2px] transition-colors hover:text-text max-md:h-11"
      activeProps={{ className: 'border-accent! font-medium text-text!' }}
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
