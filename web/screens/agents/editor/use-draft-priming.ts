import { useMemo, useState } from 'react';
import { AgentArgument, KnowledgeQuery } from '../../../../src/agents/agent.ts';
import type { PrimeBody } from '../../../../src/agents/prompts.contract.ts';
import { type PrimeRequest, usePriming } from '../../../api/knowledge-queries.ts';
import { useDebounced } from '../../../ui/use-debounced.ts';
import type { Draft } from './draft.ts';

export interface DraftPriming {
  /** Sample values of the arguments, by name. */
  samples: Readonly<Record<string, string>>;
  setSample: (name: string, value: string) => void;
  /** What each entry of the draft found, by its place; undefined for those that could not be asked. */
  found: ReadonlyMap<number, PrimeBody['primings'][number]>;
  /** What follows the compiled prompt. */
  text: string;
  /** The answer belongs to an earlier draft, or there is none yet. */
  isLoading: boolean;
  error: Error | null;
  retry: () => void;
}

const quietMs = 250;

/** Which passages the prompt of a draft would get, as it is typed. */
export function useDraftPriming(draft: Draft): DraftPriming {
  const [samples, setSamples] = useState<Readonly<Record<string, string>>>({});
  const { arguments: declared, knowledge } = draft;
  const now = useMemo(
    () => toPrimeQuestion({ arguments: declared, knowledge }, samples),
    [declared, knowledge, samples],
  );
  const question = useDebounced(now, quietMs);
  const answer = usePriming(question?.request ?? null);
  const body = now === null || question === null ? undefined : answer.data;
  const found = useMemo(
    () =>
      new Map(
        (body?.primings ?? []).flatMap((priming, index) => {
          const place = question?.places[index];
          return place === undefined ? [] : [[place, priming] as const];
        }),
      ),
    [body, question],
  );
  return {
    samples,
    setSample: (name, value) => setSamples((before) => ({ ...before, [name]: value })),
    found,
    text: body?.text ?? '',
    isLoading: now !== null && (now !== question || answer.isPending || answer.isPlaceholderData),
    error: now === null ? null : answer.error,
    retry: () => void answer.refetch(),
  };
}

interface PrimeQuestion {
  request: PrimeRequest;
  /** For each entry that is asked, its place in the draft. */
  places: number[];
}

/** What to ask the hub about a draft: entries and arguments that are not valid yet are left out. Null when nothing is left. */
export function toPrimeQuestion(
  draft: Pick<Draft, 'arguments' | 'knowledge'>,
  samples: Readonly<Record<string, string>>,
): PrimeQuestion | null {
  const valid = draft.knowledge.flatMap((query, place) =>
    KnowledgeQuery.safeParse(query).success ? [{ query, place }] : [],
  );
  if (valid.length === 0) return null;
  const declared = draft.arguments.filter(
    (argument, place) =>
      AgentArgument.safeParse(argument).success &&
      draft.arguments.findIndex(({ name }) => name === argument.name) === place,
  );
  const given = declared.flatMap(({ name }) => (samples[name] ? [[name, samples[name]]] : []));
  return {
    request: {
      arguments: declared,
      knowledge: valid.map(({ query }) => query),
      values: Object.fromEntries(given),
    },
    places: valid.map(({ place }) => place),
  };
}
