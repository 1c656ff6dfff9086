import type { Control } from './control.ts';

export const networkControls: readonly Control[] = [
  {
    control: 'Addresses that a stranger chose are not private',
    file: 'src/base/public-addresses.ts',
    off: { find: '  if (!found) return addresses;\n', replace: "  if (found?.address !== '') return addresses;\n" },
    test: { file: 'src/base/public-addresses.test.ts', title: '%s is refused, however it is written' },
  },
  {
    control: 'One private address is enough to refuse a name',
    file: 'src/base/public-addresses.ts',
    off: { find: 'addresses.find(({ address })', replace: 'addresses.slice(0, 1).find(({ address })' },
    test: {
      file: 'src/base/public-addresses.test.ts',
      title: 'one private address among several is enough to refuse a name',
    },
  },
  {
    control: 'Metadata addresses count as private',
    file: 'src/base/public-addresses.ts',
    off: { find: "  '169.254.0.0/16',\n", replace: '' },
    test: { file: 'src/base/public-addresses.test.ts', title: '%s is not public' },
  },
  {
    control: 'Connections go to the checked address (DNS rebinding)',
    file: 'src/base/guarded-fetch.ts',
    off: { find: '      lookup: answerWith(addresses),\n', replace: '' },
    test: {
      file: 'src/lua/host/host-http.test.ts',
      title: 'is looked up once, and the connection goes there: a second answer changes nothing',
    },
  },
  {
    control: 'Redirects are checked too',
    file: 'src/base/guarded-fetch.ts',
    off: {
      find: 'await checkedAddresses(url, rules)',
      replace: 'await checkedAddresses(url, hop === 0 ? rules : { ...rules, allows: () => true })',
    },
    test: { file: 'src/lua/host/host-http.test.ts', title: 'a redirect to a private address is refused' },
  },
  {
    control: 'Redirects take no secrets to another origin',
    file: 'src/base/guarded-fetch.ts',
    off: { find: 'leavesOrigin: target.origin !== url.origin', replace: 'leavesOrigin: false' },
    test: { file: 'src/lua/host/host-http.test.ts', title: 'secrets stay with the origin they were meant for' },
  },
  {
    control: 'Signing in goes to no private address that a server names',
    file: 'src/mcp-client/oauth/oauth-fetch.ts',
    off: { find: 'anyOf(allowMachineOf(server), allowHosts(allowed))', replace: '() => true' },
    test: { file: 'src/mcp-client/oauth/oauth-fetch.test.ts', title: 'is refused if it is private: %s' },
  },
  {
    control: 'Signing in follows no redirects',
    file: 'src/mcp-client/oauth/oauth-fetch.ts',
    off: { find: '        maxRedirects: 0,\n', replace: '        maxRedirects: 5,\n' },
    test: { file: 'src/mcp-client/oauth/oauth-fetch.test.ts', title: 'a redirect is returned, not followed' },
  },
  {
    control: 'The browser is sent to no private sign-in page',
    file: 'src/mcp-client/oauth/oauth-fetch.ts',
    off: {
      find: '{ ...addressRules(name, definition, url), signal, lookup })',
      replace: '{ ...addressRules(name, definition, url), allows: () => true, signal, lookup })',
    },
    test: {
      file: 'src/mcp-client/oauth/oauth-fetch.test.ts',
      title: 'a page for the browser is checked by the same rules',
    },
  },
  {
    control: 'Git contacts no private host',
    file: 'src/connectors/git/git-remote.ts',
    off: { find: 'allows: allowHosts(rules.allowHosts)', replace: 'allows: () => true' },
    test: {
      file: 'src/connectors/git/git.test.ts',
      title: 'is not contacted if it is private, unless allow_hosts names it',
    },
  },
  {
    control: 'Git connects to the checked address',
    file: 'src/connectors/git/git-remote.ts',
    off: {
      find: 'const names = addresses.length === 0 ? [] : new Set([hostOf(target), target.hostname]);',
      replace: 'const names: string[] = [];',
    },
    test: {
      file: 'src/connectors/git/git.test.ts',
      title: 'is resolved once, and git connects to the checked address',
    },
  },
  {
    control: 'Git gets the url that was checked',
    file: 'src/connectors/git/git-remote.ts',
    off: { find: '    url: new URL(url).href,\n', replace: '    url,\n' },
    test: {
      file: 'src/connectors/git/git.test.ts',
      title: 'is the one that was checked, also where git reads a url differently',
    },
  },
  {
    control: 'Git follows no redirects to a private host',
    file: 'src/connectors/git/git-process.ts',
    off: { find: "'http.followRedirects=false'", replace: "'http.followRedirects=true'" },
    test: { file: 'src/connectors/git/git.test.ts', title: 'may move the repository, but not to a private address' },
  },
];
