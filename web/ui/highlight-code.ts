/** A piece of code and what it is; null for anything that is not highlighted. */
export interface CodeToken {
  kind: 'comment' | 'string' | 'number' | 'keyword' | 'name' | 'added' | 'removed' | null;
  text: string;
}

/** Longer code is not highlighted. */
const maxCharacters = 20_000;

/**
 * Splits code into comments, strings, numbers, keywords and names. It knows the words of a language but not its grammar, which is enough
 * to read an answer and takes a few kilobytes. The texts of all tokens together are the code.
 */
export function highlightCode(code: string, language: string): readonly CodeToken[] {
  const rules = rulesOf(language.toLowerCase());
  if (!rules || code.length > maxCharacters) return [{ kind: null, text: code }];
  const tokens: CodeToken[] = [];
  const add = (kind: CodeToken['kind'], text: string) => {
    const last = tokens.at(-1);
    if (last?.kind === kind) last.text += text;
    else tokens.push({ kind, text });
  };
  for (let at = 0; at < code.length; ) {
    const found = firstMatch(rules, code, at);
    add(found.kind, found.text);
    at += found.text.length;
  }
  return tokens;
}

interface Rule {
  /**
   * Sticky. A pattern with a lookahead must be followed by one that matches the whole run anyway: code is untrusted, and a run that is
   * tried again at each of its characters takes quadratic time.
   */
  pattern: RegExp;
  kind: (text: string, group: string | undefined) => CodeToken['kind'];
}

function firstMatch(rules: readonly Rule[], code: string, at: number): CodeToken {
  for (const { pattern, kind } of rules) {
    pattern.lastIndex = at;
    const [text = '', group] = pattern.exec(code) ?? [];
    if (text !== '') return { kind: kind(text, group), text };
  }
  return { kind: null, text: code[at] ?? '' };
}

interface Grammar {
  names: string;
  comments: readonly RegExp[];
  strings?: readonly RegExp[];
  keywords: string;
  isCaseless?: true;
}

const slashes = /\/\/[^\n]*/y;
const block = /\/\*[\s\S]*?(?:\*\/|$)/y;
const hash = /#[^\n]*/y;
/** As in `a #b`, but not in `http://a/#b`. */
const spacedHash = /(?<=^|\s)#[^\n]*/my;
const dashes = /--[^\n]*/y;
const angle = /<!--[\s\S]*?(?:-->|$)/y;
const double = /"(?:[^"\\\n]|\\[\s\S])*"?/y;
const single = /'(?:[^'\\\n]|\\[\s\S])*'?/y;
const backtick = /`(?:[^`\\]|\\[\s\S])*`?/y;
const triple = /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)/y;

const grammars: readonly Grammar[] = [
  {
    names: 'js javascript jsx ts typescript tsx mjs cjs vue svelte',
    comments: [slashes, block],
    strings: [double, single, backtick],
    keywords:
      'abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace new null of private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield',
  },
  {
    names: 'py python',
    comments: [hash],
    strings: [triple, double, single],
    keywords:
      'False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield',
  },
  {
    names: 'c h cpp c++ cc hpp java kotlin kt cs csharp go golang rust rs swift scala dart php zig groovy',
    comments: [slashes, block],
    strings: [double, /'(?:[^'\\\n]|\\.)'/y, backtick],
    keywords:
      'abstract as async auto await bool boolean break byte case catch chan char class const constexpr continue crate def default defer delete do double dyn else enum explicit export extends extern false final finally float fn for foreach func function fun go goto guard if impl implements import in inline int interface internal is let long loop map match mod move mut namespace new nil null nullptr object operator override package private protected protocol pub public range ref return select self short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename union unsafe unsigned use using val var virtual void volatile when where while yield',
  },
  {
    names: 'sh bash shell zsh console shellscript fish',
    comments: [spacedHash],
    strings: [double, /'[^']*'?/y],
    keywords:
      'alias case cd do done echo elif else esac eval exec exit export fi for function if in local read return set shift source sudo then trap unset until while',
  },
  {
    names: 'sql postgres postgresql sqlite mysql',
    comments: [dashes, block],
    strings: [/'(?:[^']|'')*'?/y, double],
    keywords:
      'add all alter and as asc begin between by case check coalesce column commit constraint count create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true union unique update using values view when where with',
    isCaseless: true,
  },
  { names: 'json jsonc json5', comments: [slashes, block], strings: [double], keywords: 'true false null' },
  {
    names: 'yaml yml toml ini env properties dockerfile docker makefile make conf',
    comments: [spacedHash],
    strings: [triple, double, /(?<![\p{L}\p{N}])'(?:[^'\\\n]|\\[\s\S])*'?/uy],
    keywords: 'true false null yes no on off FROM RUN COPY CMD ENTRYPOINT ENV ARG WORKDIR EXPOSE USER VOLUME ADD LABEL',
  },
  {
    names: 'html xml svg markup',
    comments: [angle],
    // Quotes in text, such as apostrophes, begin no string.
    strings: [/(?<==\s*)"[^"]*"?/y, /(?<==\s*)'[^']*'?/y],
    keywords: '',
  },
  {
    names: 'css scss less',
    comments: [block, /(?<=^|\s)\/\/[^\n]*/my],
    strings: [double, single],
    keywords: 'important @media @supports @import @keyframes @font-face @layer @container',
  },
  {
    names: 'lua',
    comments: [/--\[\[[\s\S]*?(?:\]\]|$)/y, dashes],
    strings: [double, single, /\[\[[\s\S]*?(?:\]\]|$)/y],
    keywords:
      'and break do else elseif end false for function goto if in local nil not or repeat return then true until while',
  },
  {
    names: 'ruby rb elixir ex perl pl r',
    comments: [hash],
    strings: [double, single],
    keywords:
      'alias and begin break case class def defmodule defp do else elsif end ensure false fn for foreach function if in module my new next nil not or our package private protected public redo require rescue retry return self sub super then true undef unless until use when while yield TRUE FALSE NULL',
  },
];

const number = /(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?)\w*/iy;
const word = /[\p{L}_$@][\p{L}\p{N}_$-]*/uy;
const call = /[\p{L}_$][\p{L}\p{N}_$]*(?=\()/uy;
const spaces = /\s+/y;
/** A run of name characters; the group is set if it is a key or the name of a function. */
const key = /([\w$.-]+)(?=\s*[:=]|\()|[\w$.-]+/y;
const tag = /<\/?[\w:-]+|\/?>/y;
const added = /(?<=^|\n)\+[^\n]*/y;
const removed = /(?<=^|\n)-[^\n]*/y;
const hunk = /(?<=^|\n)@@[^\n]*/y;

const known = new Map<string, readonly Rule[]>(
  grammars.flatMap((grammar) => {
    const rules = toRules(grammar);
    return grammar.names.split(' ').map((name) => [name, rules] as const);
  }),
);

function rulesOf(language: string): readonly Rule[] | undefined {
  if (language === 'diff' || language === 'patch')
    return [
      { pattern: added, kind: () => 'added' },
      { pattern: removed, kind: () => 'removed' },
      { pattern: hunk, kind: () => 'comment' },
      { pattern: /[^\n]+/y, kind: () => null },
    ];
  return known.get(language);
}

function toRules({ names, comments, strings = [], keywords, isCaseless }: Grammar): Rule[] {
  const words = new Set(keywords.split(' '));
  const isMarkup = names.startsWith('html');
  const hasKeys = /^(yaml|css)/.test(names);
  const kindOfWord = (text: string) => (words.has(isCaseless ? text.toLowerCase() : text) ? 'keyword' : null);
  return [
    { pattern: spaces, kind: () => null },
    ...comments.map((pattern): Rule => ({ pattern, kind: () => 'comment' })),
    ...(isMarkup ? [{ pattern: tag, kind: () => 'keyword' } satisfies Rule] : []),
    ...strings.map((pattern): Rule => ({ pattern, kind: () => 'string' })),
    { pattern: number, kind: () => 'number' },
    ...(hasKeys ? [{ pattern: key, kind: (text, name) => (name ? 'name' : kindOfWord(text)) } satisfies Rule] : []),
    { pattern: call, kind: (text) => kindOfWord(text) ?? 'name' },
    { pattern: word, kind: kindOfWord },
  ];
}
