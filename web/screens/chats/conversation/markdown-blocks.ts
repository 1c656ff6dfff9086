const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const fenceLine = /^\s*(`{3,}|~{3,})(.*)$/;
const definition = /^ {0,3}\[[^\]\n]+\]:/m;
/** Longer lists are cut between items, so that the growing block stays fast to draw. */
const longList = 4_000;

/**
 * Splits Markdown between blocks, so that appended text changes only the last piece.
 * Fenced code and lists with their indented content stay whole.
 */
export function markdownBlocks(text: string): string[] {
  const blocks: string[] = [];
  let blockAt = 0;
  let isList = false;
  let isAfterBlank = false;
  let fence: string | null = null;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline + 1;
    const line = text.slice(at, newline === -1 ? end : newline);
    if (fence === null && isAfterBlank && at > blockAt && line !== '' && startsBlock(line, isList, at - blockAt)) {
      blocks.push(text.slice(blockAt, at));
      blockAt = at;
    }
    if (at === blockAt) isList = listItem.test(line);
    fence = nextFence(fence, line);
    isAfterBlank = line.trim() === '';
    at = end;
  }
  if (blockAt < text.length) blocks.push(text.slice(blockAt));
  return blocks;
}

/** Returns whether the text defines link targets, which only resolve in the whole text. */
export function hasDefinitions(text: string): boolean {
  return definition.test(text);
}

function startsBlock(line: string, isInList: boolean, length: number): boolean {
  if (/^\s/.test(line)) return false;
  return !(isInList && listItem.test(line) && length < longList);
}

function nextFence(open: string | null, line: string): string | null {
  const found = fenceLine.exec(line);
  if (!found) return open;
  const [, mark = '', rest = ''] = found;
  if (open === null) return mark.startsWith('`') && rest.includes('`') ? null : mark;
  const isEnd = mark.charAt(0) === open.charAt(0) && mark.length >= open.length && rest.trim() === '';
  return isEnd ? null : open;
}
