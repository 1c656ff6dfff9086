import { useSearch } from '@tanstack/react-router';
import { Plug, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { FieldIssue } from '../../../../src/base/validate.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { ServedAt, type ServedAtProps } from './served-at.tsx';
import { SortableList } from './sortable-list.tsx';
import { TestSheet } from './test-sheet.tsx';
import { ToolCard } from './tool-card.tsx';
import type { OfferedTools } from './use-offered-tools.ts';
import { useToolActions } from './use-tool-actions.ts';

export interface ToolBuilderProps extends ServedAtProps {
  tools: OfferedTools;
  /** Of the draft and of the hub; those of tools begin with `exposes`. */
  issues: readonly FieldIssue[];
  /** Whether what is shown is not what the hub has. */
  dirty: boolean;
  /** True when the hub has taken the draft. */
  save: () => Promise<boolean>;
}

/** The tools that an agent offers to others, each with its parameters and its prompt. */
export function ToolBuilder({ tools, issues, dirty, save, ...served }: ToolBuilderProps) {
  const { rows, update } = tools;
  const { editable, agentId } = served;
  const wanted = useSearch({ from: '/a/$id', select: (search) => search.tool });
  const [openId, setOpenId] = useState<string | null>(() => {
    const first = rows.find((row) => row.tool.name === wanted) ?? (rows.length === 1 ? rows[0] : undefined);
    return first?.id ?? null;
  });
  const [testedId, setTestedId] = useState<string | null>(null);
  const { actions, add, move } = useToolActions(update, { open: setOpenId, test: setTestedId });
  const byTool = useMemo(() => groupIssues(issues), [issues]);
  const tested = rows.find((row) => row.id === testedId);
  const listError = issues.find(({ path }) => path === 'exposes')?.message;
  const addButton = (
    <Button aria-label="Add a tool" icon={<Plus aria-hidden />} onClick={add}>
      Tool
    </Button>
  );
  return (
    <div className="@container flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-3">
        <p className="min-w-0 flex-1 basis-64 text-pretty text-muted text-sm">
          To others this agent is an MCP server with these tools. Whoever calls one gets the agent’s answer to its
          prompt; the tools that the agent itself may use are under Tools.
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
          title="Offers no tools yet"
          actions={editable && addButton}
        >
          A tool has a name, parameters, and a prompt for the agent in which the values of a call are filled in.
        </EmptyState>
      ) : (
        <SortableList what="tool" rows={rows.map((row) => ({ id: row.id, name: row.tool.name }))} onMove={move}>
          <ul className="flex flex-col gap-2">
            {rows.map((row, index) => (
              <ToolCard
                key={row.id}
                row={row}
                isOpen={row.id === openId}
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

/** By the index of the tool; paths are those inside it. */
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
