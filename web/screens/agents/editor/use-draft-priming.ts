import { useMemo, useState } from 'react';
import { AgentArgument, KnowledgeQuery } from '../../../../src/agents/agent.ts';
import type { PrimeBody } from '../../../../src/agents/prompts.contract.ts';
import { type PrimeRequest, usePriming } from '../../../api/knowledge-queries.ts';
import { useDebounced } from '../../../ui/use-debounced.ts';
import type { Draft } from './draft.ts';

export interface DraftPriming {
  /** Sample values by argument name. */
  samples: Readonly<Record<string, string>>;
  setSample: (name: string, value: string) => void;
  /** The passages of each search, by index; invalid searches have none. */
  found: ReadonlyMap<number, PrimeBody['primings'][number]>;
  /** The text added after the compiled prompt. */
  text: string;
  /** Whether the results are missing or belong to an earlier draft. */
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
}

const quietMs = 250;

/** Finds the passages for a draft's prompt while the user types. */
export function useDraftPriming(draft: Draft): DraftPriming {
  const [samples, setSamples] = useState<Readonly<Record<string, string>>>({});
  const { arguments: declared, knowledge } = draft;
  const now = useMemo(() => toPrimeQuery({ arguments: declared, knowledge }, samples), [declared, knowledge, samples]);
  const settled = useDebounced(now, quietMs);
  const reply = usePriming(settled?.request ?? null);
  const body = now === null || settled === null ? undefined : reply.data;
  const found = useMemo(
    () =>
      new Map(
        (body?.primings ?? []).flatMap((priming, index) => {
          const position = settled?.positions[index];
          return position === undefined ? [] : [[position, priming] as const];
        }),
      ),
    [body, settled],
  );
  return {
    samples,
    setSample: (name, value) => setSamples((before) => ({ ...before, [name]: value })),
    found,
    text: body?.text ?? '',
    isLoading: now !== null && (now !== settled || reply.isPending || reply.isPlaceholderData),
    error: now === null ? null : reply.error,
    retry: () => void reply.refetch(),
  };
}

interface PrimeQuery {
  request: PrimeRequest;
  /** The index of each sent search in the draft. */
  positions: number[];
}

/** Returns the request for a draft without invalid searches and arguments, or null if no search is left. */
export function toPrimeQuery(
  draft: Pick<Draft, 'arguments' | 'knowledge'>,
  samples: Readonly<Record<string, string>>,
): PrimeQuery | null {
  const valid = draft.knowledge.flatMap((query, position) =>
    KnowledgeQuery.safeParse(query).success ? [{ query, position }] : [],
  );
  if (valid.length === 0) return null;
  const declared = draft.arguments.filter(
    (argument, index) =>
      AgentArgument.safeParse(argument).success &&
      draft.arguments.findIndex(({ name }) => name === argument.name) === index,
  );
  const values = declared.flatMap(({ name }) => (samples[name] ? [[name, samples[name]]] : []));
  return {
    request: {
      arguments: declared,
      knowledge: valid.map(({ query }) => query),
      values: Object.fromEntries(values),
    },
    positions: valid.map(({ position }) => position),
  };
}
