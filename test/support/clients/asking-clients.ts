import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  PromptListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** What a client replies to a server's questions. */
export interface AskedClient {
  elicit(): { action: 'accept'; content: Record<string, boolean> };
  sample(): { model: string; role: 'assistant'; content: { type: 'text'; text: string } };
  onPromptsChanged(): void;
}

export interface AskingClient {
  /** Returns the text of the result. */
  call(name: string, onProgress?: (progress: number) => void): Promise<string | undefined>;
  /** Ends the session. */
  end(): Promise<void>;
  close(): Promise<void>;
}

const identity = { name: 'asked', version: '1.0.0' };
const capabilities = { elicitation: {}, sampling: {} };

/** Connects a client that answers questions, with a session. */
export async function askingClientV1(url: string, asked: AskedClient): Promise<AskingClient> {
  const client = new ClientV1(identity, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => asked.elicit());
  client.setRequestHandler(CreateMessageRequestSchema, () => asked.sample());
  client.setNotificationHandler(PromptListChangedNotificationSchema, () => asked.onPromptsChanged());
  const transport = new HttpV1(new URL(url));
  // The SDK's types do not allow for undefined session ids.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    async call(name, onProgress) {
      const onprogress = onProgress && (({ progress }: { progress: number }) => onProgress(progress));
      return textOf(await client.callTool({ name, arguments: {} }, undefined, onprogress ? { onprogress } : {}));
    },
    end: () => transport.terminateSession(),
    close: () => client.close(),
  };
}

/** Connects a client that answers questions, with a session. */
export async function askingClientV2(url: string, asked: AskedClient): Promise<AskingClient> {
  const client = new ClientV2(identity, {
    capabilities,
    versionNegotiation: { mode: 'legacy' },
    listChanged: { prompts: { onChanged: () => asked.onPromptsChanged(), debounceMs: 0 } },
  });
  client.setRequestHandler('elicitation/create', () => asked.elicit());
  client.setRequestHandler('sampling/createMessage', () => asked.sample());
  const transport = new HttpV2(new URL(url));
  await client.connect(transport);
  return {
    async call(name, onProgress) {
      const onprogress = onProgress && (({ progress }: { progress: number }) => onProgress(progress));
      return textOf(await client.callTool({ name, arguments: {} }, onprogress ? { onprogress } : {}));
    },
    end: () => transport.terminateSession(),
    close: () => client.close(),
  };
}

function textOf(result: object): string | undefined {
  const { content, isError } = result as { content: { text?: string }[]; isError?: boolean };
  if (isError) throw new Error(`The call failed: ${JSON.stringify(content)}`);
  return content[0]?.text;
}
