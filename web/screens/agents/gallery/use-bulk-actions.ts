import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import type { AgentExport } from '../../../../src/agents/transfer-agents.ts';
import { request } from '../../../api/client.ts';
import { keys } from '../../../api/queries.ts';
import { showError, showProgress, showToast } from '../../../ui/toast.tsx';

export type BulkChange =
  | { kind: 'delete'; agents: readonly AgentSummary[] }
  | { kind: 'undelete'; agents: readonly AgentSummary[] }
  | { kind: 'tag'; agents: readonly AgentSummary[]; tag: string; isAdded: boolean }
  /** Gives the agents the tags that are listed here. */
  | { kind: 'retag'; agents: readonly AgentSummary[] };

/** The maximum number of requests under way at once. */
const batchSize = 8;

/** Changes several agents and shows how far it is. One notice offers to undo what was changed; another one names what was refused. */
export function useBulkChange() {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: async (bulk: BulkChange) => {
      const changed: AgentSummary[] = [];
      const refused: { agent: AgentSummary; error: unknown }[] = [];
      const progress = bulk.agents.length > batchSize ? showProgress() : undefined;
      for (let start = 0; start < bulk.agents.length; start += batchSize) {
        progress?.update(`${verbs[bulk.kind]} ${start} of ${bulk.agents.length} agents…`);
        const batch = bulk.agents.slice(start, start + batchSize);
        const results = await Promise.allSettled(batch.map((agent) => changeOne(bulk, agent)));
        for (const [index, agent] of batch.entries()) {
          const result = results[index];
          if (result?.status === 'rejected') refused.push({ agent, error: result.reason });
          else if (result?.value) changed.push(agent);
        }
      }
      progress?.close();
      return { changed, refused };
    },
    onSuccess: ({ changed, refused }, bulk) => {
      void client.invalidateQueries({ queryKey: keys.agents });
      void client.invalidateQueries({ queryKey: keys.status });
      if (refused[0]) showError(`${nameOf(refused.map(({ agent }) => agent))} could not be changed`, refused[0].error);
      const back = undoOf(bulk, changed);
      const action = back && { action: { label: 'Undo', onClick: () => change.mutate(back) } };
      if (changed.length > 0) showToast(doneText(bulk, nameOf(changed)), action);
      else if (bulk.kind === 'tag' && refused.length === 0)
        showToast(bulk.isAdded ? 'These agents already have this tag' : 'None of these agents has this tag');
    },
  });
  return change;
}

const verbs: Record<BulkChange['kind'], string> = {
  delete: 'Deleted',
  undelete: 'Restored',
  tag: 'Tagged',
  retag: 'Tags restored:',
};

/** Returns whether the agent had to be changed. */
async function changeOne(bulk: BulkChange, agent: AgentSummary): Promise<boolean> {
  const params = { id: agent.id };
  if (bulk.kind === 'delete') await request('DELETE /api/agents/{id}', { params });
  else if (bulk.kind === 'undelete') await request('POST /api/agents/{id}/undelete', { params });
  else if (bulk.kind === 'tag' && agent.tags.includes(bulk.tag) === bulk.isAdded) return false;
  else await request('PATCH /api/agents/{id}', { params, body: { tags: tagsAfter(bulk, agent) } });
  return true;
}

function tagsAfter(bulk: Extract<BulkChange, { kind: 'tag' | 'retag' }>, { tags }: AgentSummary): string[] {
  if (bulk.kind === 'retag') return tags;
  return bulk.isAdded ? [...tags, bulk.tag] : tags.filter((each) => each !== bulk.tag);
}

function undoOf({ kind }: BulkChange, changed: readonly AgentSummary[]): BulkChange | undefined {
  if (kind === 'delete') return { kind: 'undelete', agents: changed };
  return kind === 'tag' ? { kind: 'retag', agents: changed } : undefined;
}

function doneText(bulk: BulkChange, name: string): string {
  switch (bulk.kind) {
    case 'delete':
      return `${name} deleted`;
    case 'undelete':
      return `${name} restored`;
    case 'retag':
      return `Tags of ${name} restored`;
    case 'tag':
      return bulk.isAdded ? `Tag “${bulk.tag}” added to ${name}` : `Tag “${bulk.tag}” removed from ${name}`;
  }
}

function nameOf(agents: readonly AgentSummary[]): string {
  return agents.length === 1 ? `“${agents[0]?.name}”` : `${agents.length} agents`;
}

/** The ids are part of the address, whose length is limited. */
const maxIdsPerRequest = 100;

/** Downloads agents as one file. */
export function useExport() {
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      let file: AgentExport | undefined;
      for (let start = 0; start < ids.length; start += maxIdsPerRequest) {
        const part = ids.slice(start, start + maxIdsPerRequest).join(',');
        const next = await request('GET /api/export', { query: { ids: part } });
        file = { ...next, agents: [...(file?.agents ?? []), ...next.agents] };
      }
      const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }));
      const link = document.createElement('a');
      Object.assign(link, { href: url, download: 'agents.json' }).click();
      URL.revokeObjectURL(url);
    },
    onError: (error) => showError('The agents could not be exported', error),
  });
}
