import { z } from 'zod';
import type { JsonObject } from '../../../src/base/json.ts';
import { defineTool, type Tool } from '../../../src/tools/tool.ts';
import { text, tool } from './conformance-tools.ts';

/** The tools that ask the client something before they return. */
export function askingTools(): Tool[] {
  return [...sessionTools(), ...retryTools()];
}

const form = (message: string, properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  message,
  requestedSchema: { type: 'object', properties, required },
});
const question = (prompt: string, maxTokens = 100): JsonObject => ({
  messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
  maxTokens,
});
const nameForm = form('What is your name?', { name: { type: 'string' } });
const okForm = form('Please confirm', { ok: { type: 'boolean' } });

function sessionTools(): Tool[] {
  return [
    defineTool({
      name: 'test_sampling',
      description: 'Asks the client’s model.',
      input: z.object({ prompt: z.string() }),
      async run({ prompt }, { client }) {
        const answer = await client.sample(question(prompt));
        return text(`LLM response: ${JSON.stringify(answer.content)}`);
      },
    }),
    defineTool({
      name: 'test_elicitation',
      description: 'Asks the person.',
      input: z.object({ message: z.string() }),
      async run({ message }, { client }) {
        const answer = await client.elicit(
          form(message, {
            username: { type: 'string', description: "User's response" },
            email: { type: 'string', description: "User's email address" },
          }),
        );
        return text(`User response: ${JSON.stringify(answer)}`);
      },
    }),
    tool('test_elicitation_sep1034_defaults', async ({ client }) => {
      const answer = await client.elicit(form('Please review', defaults, []));
      return text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`);
    }),
    tool('test_elicitation_sep1330_enums', async ({ client }) => {
      const answer = await client.elicit(form('Please choose', enums, []));
      return text(`Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content)}`);
    }),
    tool('test_streaming_elicitation', async ({ client }) => {
      client.progress(1);
      return text(JSON.stringify(await client.elicit(okForm)));
    }),
    tool('test_missing_capability', async ({ client }) => text(JSON.stringify(await client.sample(question('Hello'))))),
  ];
}

function retryTools(): Tool[] {
  return [
    tool('test_input_required_result_elicitation', async ({ client }) => {
      const { content } = await client.elicit(nameForm, { key: 'user_name' });
      return text(`Hello, ${(content as JsonObject).name}!`);
    }),
    tool('test_input_required_result_sampling', async ({ client }) => {
      const answer = await client.sample(question('What is the capital of France?'), { key: 'capital_question' });
      return text(JSON.stringify(answer.content));
    }),
    tool('test_input_required_result_list_roots', async ({ client }) =>
      text(JSON.stringify(await client.roots({ key: 'client_roots' }))),
    ),
    tool('test_input_required_result_request_state', async ({ client }) => {
      await client.elicit(okForm, { key: 'confirm' });
      return text('state-ok');
    }),
    tool('test_input_required_result_tampered_state', async ({ client }) => {
      await client.elicit(okForm, { key: 'confirm' });
      return text('Confirmed');
    }),
    tool('test_input_required_result_multiple_inputs', async ({ client }) => {
      const answers = await Promise.all([
        client.elicit(nameForm, { key: 'user_name' }),
        client.sample(question('Generate a greeting', 50), { key: 'greeting' }),
        client.roots({ key: 'client_roots' }),
      ]);
      return text(JSON.stringify(answers));
    }),
    tool('test_input_required_result_multi_round', async ({ client }) => {
      const first = await client.elicit(form('Step 1: What is your name?', { name: { type: 'string' } }), {
        key: 'step1',
      });
      const second = await client.elicit(form('Step 2: What is your favorite color?', { color: { type: 'string' } }), {
        key: 'step2',
      });
      return text(JSON.stringify([first.content, second.content]));
    }),
    tool('test_input_required_result_capabilities', async ({ client }) => {
      const answer = await client.elicit(nameForm).catch(() => client.sample(question('Guess a name')));
      return text(JSON.stringify(answer));
    }),
  ];
}

const defaults: JsonObject = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

const options = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
];
const enums: JsonObject = {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
};
