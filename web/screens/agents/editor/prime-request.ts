import { AgentArgument, KnowledgeQuery } from '../../../../src/agents/agent.ts';
import type { PrimeRequest } from '../../../api/knowledge-queries.ts';
import type { Draft } from './draft.ts';

export interface PrimeQuestion {
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
