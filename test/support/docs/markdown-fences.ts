import { fromMarkdown } from 'mdast-util-from-markdown';

export interface SourceFence {
  startLine: number;
  endLine: number;
  text: string;
  isClosed: boolean;
}

interface Node {
  type: string;
  depth?: number;
  children?: Node[];
  position?: { start: { line: number; offset?: number }; end: { line: number; offset?: number } };
}

/** Returns the fences of a text according to a full Markdown parser, as whole lines. */
export function wholeFences(markdown: string): SourceFence[] {
  const lines = markdown.split('\n');
  return nodesOf(fromMarkdown(markdown) as Node)
    .filter((node) => node.type === 'code')
    .flatMap((node) => {
      const startLine = node.position?.start.line ?? 0;
      const endLine = node.position?.end.line ?? 0;
      const own = lines.slice(startLine - 1, endLine);
      // Indented code starts with spaces, a fence with its marker.
      const marker = /^(?:`{3,}|~{3,})/.exec(markdown.slice(node.position?.start.offset))?.[0];
      if (marker === undefined) return [];
      const last = /^[\s>]*(`{3,}|~{3,})\s*$/.exec(own.at(-1) ?? '')?.[1] ?? '';
      const isClosed = own.length > 1 && last.startsWith(marker);
      return [{ startLine, endLine, text: own.join('\n').trimEnd(), isClosed }];
    });
}

/** Returns the fences that are not closed before the end of the text. */
export function openFences(markdown: string): SourceFence[] {
  const last = markdown.trimEnd().split('\n').length;
  return wholeFences(markdown).filter((fence) => !fence.isClosed && fence.endLine >= last);
}

/** Returns level and line of the headings outside lists and quotations. */
export function topHeadings(markdown: string): [level: number, line: number][] {
  const { children = [] } = fromMarkdown(markdown) as Node;
  return children
    .filter((node) => node.type === 'heading')
    .map((node) => [node.depth ?? 0, node.position?.start.line ?? 0]);
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(nodesOf)];
}
