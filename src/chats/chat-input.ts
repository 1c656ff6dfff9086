import { z } from 'zod';
import { attachmentInputs } from './attachments/attachment.ts';

const maxMessageCharacters = 200_000;
const maxTitleCharacters = 200;

const id = z.string().min(1).max(200);
const model = z.string().trim().min(1).max(300);
const title = z.string().trim().min(1).max(maxTitleCharacters);
const message = z
  .string()
  .max(maxMessageCharacters, 'must have at most 200,000 characters')
  .refine((text) => text.trim() !== '', 'must not be empty');
const promptArguments = z.record(z.string().max(200), z.string().max(100_000));
const origins = ['chat', 'test', 'a2a'] as const;

const ChatOriginInput = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('chat') }),
  z.strictObject({
    kind: z.literal('test'),
    tool: z.string().min(1).max(64),
    parameters: z.record(z.string(), z.json()),
  }),
  z.strictObject({ kind: z.literal('a2a'), contextId: z.string().min(1).max(300).exactOptional() }),
]);

/** The input for a new chat. */
export const NewChatInput = z.strictObject({
  agentId: id,
  model: model.optional(),
  title: title.optional(),
  arguments: promptArguments.optional(),
  origin: ChatOriginInput.optional().describe(
    '`test` validates the parameters, fills the template of the tool as a call would, and sends the result at once.',
  ),
  message: message.optional().describe('Sent at once.'),
  attachments: attachmentInputs.optional(),
});
export type NewChat = z.infer<typeof NewChatInput>;

export const ChatChange = z.strictObject({
  title: title.exactOptional(),
  agentId: id.exactOptional(),
  model: model.nullable().exactOptional().describe("Null selects the agent's own model."),
  arguments: promptArguments
    .exactOptional()
    .describe(
      "All arguments of the agent's prompt. If you leave them out, a new agent starts without arguments and the same agent keeps its own.",
    ),
});
export type ChatChange = z.infer<typeof ChatChange>;

export const MessageInput = z.strictObject({
  text: message,
  attachments: attachmentInputs.optional(),
  replaces: id
    .optional()
    .describe('The id of an earlier message, on any branch. The new message takes its place on a new branch.'),
  after: id
    .nullable()
    .optional()
    .describe(
      'The id of the message that this one follows, or null if it is the first. By default, it follows the last message of the active branch. Send what the user saw last, so that a change in another window cannot move the message.',
    ),
});

export const BranchInput = z.strictObject({
  messageId: id.describe('A message on the branch. If it has several continuations, the newest one is chosen.'),
});

export const RetryInput = z.strictObject({
  messageId: id
    .optional()
    .describe(
      'The message to answer again, on any branch: its branch becomes the active one. Default: the last message of the active branch.',
    ),
});

export const ApprovalInput = z.strictObject({ answer: z.enum(['approve', 'chat', 'always', 'deny']) });

export const ChatQueryInput = z.strictObject({
  text: z.string().max(500).optional().describe('Words to find in titles and messages.'),
  agentId: id.optional(),
  origin: z.enum(origins).optional(),
  tool: z.string().min(1).max(64).optional().describe('For tests: the name of the tool.'),
  limit: z.coerce.number<number>().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(500).optional().describe('The cursor of the previous page.'),
});
export type ChatQuery = z.infer<typeof ChatQueryInput>;
