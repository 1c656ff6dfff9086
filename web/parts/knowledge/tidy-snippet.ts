/** Files stored as Markdown. In others, the same characters are code. */
const isMarkdown = /\.(md|mdx|markdown|html?|docx)$/i;

/**
 * Replaces the markers of headings and code blocks, which mean nothing in a one-line snippet, by a dot.
 * The passage's own heading at the start is removed: it is shown above the snippet.
 */
export function tidySnippet(snippet: string, sourceId: string, heading = ''): string {
  if (!isMarkdown.test(sourceId)) return snippet;
  const [marker = ''] = /^\s*#{1,6}\s+/.exec(snippet) ?? [];
  const text = snippet.slice(marker.length);
  return (marker === '' ? text : withoutHeading(text, heading))
    .replace(/(^|\s)#{1,6}(?=\s)/g, '$1·')
    .replace(/(^|\s)(`{3,}|~{3,})[\w+-]*(?=\s|$)/g, '$1·')
    .replace(/·(\s+·)+/g, '·')
    .replace(/^[\s·]+|[\s·]+$/g, '');
}

/** Removes a heading, parts of which may be marked. */
function withoutHeading(text: string, heading: string): string {
  let end = 0;
  let isMarked = false;
  const skipMarks = () => {
    while (text.startsWith('**', end)) {
      end += 2;
      isMarked = !isMarked;
    }
  };
  for (const letter of heading) {
    skipMarks();
    if (!text.startsWith(letter, end)) return text;
    end += letter.length;
  }
  if (isMarked) skipMarks();
  const rest = text.slice(end);
  return heading === '' || isMarked || !/^\s+\S/.test(rest) ? text : rest;
}
