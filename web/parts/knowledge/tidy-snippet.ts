/** Text that is stored as Markdown; in other files the same signs are part of the code. */
const isMarkdown = /\.(md|mdx|markdown|html?|docx)$/i;

/** A snippet for people: in one line the signs of headings and code fences say nothing. */
export function tidySnippet(snippet: string, sourceId: string): string {
  if (!isMarkdown.test(sourceId)) return snippet;
  return snippet
    .replace(/(^|\s)#{1,6}(?=\s)/g, '$1')
    .replace(/(^|\s)(`{3,}|~{3,})[\w+-]*(?=\s|$)/g, '$1')
    .trimStart();
}
