import type { analyseWord } from './analyse.ts';
import type { StoredPassage } from './knowledge-store.ts';
import type { Query } from './parse-query.ts';
import { type Bonuses, bonusWeights, createRescorer } from './rescore.ts';
import { type Candidate, compareCandidates } from './select-top.ts';

export interface RankedPassage {
  candidate: Candidate;
  /** Undefined where its text was not looked at. */
  passage: StoredPassage | undefined;
  score: number;
  /** What the look at the text added to the score. */
  bonuses: Bonuses;
}

const noBonuses: Bonuses = { adjacent: 0, near: 0, title: 0 };

/** Adds to the first `most` candidates what their texts are worth, in shares of the best score. */
export function withBonuses(
  passages: readonly { candidate: Candidate; passage: StoredPassage | undefined }[],
  { query, most, analyse }: { query: Query; most: number; analyse?: typeof analyseWord },
): RankedPassage[] {
  const rescore = createRescorer(query.words, analyse);
  const best = passages[0]?.candidate.score ?? 0;
  return passages.map(({ candidate, passage }, index) => {
    if (!passage || index >= most) return { candidate, passage, score: candidate.score, bonuses: noBonuses };
    const { heading, text, document } = passage;
    const shares = rescore({ title: document.title, heading, text });
    const bonuses = {
      adjacent: shares.adjacent * bonusWeights.adjacent * best,
      near: shares.near * bonusWeights.near * best,
      title: shares.title * bonusWeights.title * best,
    };
    const score = candidate.score + bonuses.adjacent + bonuses.near + bonuses.title;
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
