import type { Control } from './control.ts';

export const approvalControls: readonly Control[] = [
  {
    control: 'New and changed tools of a server are held (pins)',
    file: 'src/servers/trust.ts',
    off: { find: 'isFirst ? different.filter(({ tool }) => !pins.has(tool)) : []', replace: 'different' },
    test: {
      file: 'src/servers/trust.test.ts',
      title: 'the first list is accepted; later tools are held, and changed tools are withdrawn',
    },
  },
  {
    control: 'You accept the definition that you saw',
    file: 'src/servers/trust.ts',
    off: {
      find: 'hash === undefined ? proposals : proposals.filter((each) => each.hash === hash)',
      replace: 'proposals',
    },
    test: { file: 'src/servers/trust.test.ts', title: 'applies only to the definition that the user saw' },
  },
  {
    control: 'Hints of a server count only if you trust them',
    file: 'src/servers/external-tool.ts',
    off: { find: 'return !(trustHints && isReading(tool));', replace: 'return !isReading(tool);' },
    test: { file: 'src/servers/external-tool.test.ts', title: 'the engine asks about %s' },
  },
  {
    control: 'A tool can do harm, whatever its server says',
    file: 'src/servers/external-tool.ts',
    off: { find: 'canHarm: !trustHints || (', replace: 'canHarm: (' },
    test: { file: 'src/servers/external-tool.test.ts', title: 'a tool that %s (trusted: %s) can send or destroy: %s' },
  },
  {
    control: 'Results of servers are text from outside',
    file: 'src/servers/external-tool.ts',
    off: { find: '    readsOutside: true,\n', replace: '    readsOutside: false,\n' },
    test: { file: 'src/servers/external-tool.test.ts', title: 'a tool that %s (trusted: %s) can send or destroy: %s' },
  },
  {
    control: 'The mark of a message from outside is stored with the message',
    file: 'src/chats/chat-answers.store.ts',
    off: { find: 'withSources(row.outside, outside, redact),', replace: 'row.outside,' },
    test: {
      file: 'src/chats/create-chats.test.ts',
      title: 'remember that a message came from outside, even if its answer never began',
    },
  },
  {
    control: 'A question from outside keeps its mark when it is asked again',
    file: 'src/chats/fork-chat.ts',
    off: { find: 'alreadyRead: outside', replace: 'alreadyRead: undefined' },
    test: { file: 'test/journeys/runs.test.ts', title: 'a fork remembers what the conversation has read from outside' },
  },
  {
    control: 'Attachments of a message are text from outside',
    file: 'src/chats/create-chats.ts',
    off: { find: 'const outside = [...alreadyRead, ...sourcesOf(files)];', replace: 'const outside = alreadyRead;' },
    test: {
      file: 'test/journeys/chat-attachments.test.ts',
      title: 'a PDF and a text file reach the model as text from outside, which names no rules',
    },
  },
  {
    control: 'A file is readable only through a chat that has it',
    file: 'src/chats/attachments/attachments.store.ts',
    off: { find: "    .where('chat_id', '=', chatId)\n", replace: '' },
    test: {
      file: 'test/journeys/chat-attachments.test.ts',
      title: 'an image reaches the model as an image, and is kept with the chat',
    },
  },
  {
    control: 'A file of a message runs nothing in the browser',
    file: 'src/chats/chats.routes.ts',
    off: { find: "default-src 'none'; sandbox", replace: "default-src 'self'" },
    test: {
      file: 'test/journeys/chat-attachments.test.ts',
      title: 'an image reaches the model as an image, and is kept with the chat',
    },
  },
  {
    control: 'Hidden characters in a definition are reported',
    file: 'src/servers/hidden-characters.ts',
    off: { find: 'if (!harmless.has(match)) found.add(match)', replace: "if (match === '') found.add(match)" },
    test: { file: 'src/servers/hidden-characters.test.ts', title: '%s are reported' },
  },
  {
    control: 'Sessions over A2A have nobody to ask',
    file: 'src/chats/open-sessions.ts',
    off: { find: "chat.origin.kind === 'a2a' ? 'headless' : 'interactive'", replace: "'interactive'" },
    test: { file: 'test/journeys/a2a.test.ts', title: 'is not offered, and nothing that a caller sends approves it' },
  },
  {
    control: 'Tools that need approval are not offered where nobody can be asked',
    file: 'src/hub/sessions.ts',
    off: { find: 'isHeadless ? includedTools(rule, inScope) : inScope', replace: 'inScope' },
    test: { file: 'src/hub/sessions.test.ts', title: 'an %s session has the tools %j and keeps %i run' },
  },
  {
    control: 'Only the owner approves',
    file: 'src/chats/chats.contract.ts',
    off: {
      find: "    right: 'administer',\n    isAct: true,\n    shownFields: ['answer'],\n",
      replace: "    right: 'use',\n    isAct: true,\n    shownFields: ['answer'],\n",
    },
    test: { file: 'test/journeys/approvals.test.ts', title: "comes only from the owner's session or key" },
  },
  {
    control: 'Everything that changes something or leaves the machine asks',
    file: 'src/tools/tool.ts',
    off: { find: '(!isForMembers && changesOrLeaves(annotations))', replace: 'false' },
    test: { file: 'test/journeys/approvals.test.ts', title: 'asks before "%s": %s' },
  },
  {
    control: 'A call without approval does not run',
    file: 'src/engine/approval.ts',
    off: { find: '  if (isApproved) return;\n', replace: '  return;\n' },
    test: {
      file: 'src/engine/approval.test.ts',
      title: 'does not run if the user denies it, and the model is told why',
    },
  },
  {
    control: 'A call that nobody can approve does not run',
    file: 'src/engine/approval.ts',
    off: { find: '  if (!approve) {\n', replace: '  if (!approve) return;\n  if (!approve) {\n' },
    test: { file: 'src/engine/approval.test.ts', title: 'is denied if nobody can approve' },
  },
  {
    control: 'After text from outside, sending and destroying asks again',
    file: 'src/engine/approval.ts',
    off: { find: "isHarmful && !run.outside.isEmpty && afterUntrusted !== 'allow'", replace: 'false' },
    test: {
      file: 'src/engine/after-reading.test.ts',
      title: 'a call that can send or destroy something asks, although no tool requires approval',
    },
  },
  {
    control: 'Earlier approvals do not count after text from outside',
    file: 'src/engine/approved-tools.ts',
    off: { find: 'isAfterReading ? knew === true : knew !== undefined', replace: 'knew !== undefined' },
    test: {
      file: 'src/engine/after-reading.test.ts',
      title: 'an earlier approval for the chat, and a stored one, no longer count; one from now on does',
    },
  },
  {
    control: 'Earlier approvals for a chat do not count after text from outside, in any process',
    file: 'src/chats/chat-grants.store.ts',
    off: { find: '(!isAfterReading || row.after_reading === 1)', replace: 'true' },
    test: {
      file: 'test/journeys/approvals.test.ts',
      title: 'does not count on the other hub once the chat has read text from outside; one from then on does',
    },
  },
  {
    control: 'An approval for a chat ends when the tool changes',
    file: 'src/chats/chat-grants.store.ts',
    off: { find: "        .where('definition', '=', definition)\n", replace: '' },
    test: {
      file: 'test/journeys/approvals.test.ts',
      title: 'ends when the tool changes, when another agent takes over, and with the chat',
    },
  },
  {
    control: 'The lasting approvals of a deleted agent are not those of another one with its id',
    file: 'src/agents/agents.store.ts',
    off: { find: '      await setGrantsAside(write, id);\n', replace: '      void setGrantsAside;\n' },
    test: {
      file: 'src/agents/agent-grants.store.test.ts',
      title: 'of a deleted agent are restored with it, and nobody else with its id gets them',
    },
  },
  {
    control: 'A run remembers what it has read',
    file: 'src/engine/call-tool.ts',
    off: {
      find: '    if (tool.metadata.readsOutside !== undefined) reading.add(tool.metadata.readsOutside);\n',
      replace: '',
    },
    test: {
      file: 'src/engine/after-reading.test.ts',
      title: 'a call that can send or destroy something asks, although no tool requires approval',
    },
  },
  {
    control: 'Nobody approves an input that cannot be shown',
    file: 'src/engine/approval.ts',
    off: { find: '  if (length > maxShownCharacters) throw tooLongToShow(use.name, length);\n', replace: '' },
    test: { file: 'src/engine/after-reading.test.ts', title: 'nobody approves an input that is too long to show' },
  },
  {
    control: 'Text from outside cannot end its envelope',
    file: 'src/tools/outside-text.ts',
    off: {
      find: "return json.includes(boundary) ? JSON.parse(json.replaceAll(boundary, '')) : block;",
      replace: 'return block;',
    },
    test: { file: 'src/engine/after-reading.test.ts', title: 'cannot be closed by text that knows the boundary' },
  },
  {
    control: 'The boundary of an envelope is random',
    file: 'src/tools/outside-text.ts',
    off: { find: 'crypto.getRandomValues(new Uint8Array(12))', replace: 'new Uint8Array(12)' },
    test: { file: 'src/engine/after-reading.test.ts', title: 'has another boundary in every run' },
  },
];
