import { defineAgent } from 'agent-zoo';

export default defineAgent({
  name: 'release-notes',
  description: 'Turns a list of changes into release notes',
  tools: ['list_changes'],
  toolPermission: 'never',
  arguments: [{ name: 'audience', description: 'Who reads the notes', required: true }],
  resolve: ({ audience }) => ({
    system: [
      `You write release notes for ${audience}.`,
      'Call list_changes first. Mention only changes that matter to these readers, and say what they have to do.',
    ].join('\n'),
  }),
});
