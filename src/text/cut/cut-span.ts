import { weightOfCode } from '../estimate-tokens.ts';
import { type Span, spanWeight } from '../text-lines.ts';
import { lineStarts, sentenceStarts, splitWords } from './split-prose.ts';
import { afterWeight, beforeWeight, type CutText, wrapAround, wrappedWeight } from './wraps.ts';

/** The limits of passages, as weights. */
export interface CutLimits {
  maxWeight: number;
  overlap: number;
}

/**
 * Splits a span that is too large into smaller parts, in order. Returns at most one part if it cannot be split. The parts
 * cover the whole span except for spaces.
 */
export type Split = (span: Span) => Span[];

interface Atom extends Span {
  /** It begins at a sentence or a line, so that a passage may begin here. */
  isStart: boolean;
}

/**
 * Cuts a span that is too large for one passage into passages of similar size. Parts that fit stay whole. Each passage but
 * the first repeats the end of the previous one, from the start of a sentence or line.
 */
export function cutSpan(text: CutText, span: Span, limits: CutLimits, split: Split, isProse: boolean): Span[] {
  const atoms: Atom[] = [];
  collectAtoms(text, { ...span, isStart: true }, limits, split, atoms);
  const overlap = Math.min(limits.overlap, Math.floor(limits.maxWeight / 2));
  const passages: Span[] = [];
  let left = 0;
  atoms.forEach((atom, at) => {
    left += spanWeight(text.lines, atoms[at - 1]?.end ?? atom.start, atom.end);
  });
  let index = 0;
  let earliest = span.start;
  while (index < atoms.length) {
    const first = atoms[index] as Atom; // The index is inside the list.
    const room = Math.min(
      overlap,
      limits.maxWeight - spanWeight(text.lines, first.start, first.end) - afterWeight(text, first.end),
    );
    const start = index === 0 ? first.start : overlapStart(text, atoms, index, { earliest, room, isProse });
    const targetWeight = left / Math.max(1, Math.ceil(left / (limits.maxWeight - overlap)));
    let weight = beforeWeight(text, start) + spanWeight(text.lines, start, first.start);
    let fresh = 0;
    let end = first.start;
    for (let next = atoms[index]; next !== undefined; next = atoms[index]) {
      const added = spanWeight(text.lines, end, next.end);
      if (
        end > first.start &&
        (fresh >= targetWeight || weight + added + afterWeight(text, next.end) > limits.maxWeight)
      )
        break;
      weight += added;
      fresh += added;
      left -= added;
      end = next.end;
      index += 1;
    }
    passages.push({ start, end });
    earliest = first.start;
  }
  return passages;
}

function collectAtoms(text: CutText, atom: Atom, limits: CutLimits, split: Split, atoms: Atom[]): void {
  if (wrappedWeight(text, atom) <= limits.maxWeight) {
    atoms.push(atom);
    return;
  }
  const parts = split(atom);
  if (parts.length > 1) {
    for (const part of parts) collectAtoms(text, { ...part, isStart: true }, limits, split, atoms);
    return;
  }
  const around = beforeWeight(text, atom.start + 1) + afterWeight(text, atom.end - 1);
  // A quarter, so that pieces fill a passage well.
  const pieces = splitWords(text.lines.body, atom, Math.max(1, Math.floor((limits.maxWeight - around) / 4)));
  for (const piece of pieces) atoms.push({ ...piece, isStart: piece.start === atom.start && atom.isStart });
}

/** Returns the start of a passage that repeats the end of the previous one. */
function overlapStart(
  text: CutText,
  atoms: readonly Atom[],
  index: number,
  { earliest, room, isProse }: { earliest: number; room: number; isProse: boolean },
): number {
  const cut = (atoms[index] as Atom).start; // The caller has looked at it.
  let best = cut;
  for (let at = index - 1; at >= 0; at -= 1) {
    const atom = atoms[at] as Atom; // The index is inside the list.
    if (atom.start <= earliest)
      return startInside(text, { start: earliest + 1, end: best }, cut, room, isProse) ?? best;
    if (spanWeight(text.lines, atom.start, cut) + beforeWeight(text, atom.start) > room) {
      return startInside(text, { start: atom.start + 1, end: best }, cut, room, isProse) ?? best;
    }
    if (atom.isStart) best = atom.start;
  }
  return best;
}

/** Returns the earliest sentence or line in a span from which the text up to the cut fits into `room`. */
function startInside(text: CutText, span: Span, cut: number, room: number, isProse: boolean): number | undefined {
  const { body } = text.lines;
  // A sentence that fits into the room begins after this offset.
  let from = span.end;
  let weight = spanWeight(text.lines, span.end, cut);
  while (from > span.start && weight <= room) {
    from -= 1;
    weight += weightOfCode(body.charCodeAt(from));
  }
  const window = { start: from, end: span.end };
  const fits = (start: number) => spanWeight(text.lines, start, cut) + beforeWeight(text, start) <= room;
  const isUsable = (start: number) => start > from && start < span.end && !wrapAround(text.wraps, start) && fits(start);
  const sentence = isProse ? sentenceStarts(body, window).find(isUsable) : undefined;
  const line = lineStarts(body, window).find(isUsable);
  if (sentence === undefined || line === undefined) return sentence ?? line;
  // A whole sentence reads better, unless it is much shorter than the text from the line.
  return cut - sentence >= (cut - line) / 2 ? sentence : line;
}
