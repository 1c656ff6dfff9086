import type { Control } from './control.ts';

export const trustControls: readonly Control[] = [
  {
    control: 'A found config runs no scripts as tools',
    file: 'src/config/trust/held-half.ts',
    off: { find: "tools: { half: 'held', depth: 3 }", replace: "tools: { half: 'inert', except: () => [] }" },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'A found config starts no servers',
    file: 'src/config/trust/held-half.ts',
    off: {
      find: "  mcp_servers: { half: 'held', depth: 2 }",
      replace: "  mcp_servers: { half: 'inert', except: () => [] }",
    },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'A found config sets no addresses of providers',
    file: 'src/config/trust/held-half.ts',
    off: { find: "providers: { half: 'held', depth: 2 }", replace: "providers: { half: 'inert', except: () => [] }" },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'A found config sends no events',
    file: 'src/config/trust/held-half.ts',
    off: { find: "events: { half: 'held', depth: 3 }", replace: "events: { half: 'inert', except: () => [] }" },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'A found config gives nobody rights',
    file: 'src/config/trust/held-half.ts',
    off: {
      find: "permissions: { half: 'held', depth: 1 }",
      replace: "permissions: { half: 'inert', except: () => [] }",
    },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'A found config runs no scripts as agents',
    file: 'src/config/trust/held-half.ts',
    off: { find: "  if ('path' in raw) return [{ path, value: raw }];\n", replace: '' },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'A found config reads no environment variables',
    file: 'src/config/trust/held-half.ts',
    off: { find: 'return names.length === 0 ? undefined :', replace: 'return names.length >= 0 ? undefined :' },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'A found config cannot make an agent that never asks',
    file: 'src/config/trust/held-half.ts',
    off: {
      find: "toolPermission: (value) => value !== 'always' && value !== 'tool'",
      replace: "toolPermission: 'inert'",
    },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'A found config reads no folders outside its own',
    file: 'src/config/trust/held-half.ts',
    off: { find: '  if (!isInside(target, realPath(folder))) return', replace: "  if (target === '') return" },
    test: { file: 'src/config/trust/config-trust.test.ts', title: '%s is held' },
  },
  {
    control: 'What is held does not apply',
    file: 'src/config/trust/config-trust.ts',
    off: { find: 'raw: withoutParts(raw, held)', replace: 'raw' },
    test: {
      file: 'src/config/trust/config-trust.test.ts',
      title: 'none of it is in the config that applies, nor in anything that reads the file again',
    },
  },
  {
    control: 'A changed section needs trust again',
    file: 'src/config/trust/judge-parts.ts',
    off: { find: 'known?.hash === hash && areTrusted(', replace: 'known !== undefined && areTrusted(' },
    test: {
      file: 'src/config/trust/config-trust.test.ts',
      title: 'after the user has said so, until it changes; the file is for this user only',
    },
  },
  {
    control: 'A changed script needs trust again',
    file: 'src/config/trust/judge-parts.ts',
    off: { find: 'known !== undefined && known.hash === hash', replace: 'known !== undefined' },
    test: {
      file: 'src/config/trust/config-trust.test.ts',
      title: 'with the content of its scripts, and of what they import',
    },
  },
  {
    control: 'Scripts that a script imports count',
    file: 'src/config/trust/part-files.ts',
    off: {
      find: 'if (codeFile.test(file)) return withImports(file, options);',
      replace: 'if (codeFile.test(file)) return [readPartFile(file, options)];',
    },
    test: {
      file: 'src/config/trust/config-trust.test.ts',
      title: 'with the content of its scripts, and of what they import',
    },
  },
  {
    control: 'A program is compared again before it starts',
    file: 'src/config/trust/config-trust.ts',
    off: { find: 'return relevant.every((part) => isUnchanged(part, trusted, place));', replace: 'return true;' },
    test: {
      file: 'src/hub/held-config.test.ts',
      title: 'a server does not start a program that has changed since it was trusted',
    },
  },
  {
    control: 'Commands of ours do not trust what was held before',
    file: 'src/config/trust/remember-trust.ts',
    off: { find: '  if (earlier.trust.held.length > 0 || earlier.trust.gone.length > 0) return false;\n', replace: '' },
    test: {
      file: 'src/config/trust/config-trust.test.ts',
      title: 'is not trusted in a folder where something was held',
    },
  },
  {
    control: 'A change of a config through the app trusts nothing that was held',
    file: 'src/config/edit/change-config.ts',
    off: {
      find: 'return { isTrusted: await trustOwnWriting({ place: found, ...texts, files }) };',
      replace: "return { isTrusted: await trustOwnWriting({ place: found, ...texts, before: '', files }) };",
    },
    test: {
      file: 'src/hub/settings/app-settings.test.ts',
      title: 'a change of its config through the app trusts nothing in it, and waits for trust itself',
    },
  },
  {
    control: 'A config that others change meanwhile is neither overwritten nor trusted',
    file: 'src/config/edit/text-file.ts',
    off: { find: 'if ((await readTextFile(file)).text !== file.text)', replace: 'if (file.text === null)' },
    test: {
      file: 'src/config/edit/change-config.test.ts',
      title: 'a config that somebody changes at the same time does not become trusted',
    },
  },
  {
    control: 'A folder is trusted only as it was shown',
    file: 'src/hub/settings/folder-trust.ts',
    off: { find: 'if (contentOf(inspected.trust) !== seen)', replace: "if (seen === '')" },
    test: {
      file: 'test/journeys/http-settings.test.ts',
      title: 'a folder is trusted as it was shown, and not otherwise',
    },
  },
  {
    control: 'Folders are listed in the home and in trusted folders only',
    file: 'src/hub/settings/list-folders.ts',
    off: { find: '    isInside(folder, root) &&\n', replace: '' },
    test: { file: 'src/hub/settings/list-folders.test.ts', title: '%s is refused' },
  },
  {
    control: 'Hidden folders are not listed',
    file: 'src/hub/settings/list-folders.ts',
    off: { find: "part.startsWith('.')", replace: "part === '.'" },
    test: { file: 'src/hub/settings/list-folders.test.ts', title: '%s is refused' },
  },
  {
    control: 'A source inside the folder stays inside it',
    file: 'src/connectors/filesystem/filesystem.ts',
    off: { find: '  if (real === undefined || isInside(real, confinedTo)) return;\n', replace: '  return;\n' },
    test: {
      file: 'src/hub/held-config.test.ts',
      title: 'a source inside the folder that becomes a link out of it is not read',
    },
  },
  {
    control: 'The launcher never runs a Node of the working folder',
    file: 'bin/zoo.js',
    off: { find: 'module.createRequire(import.meta.url)', replace: "module.createRequire(process.cwd() + '/x.js')" },
    test: { file: 'test/journeys/cli-old-node.test.ts', title: 'a Node in the working folder is never executed' },
  },
  {
    control: 'Foreign text sends no escape sequences to the terminal',
    file: 'src/cli/terminal/text-width.ts',
    off: { find: "/gu, '\\ufffd')", replace: "/gu, '$&')" },
    test: {
      file: 'src/cli/terminal/text-width.test.ts',
      title: 'escape sequences and direction marks of others do not reach the terminal',
    },
  },
  {
    control: 'Results of tools are escaped on a terminal',
    file: 'src/cli/terminal/text-width.ts',
    off: { find: 'stdout.isTTY ? printable(text) : text', replace: 'stdout ? text : text' },
    test: { file: 'src/tools/tools.cli.test.ts', title: 'control characters in a result never reach a terminal: %s' },
  },
  {
    control: 'Variables that turn a command into another program are shown before a folder is trusted',
    file: 'src/config/trust/describe-part.ts',
    off: {
      find: 'const steering = Object.keys(env).filter(changesProgram);',
      replace: 'const steering: string[] = [];',
    },
    test: {
      file: 'src/hub/settings/folder-trust.test.ts',
      title: 'variables that can change a well-known command are shown with their values, others by name',
    },
  },
  {
    control: 'A held part of a config collects no secrets',
    file: 'src/hub/settings/app-settings.ts',
    off: { find: 'valueAt(facts.raw, path) !== undefined ||', replace: 'valueAt(facts.whole, path) !== undefined ||' },
    test: {
      file: 'src/hub/settings/app-settings.test.ts',
      title: 'an entry that is held collects no secret: the one of the hub has it, encrypted',
    },
  },
  {
    control: 'Secrets are not written into a config that was found',
    file: 'src/hub/settings/app-settings.ts',
    off: { find: 'facts.trust.folder !== null) refuseSecrets(', replace: '!facts.trust) refuseSecrets(' },
    test: {
      file: 'src/hub/settings/app-settings.test.ts',
      title: 'a secret is not written into its config, even after it was trusted',
    },
  },
  {
    control: 'Code cannot pass for a secret when a folder is trusted',
    file: 'src/config/trust/describe-part.ts',
    off: { find: '.test(text) ? maskText(text) : text;', replace: '.test(text) ? maskText(text) : maskText(text);' },
    test: { file: 'src/hub/settings/folder-trust.test.ts', title: 'code cannot pass for a secret in %s' },
  },
  {
    control: 'A section that changed after it was trusted does not fall back to defaults in a running hub',
    file: 'src/hub/settings/live-config.ts',
    off: { find: 'if (applied) Object.assign(live,', replace: 'if (!applied) Object.assign(live,' },
    test: {
      file: 'src/hub/settings/app-settings.test.ts',
      title: 'a section that changes after it was trusted keeps its trusted values until somebody looks at it',
    },
  },
  {
    control: 'A provider of the config file does not take its key to the address of another type',
    file: 'src/models/plan-changes.ts',
    off: { find: '(address !== undefined || isSameType) &&', replace: '(address !== undefined || type) &&' },
    test: { file: 'src/models/models-in-file.test.ts', title: 'does not take its key to the address of another type' },
  },
  {
    control: 'A long value cannot hide the next one when a folder is trusted',
    file: 'src/config/trust/describe-part.ts',
    off: { find: "return parts.join(', ');", replace: "return parts[0] ?? '';" },
    test: { file: 'src/hub/settings/folder-trust.test.ts', title: 'a long value does not hide the next one' },
  },
];
