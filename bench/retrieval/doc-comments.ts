import { parseSync } from 'oxc-parser';

/** A declaration with a doc comment before it. */
export interface CommentedDeclaration {
  /** The scopes, outermost first. */
  names: string[];
  /** Without the comment's asterisks. */
  comment: string;
  /** Without any doc comments, including those of its members. */
  code: string;
}

/** Returns declarations in the order of the file. Scopes are modules, namespaces, classes and interfaces. */
export function readDocComments(file: string, source: string): CommentedDeclaration[] {
  const { program, comments } = parseSync(file, source);
  const blocks = comments.filter(({ type, value }) => type === 'Block' && value.startsWith('*'));
  const commentBefore = new Map<number, string>();
  for (const { end, value } of blocks) {
    const gap = source.slice(end).search(/\S/);
    if (gap >= 0) commentBefore.set(end + gap, withoutStars(value));
  }
  const found: CommentedDeclaration[] = [];
  visit(program as unknown as Node, []);
  return found;

  function visit(node: Node, scope: readonly string[]): void {
    const name = declaredName(node);
    const comment = commentBefore.get(node.start);
    const names = name === undefined || name === scope.at(-1) ? scope : [...scope, name];
    if (comment !== undefined && names.length > scope.length) {
      commentBefore.delete(node.start);
      found.push({ names: [...names], comment, code: codeOf(node) });
    }
    const inner = isScope(node) ? names : scope;
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, inner);
    }
  }

  function codeOf({ start, end }: Node): string {
    let code = '';
    let at = start;
    for (const block of blocks) {
      if (block.start < start || block.end > end) continue;
      code += source.slice(at, block.start).trimEnd();
      at = block.end;
    }
    return code + source.slice(at, end);
  }
}

interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

const scopes = new Set(['ClassDeclaration', 'TSInterfaceDeclaration', 'TSModuleDeclaration']);

function isScope(node: Node): boolean {
  return scopes.has(node.type) || (isNode(node.declaration) && isScope(node.declaration));
}

const declarations = new Set([
  'FunctionDeclaration',
  'TSDeclareFunction',
  'ClassDeclaration',
  'TSInterfaceDeclaration',
  'TSModuleDeclaration',
  'TSTypeAliasDeclaration',
  'MethodDefinition',
  'PropertyDefinition',
  'TSMethodSignature',
  'TSPropertySignature',
]);

function declaredName(node: Node): string | undefined {
  if (node.type === 'ExportNamedDeclaration' && isNode(node.declaration)) return declaredName(node.declaration);
  if (node.type === 'VariableDeclaration') {
    const [first] = Array.isArray(node.declarations) ? node.declarations : [];
    return isNode(first) ? nameOf(first.id) : undefined;
  }
  return declarations.has(node.type) ? (nameOf(node.id) ?? nameOf(node.key)) : undefined;
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (typeof node.name === 'string') return node.name;
  return typeof node.value === 'string' ? node.value : undefined;
}

function withoutStars(comment: string): string {
  return comment
    .slice(1)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
    .trim();
}
