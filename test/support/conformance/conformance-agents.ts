import type { AgentEntry } from '../../../src/agents/agent-source.ts';
import { defineAgent } from '../../../src/agents/define-agent.ts';
import { redPixel } from './conformance-tools.ts';

const user = 'user' as const;

/** The prompts that the conformance suites get. */
export function conformanceAgents(): AgentEntry[] {
  return [
    defineAgent({
      name: 'test_simple_prompt',
      description: 'A prompt without arguments.',
      resolve: () => ({ messages: [{ role: user, content: 'This is a simple prompt for testing.' }] }),
    }),
    defineAgent({
      name: 'test_prompt_with_arguments',
      description: 'A prompt with two arguments.',
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', description: 'Second test argument', required: true },
      ],
      resolve: ({ arg1, arg2 }) => ({
        messages: [{ role: user, content: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }],
      }),
    }),
    defineAgent({
      name: 'test_prompt_with_embedded_resource',
      description: 'A prompt that carries a resource.',
      arguments: [{ name: 'resourceUri', description: 'URI of the resource to embed', required: true }],
      resolve: ({ resourceUri = '' }) => ({
        messages: [
          {
            role: user,
            content: {
              type: 'resource',
              resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
            },
          },
          { role: user, content: 'Please process the embedded resource above.' },
        ],
      }),
    }),
    defineAgent({
      name: 'test_prompt_with_image',
      description: 'A prompt that carries an image.',
      resolve: () => ({
        messages: [
          { role: user, content: { type: 'image', data: redPixel, mimeType: 'image/png' } },
          { role: user, content: 'Please analyze the image above.' },
        ],
      }),
    }),
    defineAgent({
      name: 'test_input_required_result_prompt',
      description: 'A prompt that asks the person first.',
      async resolve(_args, { client }) {
        const answer = await client?.elicit(
          {
            message: 'What context should the prompt use?',
            requestedSchema: { type: 'object', properties: { context: { type: 'string' } }, required: ['context'] },
          },
          { key: 'user_context' },
        );
        return { messages: [{ role: user, content: `The context: ${JSON.stringify(answer?.content ?? null)}` }] };
      },
    }),
  ];
}
