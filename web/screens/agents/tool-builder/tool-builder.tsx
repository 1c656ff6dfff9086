import { Link, useSearch } from '@tanstack/react-router';
import { Plug, Plus, Server } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AgentMode } from '../../../../src/agents/agent.ts';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { useHubAddress } from '../../../api/access-queries.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyLine } from '../../../ui/copy-line.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { showToast } from '../../../ui/toast.tsx';
import { duplicateTool, newTool, type OfferedTool } from './offered-tools.ts';
import { SortableList } from './sortable-list.tsx';
import { TestSheet } from './test-sheet.tsx';
import { type ToolActions, ToolCard } from './tool-card.tsx';
import type { OfferedTools } from './use-offered-tools.ts';

export interface ToolBuilderProps extends ServedAtProps {
  tools: OfferedTools;
  /** Issues of the draft; paths of tools start with `exposes`. */
  issues: readonly FieldIssue[];
  /** Whether there are unsaved changes. */
  dirty: boolean;
  /** Resolves to whether the hub saved the draft. */
  save: () => Promise<boolean>;
}

/** The tools an agent offers, each with parameters and a prompt. */
export function ToolBuilder({ tools, issues, dirty, save, ...served }: ToolBuilderProps) {
  const { rows, update } = tools;
  const { editable, agentId } = served;
  const toolName = useSearch({ from: '/a/$id', select: (search) => search.tool });
  const [openId, setOpenId] = useState<string | null>(() => {
    const first = rows.find((row) => row.tool.name === toolName) ?? (rows.length === 1 ? rows[0] : undefined);
    return first?.id ?? null;
  });
  const [testedId, setTestedId] = useState<string | null>(null);
  const [addedId, setAddedId] = useState<string | null>(null);
  const { actions, add, move } = useToolActions(update, { open: setOpenId, test: setTestedId, markAdded: setAddedId });
  const byTool = useMemo(() => groupIssues(issues), [issues]);
  const tested = rows.find((row) => row.id === testedId);
  const listError = issues.find(({ path }) => path === 'exposes')?.message;
  const addButton = (
    <Button icon={<Plus aria-hidden />} onClick={add}>
      Add tool
    </Button>
  );
  return (
    <div className="@container flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <p className="min-w-0 flex-1 basis-64 text-pretty text-muted text-sm">
          In Tools mode this agent is an MCP server that offers these tools. A call fills the tool’s prompt and returns
          the agent’s answer. Choose the tools the agent itself may use in the Tools tab.
        </p>
        {editable && rows.length > 0 && addButton}
      </div>
      <ServedAt {...served} />
      {listError && (
        <p role="alert" className="text-danger text-xs">
          {listError}
        </p>
      )}
      {rows.length === 0 ? (
        <EmptyState
          art={<Plug className="size-10" strokeWidth={1.5} />}
          title="No tools yet"
          actions={editable && addButton}
        >
          Add a tool to let other clients call this agent. A tool has a name, parameters and a prompt.
        </EmptyState>
      ) : (
        <SortableList what="tool" rows={rows.map((row) => ({ id: row.id, name: row.tool.name }))} onMove={move}>
          <ul className="flex flex-col gap-2">
            {rows.map((row, index) => (
              <ToolCard
                key={row.id}
                row={row}
                isOpen={row.id === openId}
                isNew={row.id === addedId}
                editable={editable}
                issues={byTool.get(index) ?? noIssues}
                actions={actions}
              />
            ))}
          </ul>
        </SortableList>
      )}
      {tested && (
        <TestSheet
          key={tested.id}
          agentId={agentId}
          row={tested}
          dirty={dirty}
          canSave={editable}
          save={save}
          change={(change) => actions.change(tested.id, change)}
          onClose={() => setTestedId(null)}
        />
      )}
    </div>
  );
}

const noIssues: readonly FieldIssue[] = [];

/** Groups issues by tool index, with paths relative to the tool. */
function groupIssues(issues: readonly FieldIssue[]): Map<number, FieldIssue[]> {
  const groups = new Map<number, FieldIssue[]>();
  for (const { path, message } of issues) {
    const [whole, index] = /^exposes\[(\d+)\]\.?/.exec(path) ?? [];
    if (whole === undefined) continue;
    const group = groups.get(Number(index)) ?? [];
    groups.set(Number(index), [...group, { path: path.slice(whole.length), message }]);
  }
  return groups;
}

interface ServedAtProps {
  agentId: string;
  mode: AgentMode;
  shareContext: boolean;
  editable: boolean;
  onMode: (mode: AgentMode) => void;
  onShareContext: (shareContext: boolean) => void;
}

/** The addresses of the tools, or in another mode a note that they are not served. */
function ServedAt({ agentId, mode, shareContext, editable, onMode, onShareContext }: ServedAtProps) {
  const hub = useHubAddress();
  if (mode === 'interactive') {
    return (
      <Banner
        tone="info"
        icon={<Server />}
        actions={
          editable && (
            <Button size="sm" onClick={() => onMode('tools')}>
              Switch to Tools mode
            </Button>
          )
        }
      >
        This agent is in Interactive mode. You can edit and test its tools, but clients can call them only in Tools or
        Autonomous mode.
      </Banner>
    );
  }
  return (
    <section
      aria-label="Addresses"
      className="flex flex-wrap items-center gap-x-6 gap-y-2 rounded-xl border border-line bg-surface px-3.5 py-2.5"
    >
      <CopyLine label="HTTP" what="address" text={`${hub}/agents/${agentId}/mcp`} />
      <CopyLine label="stdio" what="command" text={`zoo agent serve ${agentId}`} />
      <span className="flex items-center gap-2 text-xs">
        <Switch
          label="Share one conversation across a client’s calls"
          checked={shareContext}
          disabled={!editable}
          onChange={onShareContext}
        />
        <span aria-hidden>Share one conversation across a client’s calls</span>
      </span>
      <p className="basis-full text-muted text-xs">
        Over HTTP, a client sends a key.{' '}
        <Link to="/access" className="rounded text-accent-text underline underline-offset-2 hover:decoration-2">
          Create a key
        </Link>
      </p>
    </section>
  );
}

interface ToolOpeners {
  open: (id: string | null) => void;
  test: (id: string) => void;
  /** Marks the tool whose name gets the focus. */
  markAdded: (id: string | null) => void;
}

/** Returns stable functions, so that changing one tool rerenders only that tool. */
function useToolActions(update: OfferedTools['update'], { open, test, markAdded }: ToolOpeners) {
  return useMemo(() => {
    const openNew = ({ id }: OfferedTool) => {
      open(id);
      markAdded(id);
    };
    const actions: ToolActions = {
      open,
      test,
      focused: () => markAdded(null),
      change: (id, change) => update((rows) => replace(rows, id, change)),
      duplicate: (id) => {
        let copy: OfferedTool | undefined;
        update((rows) => {
          const index = rows.findIndex((row) => row.id === id);
          const row = rows[index];
          if (!row) return rows;
          copy = duplicateTool(rows, row);
          return rows.toSpliced(index + 1, 0, copy);
        });
        if (copy) openNew(copy);
      },
      remove: (id) => {
        let before: readonly OfferedTool[] = [];
        update((rows) => {
          before = rows;
          return rows.filter((row) => row.id !== id);
        });
        const index = before.findIndex((row) => row.id === id);
        const removed = before[index];
        if (!removed) return;
        const undo = () =>
          update((rows) => (rows.some((row) => row.id === id) ? rows : rows.toSpliced(index, 0, removed)));
        showToast(`Tool “${removed.tool.name}” removed`, { action: { label: 'Undo', onClick: undo } });
      },
    };
    const add = () => {
      let added: OfferedTool | undefined;
      update((rows) => {
        added = newTool(rows);
        return [...rows, added];
      });
      if (added) openNew(added);
    };
    const move = (id: string, overId: string) =>
      update((rows) => {
        const from = rows.findIndex((row) => row.id === id);
        const to = rows.findIndex((row) => row.id === overId);
        const moving = rows[from];
        return moving && to >= 0 ? rows.toSpliced(from, 1).toSpliced(to, 0, moving) : rows;
      });
    return { actions, add, move };
  }, [update, open, test, markAdded]);
}

function replace(
  rows: readonly OfferedTool[],
  id: string,
  change: (row: OfferedTool) => OfferedTool,
): readonly OfferedTool[] {
  const next = rows.map((row) => (row.id === id ? change(row) : row));
  return next.every((row, index) => row === rows[index]) ? rows : next;
}
