import type { Outline, Vocabulary } from '../outline.ts';
import type { StoredPassage } from '../store/knowledge-store.ts';
import type { Query } from './parse-query.ts';
import { type Bonuses, bonusWeights, createRescorer } from './rescore.ts';
import { type Candidate, compareCandidates } from './select-top.ts';

export interface RankedPassage {
  candidate: Candidate;
  /** Undefined where its text was not read. */
  passage: StoredPassage | undefined;
  score: number;
  /** What the look at the text added to the score. */
  bonuses: Bonuses;
}

const noBonuses: Bonuses = { adjacent: 0, near: 0, title: 0, phrase: 0 };

/** A candidate, with what is known of its text. */
export interface OutlinedCandidate {
  candidate: Candidate;
  passage: StoredPassage | undefined;
  /** Undefined where the text is not looked at. */
  outline: Outline | undefined;
}

/** Adds to candidates what their texts are worth, in shares of the best score. */
export function withBonuses(
  passages: readonly OutlinedCandidate[],
  { query, vocabulary }: { query: Query; vocabulary: Vocabulary },
): RankedPassage[] {
  const rescore = createRescorer(query, vocabulary);
  const best = passages[0]?.candidate.score ?? 0;
  return passages.map(({ candidate, passage, outline }) => {
    if (!outline) return { candidate, passage, score: candidate.score, bonuses: noBonuses };
    const shares = rescore(outline);
    const bonuses = {
      adjacent: shares.adjacent * bonusWeights.adjacent * best,
      near: shares.near * bonusWeights.near * best,
      title: shares.title * bonusWeights.title * best,
      phrase: shares.phrase * bonusWeights.phrase * best,
    };
    const score = candidate.score + bonuses.adjacent + bonuses.near + bonuses.title + bonuses.phrase;
    return { candidate, passage, score, bonuses };
  });
}

/** The best passage of each document, best first. */
export function bestOfDocuments(passages: readonly RankedPassage[]): RankedPassage[] {
  const seen = new Set<number>();
  return passages
    .toSorted((left, right) => right.score - left.score || compareCandidates(left.candidate, right.candidate))
    .filter(({ candidate: { segment, document } }) => {
      const docNo = segment.header.docNos[document] ?? 0;
      return !seen.has(docNo) && seen.add(docNo);
    });
}
