/** What a declaration is called, and whether others stand in it under names of their own. */
export interface Declaration {
  name: string;
  isContainer: boolean;
}

const containers =
  /\b(?:class|interface|struct|enum|union|trait|protocol|extension|object|record|module|namespace|mod|contract|library|service|defmodule|message|schema)\s+(?:class\s+|struct\s+)?([A-Za-z_$][\w$.:]*)/;
const implementation = /^(?:unsafe\s+)?impl(?:<[^{}]*?>)?\s+([^{}]{1,120}?)\s*(?:\bwhere\b|\{|$)/;
const created =
  /^create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+)?(?:table|view|function|procedure|trigger|index|type|schema)\s+(?:if\s+not\s+exists\s+)?["`[]?([\w.]+)/i;
const receiver = /^func\s+\([^)]*\)\s*(\w+)/;
const functions =
  /\b(?:function\*?|func|fn|fun|def|defp|defun|defn-?|defmacro|sub|proc|macro_rules!|procedure|macro|type|typedef)\s+([A-Za-z_$][\w$.:]*[?!]?)/;
const variables =
  /^(?:export\s+)?(?:default\s+)?(?:pub\s+)?(?:local\s+)?(?:const|let|var|val|static|my)\s+(?:mut\s+)?([A-Za-z_$][\w$]*)/;
const suites = /^(?:describe|context|suite|it|test)(?:\.\w+)*\(\s*(['"`])(.{1,100}?)\1/;
const blocks =
  /^(resource|data|provider|variable|output|module|model|table|type|input|scalar)\s+"?([\w./-]+)"?(?:\s+"([\w./-]+)")?/;
const called = /([A-Za-z_$~][\w$]*)\s*(?:<[^<>()]*>)?\s*\(/g;
const noName =
  /^(?:if|for|while|switch|catch|return|function|sizeof|with|using|lock|foreach|elseif|match|do|try|new|await|typeof|super|assert|unless|until|guard|when|and|or|not|in|require|import|use|static_assert)$/;

/** Read from the first line of a declaration; null when it names nothing. */
export function readDeclaration(line: string, contentType: string): Declaration | null {
  const text = line.slice(0, 300).trim();
  const data = dataKey(text, contentType);
  if (data !== undefined) return data === '' ? null : { name: data.slice(0, 100), isContainer: true };
  const suite = suites.exec(text)?.[2];
  if (suite !== undefined) return { name: suite, isContainer: /^(?:describe|context|suite)/.test(text) };
  const block = blocks.exec(text);
  if (block && /x-(?:hcl|prisma|graphql)$/.test(contentType)) {
    return { name: [block[2], block[3]].filter(Boolean).join('.'), isContainer: false };
  }
  const container = implementation.exec(text)?.[1] ?? containers.exec(text)?.[1];
  if (container !== undefined && !isInsideText(text, container)) return { name: container, isContainer: true };
  const name =
    receiver.exec(text)?.[1] ??
    created.exec(text)?.[1] ??
    functions.exec(text)?.[1] ??
    variables.exec(text)?.[1] ??
    calledName(text);
  return name === undefined ? null : { name, isContainer: false };
}

/** Undefined for a language that is no data format. */
function dataKey(text: string, contentType: string): string | undefined {
  switch (contentType) {
    case 'application/json':
      return /^"((?:[^"\\]|\\.){1,100})"\s*:/.exec(text)?.[1] ?? '';
    case 'application/yaml':
      return /^(?:-\s+)?["']?([\w./@ -]{1,100}?)["']?\s*:(?:\s|$)/.exec(text)?.[1] ?? '';
    case 'application/xml':
      return xmlName(text);
    case 'text/css':
      return text.replace(/\s*\{.*$/, '').slice(0, 100);
    case 'application/toml':
    case 'text/x-ini':
      return /^\[+\s*([^\]]{1,100}?)\s*\]/.exec(text)?.[1] ?? '';
    case 'text/x-makefile':
      return /^([\w./%-]{1,100})\s*:(?!=)/.exec(text)?.[1] ?? '';
    default:
      return undefined;
  }
}

function xmlName(text: string): string {
  const tag = /^<([\w:.-]{1,100})/.exec(text)?.[1] ?? '';
  const id = /\s(?:id|name|key)\s*=\s*"([^"]{1,100})"/i.exec(text)?.[1];
  return id === undefined ? tag : `${tag} ${id}`;
}

/** A word such as `class` in a text between quotes names nothing. */
function isInsideText(text: string, name: string): boolean {
  const before = text.slice(0, text.indexOf(name));
  return (before.match(/["`]/g)?.length ?? 0) % 2 === 1;
}

function calledName(text: string): string | undefined {
  for (const [, name] of text.matchAll(called)) if (name !== undefined && !noName.test(name)) return name;
  return undefined;
}
