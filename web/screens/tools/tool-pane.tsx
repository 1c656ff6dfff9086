import { Link } from '@tanstack/react-router';
import { ArrowLeft, SearchX, Server } from 'lucide-react';
import { useState } from 'react';
import type { ToolDetailBody } from '../../../src/tools/tools.contract.ts';
import { useNoteOpened } from '../../parts/recent/opened.ts';
import { ToolBadges } from '../../parts/tools/tool-badges.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { CodeName } from '../../ui/code-name.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { AccessView } from './access-view.tsx';
import type { ToolSearch, ToolTab } from './filter-tools.ts';
import { SchemaView } from './schema-view.tsx';
import { TryTool } from './try-tool.tsx';

export interface ToolPaneProps {
  tool: ToolDetailBody;
  search: ToolSearch;
  tab: ToolTab;
  onTab: (tab: string) => void;
}

const panel = 'pt-4 outline-offset-4';

/** One tool: its description, a form to try it, its schema and who may call it. */
export function ToolPane({ tool, search, tab, onTab }: ToolPaneProps) {
  useTitle(tool.title);
  useNoteOpened('tool', tool.name, tool.name);
  return (
    <article aria-labelledby="tool-title" className="mx-auto w-full max-w-4xl px-5 pt-4 pb-16 max-md:px-4">
      <header className="mb-3">
        <div className="flex items-start gap-2">
          <BackLink search={search} />
          <div className="min-w-0 flex-1">
            <h2 id="tool-title" className="font-semibold text-xl leading-8 [overflow-wrap:anywhere]">
              <ForeignText text={tool.title} />
            </h2>
            <p className="flex items-center gap-0.5">
              <code className="min-w-0 font-mono text-muted text-xs [overflow-wrap:anywhere]">
                <CodeName name={tool.name} />
              </code>
              <CopyButton iconOnly label="Copy name" text={tool.name} />
            </p>
          </div>
          <CopyDefinition tool={tool} />
        </div>
        <div className="mt-2 flex flex-wrap items-center gap-1.5">
          <ToolBadges annotations={tool.annotations} requiresApproval={tool.requiresApproval} isComplete />
        </div>
        <Description text={tool.description} />
        <Origin tool={tool} />
      </header>
      <Tabs
        label="Tool"
        value={tab}
        onChange={onTab}
        tabs={[
          { value: 'try', label: 'Try' },
          { value: 'schema', label: 'Schema' },
          { value: 'access', label: 'Access' },
        ]}
      >
        <TabPanel value="try" className={panel}>
          <TryTool key={tool.name} tool={tool} />
        </TabPanel>
        <TabPanel value="schema" className={panel}>
          <SchemaView tool={tool} />
        </TabPanel>
        <TabPanel value="access" className={panel}>
          <AccessView tool={tool} />
        </TabPanel>
      </Tabs>
    </article>
  );
}

export function MissingTool({ name, search }: { name: string; search: ToolSearch }) {
  useTitle(name);
  useNoteOpened('tool', name, null);
  return (
    <EmptyState
      art={<SearchX className="size-10" strokeWidth={1.5} />}
      title={`Tool “${name}” not found`}
      actions={
        <Link to="/tools" search={search} className={buttonClass()}>
          All tools
        </Link>
      }
    >
      Its server may be disabled, or the tool may still need your approval in Servers.
    </EmptyState>
  );
}

function BackLink({ search }: { search: ToolSearch }) {
  const { tab: _tab, ...rest } = search;
  return (
    <Link
      to="/tools"
      search={rest}
      aria-label="All tools"
      className={classes(buttonClass({ variant: 'ghost' }), '-ml-2 px-2! lg:hidden')}
    >
      <ArrowLeft aria-hidden />
    </Link>
  );
}

const longDescription = 420;

/** The tool author's description, shown as plain text. */
function Description({ text }: { text: string }) {
  const [isExpanded, setIsExpanded] = useState(text.length <= longDescription);
  if (text.trim() === '') return <p className="mt-2.5 text-faint text-sm">No description.</p>;
  return (
    <div className="mt-2.5">
      <p
        className={classes(
          'whitespace-pre-wrap text-pretty text-sm [overflow-wrap:anywhere]',
          !isExpanded && 'line-clamp-4',
        )}
      >
        <ForeignText text={text} hasCode />
      </p>
      {text.length > longDescription && (
        <button
          type="button"
          aria-expanded={isExpanded}
          onClick={() => setIsExpanded(!isExpanded)}
          className="mt-0.5 rounded text-accent-text text-xs hover:underline"
        >
          {isExpanded ? 'Show less' : 'Show more'}
        </button>
      )}
    </div>
  );
}

function Origin({ tool: { server, origin, isForMembers } }: { tool: ToolDetailBody }) {
  return (
    <p className="mt-2.5 text-muted text-xs leading-5 [&_code]:mx-0.5">
      {server ? (
        <>
          <Server aria-hidden className="mr-1.5 inline size-3.5 align-[-2px] text-faint" />
          From the server{' '}
          <Link
            to="/servers/$name"
            params={{ name: server.name }}
            className="font-medium text-accent-text hover:underline"
          >
            {server.name}
          </Link>
          , where it is named{' '}
          <code className="rounded bg-hover px-1 py-0.5 font-mono text-2xs [overflow-wrap:anywhere]">
            <CodeName name={server.remoteName} />
          </code>
        </>
      ) : origin === 'built-in' ? (
        isForMembers ? (
          'Built in, for members'
        ) : (
          'Built in'
        )
      ) : origin === 'code' ? (
        'Defined in code'
      ) : (
        <>
          Defined by the script{' '}
          <code className="break-all rounded bg-hover px-1 py-0.5 font-mono text-2xs">{origin}</code>
        </>
      )}
    </p>
  );
}

function CopyDefinition({ tool }: { tool: ToolDetailBody }) {
  const { name, title, description, annotations, inputSchema, outputSchema } = tool;
  const definition = { name, title, description, inputSchema, ...(outputSchema && { outputSchema }), annotations };
  return <CopyButton size="sm" variant="ghost" label="Copy JSON" text={() => JSON.stringify(definition, null, 2)} />;
}
