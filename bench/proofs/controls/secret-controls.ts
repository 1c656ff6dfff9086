import type { Control } from './control.ts';

export const secretControls: readonly Control[] = [
  {
    control: "An entry of the catalogue does not read the hub's environment",
    file: 'src/servers/catalogue/ways-to-add.ts',
    off: { find: "return text.replaceAll('${', () => '$${');", replace: 'return text;' },
    test: {
      file: 'src/servers/catalogue/ways-to-add.test.ts',
      title: "an entry never reads the hub's environment, not even from two pieces",
    },
  },
  {
    control: 'An entry of the catalogue cannot name the command',
    file: 'src/servers/catalogue/ways-to-add.ts',
    off: { find: 'runtimeHint !== undefined && runtimeHint !== runner.command', replace: 'runtimeHint === ""' },
    test: { file: 'src/servers/catalogue/ways-to-add.test.ts', title: '%s is not offered' },
  },
  {
    control: 'A saved key goes only to the address it was entered for',
    file: 'src/models/provider-access.ts',
    off: { find: ': entered === baseUrl;', replace: ': true;' },
    test: {
      file: 'src/models/create-language-models.test.ts',
      title: 'of %s is not sent to another address, and the message says what to do',
    },
  },
  {
    control: 'A key in the config file does not go to another address that the app enters there',
    file: 'src/models/plan-changes.ts',
    off: { find: '!isSameAddress && isSecret &&', replace: 'address === "" &&' },
    test: {
      file: 'src/models/models-in-file.test.ts',
      title: 'does not take its key to another address, and keeps a variable that still fits',
    },
  },
  {
    control: 'A key that is entered in the app is not written into the config file',
    file: 'src/models/plan-changes.ts',
    off: { find: 'value: isVariable(key) ? key : null', replace: 'value: key' },
    test: {
      file: 'src/models/models-in-file.test.ts',
      title: 'does not take its key to another address, and keeps a variable that still fits',
    },
  },
  {
    control: 'A key in the config file does not go to the address of a provider that was added in the app',
    file: 'src/models/configured-providers.ts',
    off: {
      find: '{ ...section, type: configuredType(name, section) }',
      replace: '{ ...section, type: configuredType(name, section), baseUrl: section.baseUrl ?? base?.baseUrl }',
    },
    test: { file: 'src/models/models-in-file.test.ts', title: 'does not send its key to an address of the app' },
  },
  {
    control: 'A saved key without an address goes only to the provider itself',
    file: 'src/models/provider-access.ts',
    off: { find: 'entered === undefined ? isOwnAddress(type, baseUrl)', replace: 'entered === undefined ? true' },
    test: {
      file: 'src/models/create-language-models.test.ts',
      title: 'without a recorded address, from an earlier version, goes to the provider itself and nowhere else',
    },
  },
  {
    control: 'A key of the environment goes to no address of the config',
    file: 'src/models/provider-access.ts',
    off: { find: "(setIn !== 'config' && setIn !== 'app')", replace: "setIn !== 'app'" },
    test: { file: 'src/models/create-language-models.test.ts', title: 'of %s is not sent to an address of the config' },
  },
  {
    control: 'A key of the environment goes to no address that was set in the app',
    file: 'src/models/provider-access.ts',
    off: { find: "(setIn !== 'config' && setIn !== 'app')", replace: "setIn !== 'config'" },
    test: {
      file: 'src/models/app-providers.test.ts',
      title: 'can be a well-known one at another address, which does not get the key of the environment',
    },
  },
  {
    control: 'The stored mark of a provider key tells nothing without a key of the installation',
    file: 'src/models/seen-states.ts',
    off: { find: "createHmac('sha256', markKey)", replace: "createHmac('sha256', 'agent-zoo')" },
    test: {
      file: 'src/models/app-providers.test.ts',
      title: 'is not marked alike in two installations, so that nobody can try out which key it was',
    },
  },
  {
    control: 'A provider that is removed takes its key with it',
    file: 'src/models/create-language-models.ts',
    off: { find: '          await saveKey(requireVault(given), name, null);\n', replace: '' },
    test: {
      file: 'src/models/app-providers.test.ts',
      title: 'answers at once in every process, with its key, and is gone when it is removed',
    },
  },
  {
    control: 'A key of the environment goes to no provider with another name',
    file: 'src/models/provider-access.ts',
    off: { find: '  if (name !== type) return undefined;\n', replace: '' },
    test: {
      file: 'src/models/create-language-models.test.ts',
      title: 'of the environment never goes to a provider with another name',
    },
  },
  {
    control: 'A redirect takes no key of a provider elsewhere',
    file: 'src/models/load-language-model.ts',
    off: { find: "redirect: 'error'", replace: "redirect: 'follow'" },
    test: { file: 'src/models/create-language-models.test.ts', title: 'of %s takes no key to another address' },
  },
  {
    control: 'Masked secrets of a server go to no other command',
    file: 'src/servers/mask-secrets.ts',
    off: {
      find: "  if (previous.command !== next.command || previous.cwd !== next.cwd) return 'another command';\n",
      replace: '',
    },
    test: { file: 'src/servers/mask-secrets.test.ts', title: 'after a change of %s' },
  },
  {
    control: 'Masked secrets of a server go to no other arguments',
    file: 'src/servers/mask-secrets.ts',
    off: {
      find: "  if (maskArguments(previous.args).join('\\0') !== maskArguments(next.args ?? []).join('\\0')) return 'other arguments';\n",
      replace: '',
    },
    test: { file: 'src/servers/mask-secrets.test.ts', title: 'after a change of %s' },
  },
  {
    control: 'Masked secrets of a server go to no other host',
    file: 'src/servers/mask-secrets.ts',
    off: { find: "originOf(previous.url) === originOf(next.url) ? undefined : 'another host'", replace: 'undefined' },
    test: { file: 'src/servers/mask-secrets.test.ts', title: 'a secret for one host is never restored for another' },
  },
  {
    control: 'Screens show no secrets of servers',
    file: 'src/servers/mask-secrets.ts',
    off: { find: "text === '' || onlyVariables.test(text) ? text : mask", replace: 'text' },
    test: { file: 'src/servers/mask-secrets.test.ts', title: 'masks %s, and puts it back' },
  },
  {
    control: 'Servers get only the variables of their definition',
    file: 'src/mcp-client/process/server-environment.ts',
    off: {
      find: 'return { ...result, ...env };',
      replace: 'return { ...hubEnv, ...result, ...env } as typeof result;',
    },
    test: {
      file: 'src/mcp-client/process/stdio-transport.test.ts',
      title: 'has the variables of its definition and a few harmless ones of ours, and no others',
    },
  },
  {
    control: 'Git gets no secrets of the hub',
    file: 'src/connectors/git/git-process.ts',
    off: { find: '      !hubVariables.test(name) &&\n', replace: '' },
    test: { file: 'src/connectors/git/git.test.ts', title: 'git and its helpers get none of the secrets of the hub' },
  },
  {
    control: 'A redirect takes no credentials of a peer elsewhere',
    file: 'src/a2a/correspondents.ts',
    off: { find: "redirect: 'error'", replace: "redirect: 'follow'" },
    test: {
      file: 'src/a2a/correspondents.test.ts',
      title: 'a peer that redirects gets its credentials, and nobody else does',
    },
  },
  {
    control: 'A redirect takes no event elsewhere',
    file: 'src/delivery/post-event.ts',
    off: { find: "redirect: 'manual'", replace: "redirect: 'follow'" },
    test: { file: 'src/delivery/webhooks.test.ts', title: 'a redirect is not followed' },
  },
  {
    control: "A server's headers go to no sign-in server",
    file: 'src/mcp-client/oauth/oauth-fetch.ts',
    off: { find: '...(url.origin === origin && ownHeaders)', replace: '...ownHeaders' },
    test: {
      file: 'src/mcp-client/oauth/oauth-fetch.test.ts',
      title: 'sends the headers of the definition to the server alone, and never its Authorization',
    },
  },
  {
    control: 'Known secrets are removed from every text',
    file: 'src/tools/redact/redact.ts',
    off: { find: 'suspicious.test(known) ? removeAssigned(removeShapes(known)) : known', replace: 'known' },
    test: { file: 'src/tools/redact/redact.test.ts', title: 'is removed from %j' },
  },
  {
    control: 'The log holds no secrets',
    file: 'src/decisions/decisions.store.ts',
    off: { find: 'return redact ? redact(wellFormed) : wellFormed;', replace: 'return wellFormed;' },
    test: {
      file: 'src/decisions/decisions.store.test.ts',
      title: 'no row contains a secret in any of its texts, and the chain is valid',
    },
  },
  {
    control: 'A brain holds no secrets',
    file: 'src/brain/brain.store.ts',
    off: { find: 'shortened(redact(change.content))', replace: 'shortened(change.content)' },
    test: {
      file: 'src/brain/brain.store.test.ts',
      title: 'secrets are removed before they are stored, from every field',
    },
  },
  {
    control: 'Errors tell callers no secrets',
    file: 'src/tools/redact/redact.ts',
    off: { find: 'const message = redact(error.message);', replace: 'const { message } = error;' },
    test: {
      file: 'src/tools/redact/redact.test.ts',
      title: 'an error contains no secret, neither in its message nor in its details',
    },
  },
  {
    control: 'Secrets are learned from the vault',
    file: 'src/hub/learning-vault.ts',
    off: { find: '      if (value !== null) learn(secretsWithin(value));\n', replace: '' },
    test: {
      file: 'src/hub/learning-vault.test.ts',
      title: 'a value that was stored in the vault or read from it is redacted everywhere from then on',
    },
  },
  {
    control: 'The secret of a webhook or peer is used only for the host that it was entered for',
    file: 'src/hub/settings/stored-entries.ts',
    off: {
      find: 'return data?.origin === new URL(url).origin ? data.secret : undefined;',
      replace: 'return url ? data?.secret : undefined;',
    },
    test: {
      file: 'test/journeys/http-settings.test.ts',
      title: 'a webhook that is added in the app receives events at once, and none after it was removed',
    },
  },
  {
    control: 'The same holds for a webhook or peer in the config file',
    file: 'src/hub/settings/app-settings.ts',
    off: { find: 'if (isSameHost || (given !== undefined && !hasHeaders)) return;', replace: 'if (edit) return;' },
    test: {
      file: 'test/journeys/http-settings.test.ts',
      title: 'a webhook of the file is changed and removed there; its secret is masked',
    },
  },
  {
    control: 'The preview of a changed config shows no secrets',
    file: 'src/config/edit/changed-lines.ts',
    off: {
      find: "return kind === 'pair' && isSecret && !isReference ?",
      replace: "return kind === 'tables' && isSecret && !isReference ?",
    },
    test: { file: 'src/config/edit/changed-lines.test.ts', title: 'never shows a secret' },
  },
  {
    control: 'An entry of the catalogue cannot set what decides which code runs',
    file: 'src/servers/catalogue/ways-to-add.ts',
    off: { find: '(value === undefined || !changesProgram(name));', replace: `(value === undefined || name !== '');` },
    test: { file: 'src/servers/catalogue/ways-to-add.test.ts', title: '%s is not offered' },
  },
  {
    control: 'An entry of the catalogue cannot give options to the command',
    file: 'src/servers/catalogue/ways-to-add.ts',
    off: {
      find: `if (!runtimeArguments.every((each) => registryType === 'oci' && isContainerVariable(each))) return undefined;`,
      replace: '',
    },
    test: { file: 'src/servers/catalogue/ways-to-add.test.ts', title: '%s is not offered' },
  },
  {
    control: 'A default of the catalogue cannot redirect a server',
    file: 'src/servers/catalogue/ways-to-add.ts',
    off: {
      find: 'const environmentVariables = given.environmentVariables.map(withoutSteering);',
      replace: 'const { environmentVariables } = given;\n  void withoutSteering;',
    },
    test: {
      file: 'src/servers/catalogue/ways-to-add.test.ts',
      title: 'a default that says where to connect is shown, and not used unless it is typed',
    },
  },
  {
    control: 'A fetched list replaces no server of the product',
    file: 'src/servers/catalogue/open-catalogue.ts',
    off: { find: 'const names = new Set(own.map(({ name }) => name));', replace: 'const names = new Set<string>();' },
    test: { file: 'src/servers/catalogue/open-catalogue.test.ts', title: 'never replaces a server of the product' },
  },
  {
    control: 'The browser keeps no secret of a pasted server',
    file: 'web/screens/servers/pasted-without-secrets.ts',
    off: { find: 'Object.entries(maskDefinition(definition))', replace: 'Object.entries(definition)' },
    test: {
      file: 'web/screens/servers/pasted-without-secrets.test.ts',
      title: 'what the browser stores of pasted servers has no secret, and can be read again',
    },
  },
];
