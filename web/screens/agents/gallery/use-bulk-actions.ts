import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AgentSummary } from '../../../../src/agents/agents.contract.ts';
import type { AgentExport } from '../../../../src/agents/transfer-agents.ts';
import { ApiError, request } from '../../../api/client.ts';
import { keys } from '../../../api/queries.ts';
import { showError, showProgress, showToast } from '../../../ui/toast.tsx';

export type BulkChange =
  | { kind: 'delete'; agents: readonly AgentSummary[] }
  | { kind: 'undelete'; agents: readonly AgentSummary[] }
  /** `isUndo`: takes an earlier change of this tag back. */
  | { kind: 'tag'; agents: readonly AgentSummary[]; tag: string; isAdded: boolean; isUndo?: true };

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
        progress?.update(`${verbOf(bulk)} ${start} of ${bulk.agents.length} agents…`);
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

function verbOf(bulk: BulkChange): string {
  if (bulk.kind === 'tag') return bulk.isUndo ? 'Tags restored:' : 'Tagged';
  return bulk.kind === 'delete' ? 'Deleted' : 'Restored';
}

/** Returns whether the agent had to be changed. */
async function changeOne(bulk: BulkChange, agent: AgentSummary): Promise<boolean> {
  const params = { id: agent.id };
  if (bulk.kind === 'tag') return tagOne(bulk, agent);
  if (bulk.kind === 'delete') await request('DELETE /api/agents/{id}', { params });
  else await request('POST /api/agents/{id}/undelete', { params });
  return true;
}

const maxAttempts = 5;

/** Changes the one tag of the newest revision, so that no change made elsewhere is lost. */
async function tagOne({ tag, isAdded }: Extract<BulkChange, { kind: 'tag' }>, agent: AgentSummary): Promise<boolean> {
  const params = { id: agent.id };
  // A tag that comes back returns to its place.
  const place = agent.tags.indexOf(tag);
  for (let attempt = 1; ; attempt += 1) {
    const { tags, revision } = await request('GET /api/agents/{id}', { params });
    if (tags.includes(tag) === isAdded) return false;
    const next = isAdded
      ? tags.toSpliced(place === -1 ? tags.length : place, 0, tag)
      : tags.filter((each) => each !== tag);
    try {
      await request('PATCH /api/agents/{id}', { params, body: { tags: next }, ifMatch: revision });
      return true;
    } catch (error) {
      if (attempt === maxAttempts || !(error instanceof ApiError && error.status === 409)) throw error;
    }
  }
}

function undoOf(bulk: BulkChange, changed: readonly AgentSummary[]): BulkChange | undefined {
  if (bulk.kind === 'delete') return { kind: 'undelete', agents: changed };
  if (bulk.kind !== 'tag' || bulk.isUndo) return undefined;
  return { ...bulk, agents: changed, isAdded: !bulk.isAdded, isUndo: true };
}

function doneText(bulk: BulkChange, name: string): string {
  switch (bulk.kind) {
    case 'delete':
      return `${name} deleted`;
    case 'undelete':
      return `${name} restored`;
    case 'tag':
      if (bulk.isUndo) return `Tags of ${name} restored`;
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
