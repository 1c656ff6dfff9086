import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { HubError } from '../../../src/base/hub-error.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { type ContentBlock, ToolContent } from '../../../src/tools/content.ts';
import { defineTool, type Tool, type ToolContext } from '../../../src/tools/tool.ts';
import { askingTools } from './conformance-asking-tools.ts';

/** A PNG of one red pixel. */
export const redPixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** A WAV file without samples. */
const silence = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

export interface ConformanceChanges {
  changeTools(): void;
  changePrompts(): void;
}

/** The tools that the conformance suites call. */
export function conformanceTools(changes: ConformanceChanges): Tool[] {
  return [...contentTools(), ...runningTools(changes), ...schemaTools(), ...askingTools()];
}

export function tool(name: string, run: (context: ToolContext) => ToolContent | Promise<ToolContent>): Tool {
  return defineTool({
    name,
    description: `Fixture ${name}.`,
    input: z.object({}),
    run: (_input, context) => run(context),
  });
}

export function text(content: string): ToolContent {
  return new ToolContent([{ type: 'text', text: content }]);
}

function contentTools(): Tool[] {
  const image: ContentBlock = { type: 'image', data: redPixel, mimeType: 'image/png' };
  const embedded = (uri: string, mimeType: string, body: string): ContentBlock => ({
    type: 'resource',
    resource: { uri, mimeType, text: body },
  });
  return [
    tool('test_simple_text', () => text('This is a simple text response for testing.')),
    tool('test_image_content', () => new ToolContent([image])),
    tool('test_audio_content', () => new ToolContent([{ type: 'audio', data: silence, mimeType: 'audio/wav' }])),
    tool(
      'test_embedded_resource',
      () =>
        new ToolContent([embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')]),
    ),
    tool(
      'test_multiple_content_types',
      () =>
        new ToolContent([
          { type: 'text', text: 'Multiple content types test:' },
          image,
          embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
        ]),
    ),
    tool('test_error_handling', () => {
      throw new HubError('TOOL_ERROR', 'This tool intentionally returns an error for testing');
    }),
  ];
}

function runningTools(changes: ConformanceChanges): Tool[] {
  return [
    tool('test_tool_with_logging', async ({ client }) => {
      client.log('info', 'Tool execution started');
      await sleep(50);
      client.log('info', 'Tool processing data');
      await sleep(50);
      client.log('info', 'Tool execution completed');
      return text('Tool with logging executed');
    }),
    tool('test_logging_tool', ({ client }) => {
      client.log('info', 'Nobody asked for this');
      return text('Logged');
    }),
    tool('test_tool_with_progress', async ({ client }) => {
      for (const progress of [0, 50, 100]) {
        client.progress(progress, { total: 100 });
        if (progress < 100) await sleep(50);
      }
      return text('Tool with progress executed');
    }),
    tool('test_reconnection', async ({ client }) => {
      client.releaseConnection?.();
      await sleep(100);
      return text('Reconnection test completed');
    }),
    tool('test_trigger_tool_change', () => {
      changes.changeTools();
      return text('A tool was added');
    }),
    tool('test_trigger_prompt_change', () => {
      changes.changePrompts();
      return text('A prompt was added');
    }),
  ];
}

function schemaTools(): Tool[] {
  return [
    defineTool({
      name: 'json_schema_2020_12_tool',
      description: 'Tool with JSON Schema 2020-12 features',
      input: { jsonSchema: richSchema },
      run: () => text('Accepted'),
    }),
    defineTool({
      name: 'test_custom_headers',
      description: 'A tool whose argument travels in a header as well.',
      input: {
        jsonSchema: {
          type: 'object',
          properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
          required: ['region'],
        },
      },
      run: (input) => text(`Region: ${String((input as JsonObject).region)}`),
    }),
  ];
}

const richSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};
