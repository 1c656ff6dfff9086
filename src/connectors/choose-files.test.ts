import { expect, it } from 'vitest';
import { chooseFiles } from './choose-files.ts';
import { looksSecret } from './looks-secret.ts';

const isMarkdown = (name: string) => name.endsWith('.md');

it.each<[what: string, settings: Parameters<typeof chooseFiles>[0], path: string, taken: boolean]>([
  ['a known name is taken without globs', { takes: isMarkdown }, 'docs/a.md', true],
  ['an unknown name is not taken without globs', { takes: isMarkdown }, 'docs/a.bin', false],
  ['a hidden file is not taken without globs', { takes: isMarkdown }, 'docs/.a.md', false],
  ['an include glob decides alone', { takes: isMarkdown, include_globs: ['**/*.txt'] }, 'a/b.txt', true],
  ['what no include glob names is left out', { takes: isMarkdown, include_globs: ['**/*.txt'] }, 'a/b.md', false],
  ['a glob with no slash means any depth', { include_globs: ['*.md'] }, 'a/b/c.md', true],
  ['a glob with a slash means that folder', { include_globs: ['docs/*.md'] }, 'docs/a/b.md', false],
  ['.github is taken by a star', { include_globs: ['**/*.md'] }, '.github/a.md', true],
  [
    'in Context Harness, a star crosses slashes',
    { include_globs: ['docs/*.md'], isCtxGlobs: true },
    'docs/a/b.md',
    true,
  ],
  ['a star alone does, too', { include_globs: ['*.md'], isCtxGlobs: true }, 'docs/a/b.md', true],
  ['two stars match the root', { include_globs: ['**/*.md'], isCtxGlobs: true }, 'a.md', true],
  ['a name means the root', { include_globs: ['README.md'], isCtxGlobs: true }, 'README.md', true],
  ['and nothing below it', { include_globs: ['README.md'], isCtxGlobs: true }, 'docs/README.md', false],
  ['a glob may list names', { include_globs: ['**/*.{md,txt}'], isCtxGlobs: true }, 'docs/a.txt', true],
  ['an exclude glob crosses slashes', { exclude_globs: ['docs/*.md'], isCtxGlobs: true }, 'docs/a/b.md', false],
  ['a hidden file is not taken by a star there either', { include_globs: ['**/*'], isCtxGlobs: true }, 'a/.env', false],
  ['a glob may begin with ./', { include_globs: ['./docs/*.md'] }, 'docs/a.md', true],
  ['a hidden folder is taken by its name', { include_globs: ['.github/**'] }, '.github/a.md', true],
  ['a hidden file is not taken by a star', { include_globs: ['**/*'] }, 'a/.env', false],
  [
    'a file that looks like a secret is not taken by a star',
    { include_globs: ['**/*.json'] },
    'a/credentials.json',
    false,
  ],
  ['nor without globs', {}, 'a/server.key', false],
  ['nor by a star after the dot', { include_globs: ['**/.*'] }, 'a/.env', false],
  ['it is taken by its name', { include_globs: ['**/credentials.json'] }, 'a/credentials.json', true],
  ['it is taken by its name alone', { include_globs: ['.env'] }, 'a/.env', true],
  ['an exclude glob wins over a name', { include_globs: ['.env'], exclude_globs: ['a/**'] }, 'a/.env', false],
  ['an exclude glob wins', { include_globs: ['**/*.md'], exclude_globs: ['drafts/**'] }, 'drafts/a.md', false],
  ['an exclude glob reaches hidden files', { include_globs: ['.x/**'], exclude_globs: ['**/*.md'] }, '.x/a.md', false],
  ['a folder may be excluded by its slash', { exclude_globs: ['drafts/'] }, 'drafts/deep/a.md', false],
])('%s', (_, settings, path, taken) => {
  expect(chooseFiles(settings).whyNotFile(path) === undefined).toBe(taken);
});

it.each<[what: string, settings: Parameters<typeof chooseFiles>[0], path: string, entered: boolean]>([
  ['an ordinary folder is entered', {}, 'docs', true],
  ['a generated folder is not entered', {}, 'web/node_modules', false],
  ['a generated folder is entered when it is named', { include_globs: ['target/**/*.md'] }, 'target', true],
  ['a folder that people also write in is entered', {}, 'docs/build', true],
  ['.github is entered', {}, '.github', true],
  ['a glob of files closes no folder', { exclude_globs: ['*.d'], isCtxGlobs: true }, 'conf/a.d', true],
  ['a glob of a folder closes it', { exclude_globs: ['**/old/**'], isCtxGlobs: true }, 'a/old', false],
  ['a hidden folder is not entered', {}, '.notes', false],
  ['a hidden folder is entered when one is named', { include_globs: ['.notes/*.md'] }, '.notes', true],
  ['an excluded folder is not entered', { exclude_globs: ['**/old/**'] }, 'a/old', false],
  ['a name alone excludes a folder', { exclude_globs: ['old'] }, 'a/old', false],
  ['a glob of files does not close a folder', { exclude_globs: ['conf/*.d'] }, 'conf/a.d', true],
])('%s', (_, settings, path, entered) => {
  expect(chooseFiles(settings).whyNotFolder(path) === undefined).toBe(entered);
});

it('a glob that would take too long is rejected', () => {
  expect(() => chooseFiles({ include_globs: ['**/*a*a*a*a*a'] })).toThrow(/has more than 4 stars in "\*a\*a\*a\*a\*a"/);
  expect(() => chooseFiles({ exclude_globs: ['./'] })).toThrow(/matches nothing/);
});

const secret = [
  ...['.env', '.ENV', '.env.local', '.env.production', 'prod.env', '.envrc', '.npmrc', '.netrc', '.git-credentials'],
  ...['id_rsa', 'id_ed25519', 'server.pem', 'server.key', 'store.jks', 'release.keystore', 'cert.p12', 'vault.kdbx'],
  ...['credentials', 'credentials.json', 'Credentials.JSON', 'secrets.yaml', 'secret.json', 'client_secret_12.json'],
  ...['service-account.json', 'my-service_account-1.json', 'terraform.tfstate', 'terraform.tfstate.backup'],
  ...['terraform.tfvars', 'prod.auto.tfvars', 'application_default_credentials.json'],
  ...['vpn-default.key', 'prod_default.pem', 'terraform-default.tfvars', 'id_rsa.dist', 'id_rsa_work', 'rootkey.csv'],
  ...['id_ed25519_sk', 'id_ed25519-github', 'db-credentials.json', 'new_user_credentials.csv', 'secrets.prod.yaml'],
  ...['client-secret.json', 'client_secret.json'],
];
const plain = [
  ...['.env.example', '.env.sample', '.env.template', 'env.md', 'environment.md', 'id_rsa.pub', 'credentials.md'],
  ...['secrets.md', 'how-to-use-credentials.json.md', 'keys.md', 'monkey', 'service-account.md', 'package.json'],
  ...['credentials.example.json', 'terraform.tfvars.example', 'key.ts', 'pem.py', '.gitignore'],
  ...['id_rsa_work.pub', 'id_ed25519.pub', 'secrets.example.yaml', 'client-secret.md', 'id_rsa2csv.py'],
];

it.each(secret)('%s looks like a secret', (name) => {
  expect(looksSecret(name)).toBe(true);
});

it.each(plain)('%s does not look like a secret', (name) => {
  expect(looksSecret(name)).toBe(false);
});
