/** Generated files that nobody searches for. */
const machineMade =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|composer\.lock|gemfile\.lock|cargo\.lock|poetry\.lock|pipfile\.lock|uv\.lock|go\.sum|flake\.lock|deno\.lock|packages\.lock\.json)$|[.-]min\.(?:js|mjs|cjs|css|html)$|\.(?:js|css|mjs|cjs)\.map$|\.bundle\.js$|\.lock$/;

/** Other MIME types that servers and scripts use for the same format. */
const synonyms: Record<string, string> = {
  'text/x-markdown': 'text/markdown',
  'application/xhtml+xml': 'text/html',
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'application/typescript': 'text/x-typescript',
  'text/json': 'application/json',
  'application/x-ndjson': 'application/jsonl',
  'text/yaml': 'application/yaml',
  'text/x-yaml': 'application/yaml',
  'application/x-yaml': 'application/yaml',
  'text/xml': 'application/xml',
  'text/x-toml': 'application/toml',
};

/** Returns the MIME type of a file: the type from the source if it is specific, else by name, else plain text. */
export function contentTypeOf(name: string, stated?: string): string {
  const statedType = stated?.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = Object.hasOwn(synonyms, statedType) ? (synonyms[statedType] ?? statedType) : statedType;
  if (byContentType.has(known) && known !== 'text/plain') return known;
  const named = languageOf(name)?.contentType;
  if (named !== undefined) return named;
  return known.startsWith('text/') ? known : 'text/plain';
}

/** Detects the type from the first bytes, whatever the name is. Returns undefined if they are not conclusive. */
export function sniffedType(content: Uint8Array | string): string | undefined {
  const head = typeof content === 'string' ? content.slice(0, 5) : String.fromCharCode(...content.subarray(0, 5));
  return head === '%PDF-' ? 'application/pdf' : undefined;
}

export function familyOf(contentType: string): CutFamily {
  return byContentType.get(contentType)?.family ?? 'plain';
}

/** Tells whether connectors include a file by default: text, documents and source code, but no lock files or minified files. */
export function isKnownTextName(name: string): boolean {
  return languageOf(name) !== undefined && !machineMade.test(name.toLowerCase());
}

function languageOf(name: string): Language | undefined {
  const base = name.toLowerCase().split(/[\\/]/).at(-1) ?? '';
  const dot = base.lastIndexOf('.');
  return byName.get(base) ?? (dot >= 0 ? byExtension.get(base.slice(dot + 1)) : undefined);
}

/** How a file is cut into passages. */
type CutFamily = 'markdown' | 'html' | 'pdf' | 'docx' | 'plain' | 'brace' | 'indent' | 'table' | 'sections' | 'lines';

interface Language {
  contentType: string;
  family: CutFamily;
}

/** One row per kind of file: MIME type, family, file extensions. */
const rows: [contentType: string, family: CutFamily, extensions: string][] = [
  ['text/markdown', 'markdown', 'md markdown mdx mkd mdown qmd rmd mdc'],
  ['text/plain', 'plain', 'txt text rst adoc asciidoc org tex latex textile wiki pod'],
  ['text/html', 'html', 'html htm xhtml'],
  ['application/pdf', 'pdf', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx', 'docx'],
  ['text/x-typescript', 'brace', 'ts mts cts tsx'],
  ['text/javascript', 'brace', 'js mjs cjs jsx'],
  ['text/x-java', 'brace', 'java'],
  ['text/x-kotlin', 'brace', 'kt kts'],
  ['text/x-scala', 'brace', 'scala sc'],
  ['text/x-groovy', 'brace', 'groovy gradle'],
  ['text/x-c', 'brace', 'c h'],
  ['text/x-c++', 'brace', 'cc cpp cxx c++ hh hpp hxx inl ipp cu cuh'],
  ['text/x-csharp', 'brace', 'cs'],
  ['text/x-objective-c', 'brace', 'm mm'],
  ['text/x-go', 'brace', 'go'],
  ['text/x-rust', 'brace', 'rs'],
  ['text/x-swift', 'brace', 'swift'],
  ['text/x-dart', 'brace', 'dart'],
  ['text/x-php', 'brace', 'php phtml'],
  ['text/x-zig', 'brace', 'zig'],
  ['text/x-d', 'brace', 'd'],
  ['text/x-v', 'brace', 'v sv svh'],
  ['text/x-solidity', 'brace', 'sol'],
  ['text/x-glsl', 'brace', 'glsl vert frag hlsl wgsl metal'],
  ['text/x-r', 'brace', 'r'],
  ['text/x-perl', 'brace', 'pl pm'],
  ['text/x-powershell', 'brace', 'ps1 psm1 psd1'],
  ['text/x-tcl', 'brace', 'tcl'],
  ['text/x-awk', 'brace', 'awk'],
  ['text/css', 'brace', 'css scss less'],
  ['application/json', 'brace', 'json json5 jsonc webmanifest geojson'],
  ['text/x-hcl', 'brace', 'tf tfvars hcl nomad'],
  ['text/x-protobuf', 'brace', 'proto thrift capnp fbs'],
  ['text/x-graphql', 'brace', 'graphql gql'],
  ['text/x-prisma', 'brace', 'prisma'],
  ['text/x-nix', 'brace', 'nix'],
  ['text/x-jsonnet', 'brace', 'jsonnet libsonnet cue dhall'],
  ['text/x-python', 'indent', 'py pyi pyx pyw bzl star'],
  ['text/x-ruby', 'indent', 'rb rake gemspec podspec'],
  ['text/x-lua', 'indent', 'lua luau'],
  ['text/x-elixir', 'indent', 'ex exs'],
  ['text/x-erlang', 'indent', 'erl hrl'],
  ['text/x-julia', 'indent', 'jl'],
  ['text/x-crystal', 'indent', 'cr'],
  ['text/x-nim', 'indent', 'nim nims'],
  ['text/x-gdscript', 'indent', 'gd'],
  ['text/x-haskell', 'indent', 'hs lhs purs elm'],
  ['text/x-ocaml', 'indent', 'ml mli re rei'],
  ['text/x-fsharp', 'indent', 'fs fsi fsx'],
  ['text/x-lisp', 'indent', 'lisp cl el scm ss rkt'],
  ['text/x-clojure', 'indent', 'clj cljs cljc edn'],
  ['text/x-coffeescript', 'indent', 'coffee'],
  ['text/x-pascal', 'indent', 'pas pp dpr'],
  ['text/x-ada', 'indent', 'adb ads'],
  ['text/x-fortran', 'indent', 'f f90 f95 f03'],
  ['text/x-vb', 'indent', 'vb vbs bas'],
  ['text/x-cobol', 'indent', 'cob cbl'],
  ['text/x-assembly', 'indent', 'asm s'],
  ['text/x-sql', 'indent', 'sql ddl psql'],
  ['text/x-sh', 'indent', 'sh bash zsh fish ksh bat cmd'],
  ['text/x-vue', 'indent', 'vue svelte astro'],
  ['text/x-sass', 'indent', 'sass styl pug haml slim'],
  ['text/x-template', 'indent', 'hbs mustache ejs erb jinja j2 liquid tmpl tpl'],
  ['text/x-cmake', 'indent', 'cmake'],
  ['text/x-makefile', 'indent', 'mk mak'],
  ['text/x-dockerfile', 'indent', 'dockerfile containerfile'],
  ['application/yaml', 'indent', 'yaml yml'],
  ['application/xml', 'indent', 'xml xsd xsl xslt wsdl plist csproj fsproj vbproj props targets pom'],
  ['application/toml', 'sections', 'toml'],
  ['text/x-ini', 'sections', 'ini cfg conf properties editorconfig gitconfig service desktop'],
  ['text/csv', 'table', 'csv'],
  ['text/tab-separated-values', 'table', 'tsv tab'],
  ['application/jsonl', 'lines', 'jsonl ndjson'],
  ['text/x-log', 'lines', 'log'],
  ['text/x-diff', 'lines', 'diff patch'],
  ['text/vtt', 'plain', 'vtt srt'],
];

/** Files recognized by their whole name. */
const wholeNames: [contentType: string, names: string][] = [
  ['text/markdown', 'readme changelog contributing'],
  ['text/plain', 'license licence copying authors notice todo codeowners'],
  ['text/x-dockerfile', 'dockerfile containerfile'],
  ['text/x-makefile', 'makefile gnumakefile'],
  ['text/x-cmake', 'cmakelists.txt'],
  ['text/x-groovy', 'jenkinsfile'],
  ['text/x-ruby', 'gemfile rakefile vagrantfile brewfile podfile fastfile'],
  ['text/x-python', 'build.bazel workspace tiltfile sconstruct'],
  ['text/x-sh', 'justfile procfile'],
];

interface LanguageTables {
  byExtension: Map<string, Language>;
  byName: Map<string, Language>;
  byContentType: Map<string, Language>;
}

function languageTables(): LanguageTables {
  const byExtension = new Map<string, Language>();
  const byName = new Map<string, Language>();
  const byContentType = new Map<string, Language>();
  for (const [contentType, family, extensions] of rows) {
    const language = { contentType, family };
    byContentType.set(contentType, language);
    for (const extension of extensions.split(' ')) byExtension.set(extension, language);
  }
  for (const [contentType, names] of wholeNames) {
    const language = byContentType.get(contentType);
    for (const name of names.split(' ')) if (language) byName.set(name, language);
  }
  return { byExtension, byName, byContentType };
}

const { byExtension, byName, byContentType } = languageTables();
