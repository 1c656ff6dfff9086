import type { Chunk } from '../../knowledge/document.ts';
import { tokensOf, weightOf, weightOfToken } from '../estimate-tokens.ts';
import { lineAt, type Span, trimLines } from '../text-lines.ts';
import { type CutLimits, cutSpan, type Split } from './cut-span.ts';
import { type CutText, wrappedText, wrappedWeight } from './wraps.ts';

export interface ChunkLimits {
  maxTokens: number;
  overlapTokens: number;
}

/** A range of lines under one heading. Its parts may have their own headings. Lines are numbered from 0. `end` is exclusive. */
export interface Part {
  heading: readonly string[];
  start: number;
  end: number;
  /** Returns its parts from `start` to `end`, without gaps. Called only if the part does not fit. If empty, `split` cuts it. */
  parts(): Part[];
  /** It has no name that joining with a neighbour could lose. */
  isNameless?: boolean;
}

/** How to turn parts into passages. */
export interface CutPlan {
  /** Shares of `maxTokens`: parts up to `small` are joined with small neighbours, up to `joined`. */
  small: number;
  joined: number;
  split: Split;
  /** Whether passages may begin at sentences; otherwise only at lines. */
  isProse: boolean;
}

interface Passage extends Span {
  heading: readonly string[];
}

export function cutPassages(text: CutText, parts: readonly Part[], plan: CutPlan, limits: ChunkLimits): Chunk[] {
  const cut: CutLimits = {
    maxWeight: limits.maxTokens * weightOfToken,
    overlap: limits.overlapTokens * weightOfToken,
  };
  const passages: Passage[] = [];
  joinParts({ text, plan, cut, passages }, parts);
  return passages.map((passage, ordinal) => toChunk(text, passage, ordinal));
}

interface Cutting {
  text: CutText;
  plan: CutPlan;
  cut: CutLimits;
  passages: Passage[];
}

/** Joins small neighbours into one passage. All others become separate passages. */
function joinParts(cutting: Cutting, parts: readonly Part[]): void {
  const { text, plan, cut } = cutting;
  let group: Part[] = [];
  const flush = () => {
    if (group.length > 0) addPart(cutting, group);
    group = [];
  };
  for (const part of parts) {
    const weight = weightOfLines(text, part.start, part.end);
    if (weight === 0) continue;
    if (weight > cut.maxWeight * plan.small) {
      flush();
      addPart(cutting, [part]);
      continue;
    }
    const first = group[0];
    if (first && weightOfLines(text, first.start, part.end) > cut.maxWeight * plan.joined) flush();
    group.push(part);
  }
  flush();
}

function addPart(cutting: Cutting, group: readonly Part[]): void {
  const { text, plan, cut, passages } = cutting;
  const first = group[0];
  const last = group.at(-1);
  if (!first || !last) return;
  const span = trimLines(text.lines, first.start, last.end);
  if (!span) return;
  const heading = headingOf(group);
  const parts = group.length === 1 && wrappedWeight(text, span) > cut.maxWeight * plan.joined ? first.parts() : [];
  if (parts.length > 0) joinParts(cutting, parts);
  else if (wrappedWeight(text, span) <= cut.maxWeight) passages.push({ ...span, heading });
  else for (const each of cutSpan(text, span, cut, plan.split, plan.isProse)) passages.push({ ...each, heading });
}

/** Returns the deepest heading that all parts share. */
function headingOf(group: readonly Part[]): readonly string[] {
  const named = group.filter((part) => !part.isNameless);
  const [first, ...others] = named.length > 0 ? named : group;
  if (!first) return [];
  let depth = first.heading.length;
  for (const { heading } of others) {
    let same = 0;
    while (same < depth && heading[same] === first.heading[same]) same += 1;
    depth = same;
  }
  return first.heading.slice(0, depth);
}

function weightOfLines(text: CutText, start: number, end: number): number {
  const span = trimLines(text.lines, start, end);
  return span ? wrappedWeight(text, span) : 0;
}

function toChunk(text: CutText, passage: Passage, ordinal: number): Chunk {
  const shown = wrappedText(text, passage);
  return {
    ordinal,
    heading: [...passage.heading],
    startLine: lineAt(text.lines, passage.start) + 1,
    endLine: lineAt(text.lines, passage.end) + 1,
    text: shown,
    tokens: tokensOf(weightOf(shown, 0, shown.length)),
  };
}
