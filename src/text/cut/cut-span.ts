import { weightOfCode } from '../estimate-tokens.ts';
import { type Span, spanWeight } from '../text-lines.ts';
import { lineStarts, sentenceStarts, splitWords } from './split-prose.ts';
import { afterWeight, beforeWeight, type CutText, wrapAround, wrappedWeight } from './wraps.ts';

/** How large passages may be, in weights. */
export interface CutLimits {
  most: number;
  overlap: number;
}

/**
 * The parts of a span that is too large, in order, or one part or none when it knows no place to cut. Every part is
 * smaller than the span, and together they hold all of it but space.
 */
export type Split = (span: Span) => Span[];

interface Atom extends Span {
  /** Begins at a sentence or a line, so that a passage may begin here without harm. */
  isStart: boolean;
}

/**
 * Cuts what is too large for one passage. Parts stay whole where they fit; passages come out about equally large; each
 * but the first repeats the end of the one before it, from the start of a sentence or line.
 */
export function cutSpan(text: CutText, span: Span, limits: CutLimits, split: Split, isProse: boolean): Span[] {
  const atoms: Atom[] = [];
  collectAtoms(text, { ...span, isStart: true }, limits, split, atoms);
  const overlap = Math.min(limits.overlap, Math.floor(limits.most / 2));
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
      limits.most - spanWeight(text.lines, first.start, first.end) - afterWeight(text, first.end),
    );
    const start = index === 0 ? first.start : overlapStart(text, atoms, index, { earliest, room, isProse });
    const fair = left / Math.max(1, Math.ceil(left / (limits.most - overlap)));
    let weight = beforeWeight(text, start) + spanWeight(text.lines, start, first.start);
    let fresh = 0;
    let end = first.start;
    for (let next = atoms[index]; next !== undefined; next = atoms[index]) {
      const added = spanWeight(text.lines, end, next.end);
      if (end > first.start && (fresh >= fair || weight + added + afterWeight(text, next.end) > limits.most)) break;
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
  if (wrappedWeight(text, atom) <= limits.most) {
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
  const pieces = splitWords(text.lines.body, atom, Math.max(1, Math.floor((limits.most - around) / 4)));
  for (const piece of pieces) atoms.push({ ...piece, isStart: piece.start === atom.start && atom.isStart });
}

/** Where a passage begins that repeats the end of the one before it. */
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

/** The earliest sentence, else line, inside a span from which on the text up to the cut has room. */
function startInside(text: CutText, span: Span, cut: number, room: number, isProse: boolean): number | undefined {
  const { body } = text.lines;
  // A sentence that is not longer than the room begins behind this place.
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
  // A whole sentence reads better, unless it is only the last few words of what would fit.
  return cut - sentence >= (cut - line) / 2 ? sentence : line;
}
