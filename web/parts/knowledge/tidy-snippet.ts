/** Files stored as Markdown. In others, the same characters are code. */
const isMarkdown = /\.(md|mdx|markdown|html?|docx)$/i;

/** Removes heading and code-fence markers, which mean nothing in a one-line snippet. */
export function tidySnippet(snippet: string, sourceId: string): string {
  if (!isMarkdown.test(sourceId)) return snippet;
  return snippet
    .replace(/(^|\s)#{1,6}(?=\s)/g, '$1')
    .replace(/(^|\s)(`{3,}|~{3,})[\w+-]*(?=\s|$)/g, '$1')
    .trimStart();
}
